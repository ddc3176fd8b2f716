#include "cotangent/projection/projection.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "cotangent/model/unknown_name.hpp"

namespace cotangent {

const std::vector<ProjectionFacts>& projections() {
  static const std::vector<ProjectionFacts> all{
      {Projection::none, "none", "nothing is projected"},
      {Projection::position, "position", "q returns to g(q) = 0 after a step"},
      {Projection::momentum, "momentum", "p returns to G(q) H_p(q, p) = 0 after a step"},
      {Projection::both, "both", "q returns to g(q) = 0, then p to G(q) H_p(q, p) = 0"},
  };
  return all;
}

const std::string& name_of(Projection projection) { return projections()[static_cast<std::size_t>(projection)].name; }

Projection find_projection(std::string_view name) {
  std::vector<std::string> names;
  for (const auto& facts : projections()) {
    if (facts.name == name) return facts.projection;
    names.push_back(facts.name);
  }
  throw UnknownName("projection", name, names);
}

Projection default_projection(const MethodFacts& facts, std::int64_t constraints) {
  const bool keeps = facts.keeps_position && facts.keeps_momentum;
  return keeps || constraints == 0 ? Projection::none : Projection::both;
}

template <class T>
Projector<T>::Projector(Manifold<T>& manifold, const ProjectionPolicy& policy)
    : manifold_(manifold),
      policy_(policy),
      position_(policy.projection == Projection::position || policy.projection == Projection::both),
      momentum_(policy.projection == Projection::momentum || policy.projection == Projection::both) {
  if (policy.every < 1)
    throw std::invalid_argument(fmt::format("project-every must be at least 1, not {}", policy.every));
  if (policy.above && !(*policy.above >= 0))
    throw std::invalid_argument(fmt::format("project-above must not be negative, but is {}", *policy.above));
  if (is_active()) before_ = PhasePoint<T>(manifold.system().n());
}

template <class T>
Mask<T> Projector<T>::is_wanted(const PhasePoint<T>& z) {
  if (!policy_.above) return Mask<T>(true);
  const T above(*policy_.above);
  Mask<T> wanted(false);
  // Written so that a residual that is not a number is wanted.
  if (position_) wanted = wanted | !(manifold_.position_residual(z.q.data(), T(z.t)).value <= above);
  if (momentum_) wanted = wanted | !(manifold_.momentum_residual(z).value <= above);
  return wanted;
}

template <class T>
StepReport<T> Projector<T>::after_step(PhasePoint<T>& z, std::int64_t step) {
  StepReport<T> total;
  if (!is_active() || step % policy_.every != 0) return total;
  const Mask<T> wanted = is_wanted(z);
  if (!any(wanted)) return total;
  total = project(z, wanted);
  if (any(total.ok & wanted)) ++count_;
  return total;
}

template <class T>
StepReport<T> Projector<T>::project(PhasePoint<T>& z, const Mask<T>& wanted) {
  StepReport<T> total;
  before_ = z;
  const auto take = [&](const SolveReport<T>& solve, StepStatus failure) {
    const bool finite = all(isfinite(solve.residual) | !wanted);
    const Mask<T> ok = solve.converged | !wanted;
    total.iterations += solve.iterations;
    total.ok = total.ok & ok;
    if (!all(ok) || total.status == StepStatus::ok) {
      total.residual = solve.residual;
      total.tolerance = solve.tolerance;
      total.row = solve.row;
    }
    if (!all(ok))
      total.status = !solve.regular ? StepStatus::singular_constraints : finite ? failure : StepStatus::not_finite;
  };
  if (position_) take(manifold_.project_position(z), StepStatus::position_solve_failed);
  if (momentum_ && any(total.ok & wanted)) take(manifold_.project_momentum(z), StepStatus::momentum_solve_failed);
  restore(z, total.ok & wanted);
  return total;
}

// Lanes that are not kept get their old point back.
template <class T>
void Projector<T>::restore(PhasePoint<T>& z, const Mask<T>& keep) const {
  if (all(keep)) return;
  const auto mix = [&](std::vector<T>& now, const std::vector<T>& old) {
    for (std::size_t i = 0; i < now.size(); ++i) now[i] = select(keep, now[i], old[i]);
  };
  mix(z.q, before_.q);
  mix(z.p, before_.p);
  mix(z.q_low, before_.q_low);
  mix(z.p_low, before_.p_low);
  z.touch();
}

template class Projector<double>;
template class Projector<long double>;
template class Projector<Quad>;
template class Projector<Tangents>;
template class Projector<Lanes>;

}  // namespace cotangent
