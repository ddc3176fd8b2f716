#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/base/phase_point.hpp"
#include "cotangent/base/step_report.hpp"
#include "cotangent/manifold/manifold.hpp"
#include "cotangent/projection/orthogonal_projection.hpp"
#include "cotangent/projection/projection_policy.hpp"
#include "cotangent/projection/projection_tally.hpp"
#include "cotangent/projection/scaling_projection.hpp"
#include "cotangent/projection/stabilisation.hpp"

namespace cotangent {

/// What became of a point after a step.
template <class T>
struct ProjectionReport : StepReport<T> {
  Mask<T> projected = Mask<T>(false);  ///< lanes in which the policy asked for a projection, and it succeeded
};

/// Carries out a policy: projections of the manifold, which are orthogonal in the mass metric (position to first
/// order), or, in the euclidean one, jointly and onto invariants, an OrthogonalProjection, or one step of it, a
/// Stabilisation. With invariants all rows are met at once; then `momentum` leaves q as it is. `scaling` is a
/// ScalingProjection, and the nearest point where that has no root.
///
/// Owns workspace and the values that invariants return to. Does not allocate after construction.
template <class T>
class Projector {
 public:
  /// @param manifold must outlive the projector.
  /// @throws std::invalid_argument if K < 1 or EPS < 0, for invariants that the system does not have, and for scalings
  /// of a system with constraints.
  Projector(Manifold<T>& manifold, const ProjectionPolicy& policy);

  const ProjectionPolicy& policy() const { return policy_; }

  /// Whether it does anything after some step.
  bool is_active() const { return position_ || momentum_ || has_invariants(); }

  /// Invariants are to return to what they are at z.
  void start(const PhasePoint<T>& z) {
    if (invariants_) invariants_->start(z);
  }

  /// Steps are of this length, see OrthogonalProjection::set_step.
  void set_step(LaneOf<T> h) {
    for (const auto& projection : orthogonal_) projection->set_step(h);
    if (stabilisation_) stabilisation_->set_step(h);
  }

  /// Projects z after the step of that number (1, 2, ...) in these lanes if the policy says so; or says why not, and
  /// leaves the lanes that failed as they were.
  [[nodiscard]] ProjectionReport<T> after_step(PhasePoint<T>& z, std::int64_t step,
                                               const Mask<T>& lanes = Mask<T>(true));

  /// Projects z in the lanes where that is wanted, whatever the policy says of when.
  [[nodiscard]] ProjectionReport<T> project(PhasePoint<T>& z, const Mask<T>& wanted = Mask<T>(true));

  /// Where the last point that was projected came from.
  const PhasePoint<T>& before() const { return before_; }

  /// What scalings, if there are any, have come to at the last point that was projected.
  void add_scaling(double time, ScalingTally& tally) const;

  /// The values that invariants return to: as many as there are invariants.
  std::span<T> targets() { return invariants_ ? std::span<T>(invariants_->targets()) : std::span<T>(); }
  std::size_t target_count() const { return invariants_ ? invariants_->count() : 0; }

 private:
  bool has_invariants() const { return invariants_ && invariants_->count() > 0; }
  Mask<T> is_wanted(const PhasePoint<T>& z);
  StepReport<T> scale(PhasePoint<T>& z, const Mask<T>& wanted);
  void restore(const PhasePoint<T>& from, const Mask<T>& keep, PhasePoint<T>& z) const;

  Manifold<T>& manifold_;
  ProjectionPolicy policy_;
  bool position_, momentum_;
  std::optional<KeptInvariants<T>> invariants_;
  // One after the other; none: the manifold's.
  std::vector<std::unique_ptr<OrthogonalProjection<T>>> orthogonal_;
  std::optional<Stabilisation<T>> stabilisation_;
  std::optional<ScalingProjection<T>> scaling_;
  Mask<T> has_fallen_back_ = Mask<T>(false);
  PhasePoint<T> before_, scaled_;
  std::vector<T> excess_;
};

/// Of a report of a step or a projection: the constraint or invariant behind its status; nothing if it is not known.
template <class T>
std::string row_name(const StepReport<T>& report, const Elements& elements) {
  if (report.row < 0) return {};
  if (report.status == StepStatus::dependent_invariant) return KeptInvariants<T>::row_name(elements, report.row);
  return elements.row_name(report.row);
}

COTANGENT_DECLARE(NUMBERS, Projector);

}  // namespace cotangent
