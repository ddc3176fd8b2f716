#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cotangent/base/archive.hpp"
#include "cotangent/base/phase_point.hpp"
#include "cotangent/base/step_report.hpp"
#include "cotangent/manifold/manifold.hpp"
#include "cotangent/projection/orthogonal_projection.hpp"
#include "cotangent/projection/projection_policy.hpp"

namespace cotangent {

/// What became of a point after a step.
template <class T>
struct ProjectionReport : StepReport<T> {
  Mask<T> projected = Mask<T>(false);  ///< lanes in which the policy asked for a projection, and it succeeded
};

/// How far projections have moved points, in the largest of |dq_j|, of |dp_j| and of |ds_j|.
template <class T>
struct Displacement {
  T q = T(0), p = T(0), s = T(0);

  void state(Archive& archive) {
    archive("q", q);
    archive("p", p);
    archive("s", s);
  }
};

/// Carries out a policy: projections of the manifold, which are orthogonal in the mass metric (position to first
/// order), or, in the euclidean one, jointly and onto invariants, an OrthogonalProjection. With invariants all rows are
/// met at once; then `momentum` leaves q as it is.
///
/// Owns workspace, counts and the values of the invariants at the start, never the state of a trajectory. Does not
/// allocate after construction.
template <class T>
class Projector {
 public:
  /// @param manifold must outlive the projector.
  /// @throws std::invalid_argument if K < 1 or EPS < 0, or for invariants that the system does not have.
  Projector(Manifold<T>& manifold, const ProjectionPolicy& policy);

  const ProjectionPolicy& policy() const { return policy_; }

  /// Whether it does anything after some step.
  bool is_active() const { return position_ || momentum_ || has_invariants(); }

  /// A run begins at z: invariants are to return to what they are there, and nothing has been projected yet.
  void start(const PhasePoint<T>& z);

  /// Projects z after the step of that number (1, 2, ...) if the policy says so; or says why not, and leaves
  /// the lanes that failed as they were.
  [[nodiscard]] ProjectionReport<T> after_step(PhasePoint<T>& z, std::int64_t step);

  /// Projects z whatever the policy says of when, and does not count it.
  [[nodiscard]] ProjectionReport<T> project(PhasePoint<T>& z) { return project(z, Mask<T>(true)); }

  std::int64_t count() const { return count_; }  ///< points projected so far, lanes of a batch counted once

  /// By one projection at most, and by all of them so far.
  const Displacement<T>& largest() const { return largest_; }
  const Displacement<T>& total() const { return total_; }

  /// Of a report: the constraint or invariant behind its status; nothing if it is not known.
  std::string row_name(const StepReport<T>& report) const;

  /// The values that invariants return to.
  std::vector<T> targets() { return invariants_ ? invariants_->targets() : std::vector<T>(); }
  void set_targets(const std::vector<T>& values) {
    if (invariants_) invariants_->targets() = values;
  }

  /// What it remembers of a run, for a checkpoint.
  void state(Archive& archive) {
    std::vector<T> values = targets();
    archive("targets", values);
    if (values.size() != targets().size()) archive.fail("there are other invariants");
    set_targets(values);
    archive("count", count_);
    archive("largest", largest_);
    archive("total", total_);
  }

 private:
  [[nodiscard]] ProjectionReport<T> project(PhasePoint<T>& z, const Mask<T>& wanted);
  bool has_invariants() const { return invariants_ && invariants_->count() > 0; }
  Mask<T> is_wanted(const PhasePoint<T>& z);
  void restore(PhasePoint<T>& z, const Mask<T>& keep) const;
  void count(const PhasePoint<T>& z, const Mask<T>& projected);

  Manifold<T>& manifold_;
  ProjectionPolicy policy_;
  bool position_, momentum_;
  std::optional<KeptInvariants<T>> invariants_;
  // One after the other; none: the manifold's.
  std::vector<std::unique_ptr<OrthogonalProjection<T>>> orthogonal_;
  PhasePoint<T> before_;
  std::vector<T> excess_;
  std::int64_t count_ = 0;
  Displacement<T> largest_, total_;
};

extern template class Projector<double>;
extern template class Projector<long double>;
extern template class Projector<Quad>;
extern template class Projector<Tangents>;
extern template class Projector<Lanes>;

}  // namespace cotangent
