#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cotangent/base/archive.hpp"
#include "cotangent/base/instantiate.hpp"
#include "cotangent/base/phase_point.hpp"
#include "cotangent/base/step_report.hpp"
#include "cotangent/manifold/manifold.hpp"
#include "cotangent/projection/orthogonal_projection.hpp"
#include "cotangent/projection/projection_policy.hpp"
#include "cotangent/projection/projection_tally.hpp"

namespace cotangent {

/// What became of a point after a step.
template <class T>
struct ProjectionReport : StepReport<T> {
  Mask<T> projected = Mask<T>(false);  ///< lanes in which the policy asked for a projection, and it succeeded
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

  /// Steps are of this length, see OrthogonalProjection::set_step.
  void set_step(LaneOf<T> h) {
    for (const auto& projection : orthogonal_) projection->set_step(h);
  }

  /// Projects z after the step of that number (1, 2, ...) if the policy says so; or says why not, and leaves
  /// the lanes that failed as they were.
  [[nodiscard]] ProjectionReport<T> after_step(PhasePoint<T>& z, std::int64_t step);

  /// Projects z in the lanes where that is wanted, whatever the policy says of when, and does not count it.
  [[nodiscard]] ProjectionReport<T> project(PhasePoint<T>& z, const Mask<T>& wanted = Mask<T>(true));

  /// Where the last point that was projected came from.
  const PhasePoint<T>& before() const { return before_; }

  std::int64_t count() const { return tally_.count; }

  /// What it has done after steps so far. Those who project on behalf of the same run may add what they do.
  ProjectionTally<T>& tally() { return tally_; }
  const ProjectionTally<T>& tally() const { return tally_; }

  /// Of a report, its own or that of a method of the same system: the constraint or invariant behind its status;
  /// nothing if it is not known.
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
    archive("tally", tally_);
  }

 private:
  bool has_invariants() const { return invariants_ && invariants_->count() > 0; }
  Mask<T> is_wanted(const PhasePoint<T>& z);
  void restore(PhasePoint<T>& z, const Mask<T>& keep) const;

  Manifold<T>& manifold_;
  ProjectionPolicy policy_;
  bool position_, momentum_;
  std::optional<KeptInvariants<T>> invariants_;
  // One after the other; none: the manifold's.
  std::vector<std::unique_ptr<OrthogonalProjection<T>>> orthogonal_;
  PhasePoint<T> before_;
  std::vector<T> excess_;
  ProjectionTally<T> tally_;
};

COTANGENT_DECLARE(NUMBERS, Projector);

}  // namespace cotangent
