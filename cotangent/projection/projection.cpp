#include "cotangent/projection/projection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <type_traits>

#include "cotangent/base/instantiate.hpp"

namespace cotangent {

template <class T>
Projector<T>::Projector(Manifold<T>& manifold, const ProjectionPolicy& policy)
    : manifold_(manifold),
      policy_(policy),
      position_(policy.to_position() && manifold.system().m() > 0),
      momentum_(policy.to_momentum() && manifold.system().m() > 0) {
  if (policy.every < 1)
    throw std::invalid_argument(fmt::format("project-every must be at least 1, not {}", policy.every));
  if (policy.above && !(*policy.above >= 0))
    throw std::invalid_argument(fmt::format("project-above must not be negative, but is {}", *policy.above));
  System<T>& system = manifold.system();
  const auto add = [&](const ProjectionRows& rows, KeptInvariants<T>* invariants = nullptr) {
    orthogonal_.push_back(std::make_unique<OrthogonalProjection<T>>(manifold, policy.metric, rows, invariants));
  };
  if (!policy.invariants.empty()) {
    invariants_.emplace(system, policy.invariants);
    excess_.assign(invariants_->count(), T(0));
  }
  KeptInvariants<T>* const invariants = has_invariants() ? &*invariants_ : nullptr;
  if (policy.projection == Projection::scaling) {
    if (system.m() > 0)
      throw std::invalid_argument(
          "scaling returns to invariants, and the system has constraints: these would be lost, and velocities along "
          "them do not feel a scaling; use the projection 'joint' or 'both'");
    if (invariants != nullptr) scaling_.emplace(manifold, *invariants, policy.sets);
  }
  if (policy.projection == Projection::stabilise) {
    if (is_active())
      stabilisation_.emplace(manifold, policy.metric, ProjectionRows{.g = position_, .psi = momentum_}, invariants);
  } else if (invariants != nullptr) {
    add({.g = position_, .psi = momentum_, .moves_q = policy.projection != Projection::momentum}, invariants);
  } else if (policy.projection == Projection::joint && position_) {
    add({.g = true, .psi = true});
  } else if (policy.metric == Metric::euclidean) {
    if (position_) add({.g = true});
    if (momentum_) add({.psi = true, .moves_q = false});
  }
  if (is_active()) before_ = scaled_ = PhasePoint<T>(system.n(), system.state_count());
}

template <class T>
Mask<T> Projector<T>::is_wanted(const PhasePoint<T>& z) {
  if (!policy_.above) return Mask<T>(true);
  const T above(*policy_.above);
  Mask<T> wanted(false);
  // Written so that a residual that is not a number is wanted.
  if (position_) wanted = wanted | !(manifold_.position_residual(z.q.data(), T(z.t)).value <= above);
  if (momentum_) wanted = wanted | !(manifold_.momentum_residual(z).value <= above);
  if (has_invariants()) invariants_->excess(z, excess_.data());
  for (const T& excess : excess_) wanted = wanted | !(abs(excess) <= above);
  return wanted;
}

template <class T>
ProjectionReport<T> Projector<T>::after_step(PhasePoint<T>& z, std::int64_t step, const Mask<T>& lanes) {
  if constexpr (std::is_same_v<T, Traced>)
    if (policy_.every != 1) Recording::fail();  // the number of a step is not among the numbers
  if (!is_active() || step % policy_.every != 0) return {};
  const Mask<T> wanted = is_wanted(z) & lanes;
  return any(wanted) ? project(z, wanted) : ProjectionReport<T>();
}

template <class T>
ProjectionReport<T> Projector<T>::project(PhasePoint<T>& z, const Mask<T>& wanted) {
  ProjectionReport<T> total;
  if (!is_active()) return total;
  before_ = z;
  const auto take = [&](const StepReport<T>& part) {
    const Mask<T> ok = part.ok | !wanted;
    total.iterations += part.iterations;
    total.ok = total.ok & ok;
    if (!all(ok) || total.status == StepStatus::ok) {
      total.residual = part.residual;
      total.tolerance = part.tolerance;
    }
    if (all(ok)) return;
    total.status = part.status;
    total.row = part.row;
  };
  const auto report_of = [&](const SolveReport<T>& solve, StepStatus failure) {
    StepReport<T> report;
    report.ok = solve.converged;
    report.iterations = solve.iterations;
    report.residual = solve.residual;
    report.tolerance = solve.tolerance;
    report.row = solve.row;
    const bool finite = all(isfinite(solve.residual) | !wanted);
    if (!all(solve.converged))
      report.status = !solve.regular ? StepStatus::singular_constraints : finite ? failure : StepStatus::not_finite;
    return report;
  };
  if (stabilisation_) {
    take((*stabilisation_)(z));
  } else if (orthogonal_.empty()) {
    if (position_) take(report_of(manifold_.project_position(z), StepStatus::position_solve_failed));
    if (momentum_ && any(total.ok & wanted))
      take(report_of(manifold_.project_momentum(z), StepStatus::momentum_solve_failed));
  }
  for (const auto& projection : orthogonal_)
    if (any(total.ok & wanted)) take(scaling_ ? scale(z, wanted) : (*projection)(z));
  total.projected = total.ok & wanted;
  restore(before_, total.projected, z);
  return total;
}

// Lanes in which no factors do it go to the nearest point.
template <class T>
StepReport<T> Projector<T>::scale(PhasePoint<T>& z, const Mask<T>& wanted) {
  const StepReport<T> scaling = (*scaling_)(z);
  has_fallen_back_ = wanted & !scaling.ok;
  if (!any(has_fallen_back_)) return scaling;
  scaled_ = z;
  StepReport<T> report = (*orthogonal_.front())(z);
  restore(scaled_, has_fallen_back_, z);
  report.iterations += scaling.iterations;
  report.ok = report.ok | !has_fallen_back_;
  return report;
}

template <class T>
void Projector<T>::add_scaling(double time, ScalingTally& tally) const {
  if (!scaling_) return;
  ++tally.points;
  if (any(has_fallen_back_) && tally.fallbacks++ == 0) tally.first_fallback = time;
  tally.condition = std::max(tally.condition, static_cast<double>(max_over_lanes(scaling_->condition())));
}

// Lanes that are not kept are those of another point.
template <class T>
void Projector<T>::restore(const PhasePoint<T>& from, const Mask<T>& keep, PhasePoint<T>& z) const {
  if (all(keep)) return;
  using Point = PhasePoint<T>;
  for (const auto part : {&Point::q, &Point::p, &Point::s, &Point::q_low, &Point::p_low, &Point::s_low})
    for (std::size_t i = 0; i < (z.*part).size(); ++i) (z.*part)[i] = select(keep, (z.*part)[i], (from.*part)[i]);
}

COTANGENT_INSTANTIATE(NUMBERS, Projector);

}  // namespace cotangent
