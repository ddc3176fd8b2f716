#include "cotangent/integrator/projected.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/integrator/take_lanes.hpp"

namespace cotangent {

std::string projected_name(const ProjectionPolicy& policy, const std::string& method) {
  std::string name = "project:" + name_of(policy.projection);
  if (policy.metric != Metric::mass) name += ":" + name_of(policy.metric);
  if (policy.every != 1) name += fmt::format(":every={}", policy.every);
  if (policy.above) name += fmt::format(":above={}", *policy.above);
  for (const std::string& invariant : policy.invariants) name += ":" + invariant;
  return name + "(" + method + ")";
}

MethodFacts projected_facts(const std::string& name, const ProjectionPolicy& policy, const MethodFacts& method) {
  MethodFacts facts = method;
  facts.name = name;
  facts.kind = MethodKind::projected;
  std::vector<std::string> parts;
  if (policy.projection != Projection::none) parts.push_back("the projection '" + name_of(policy.projection) + "'");
  if (!policy.invariants.empty()) parts.push_back(fmt::format("a return to {}", fmt::join(policy.invariants, ", ")));
  facts.description = fmt::format("{}, then {}", method.name, fmt::join(parts, " with "));
  facts.symmetric = facts.symplectic = facts.symplectic_off = facts.keeps_quadratic = false;
  const bool always = policy.every == 1 && !policy.above;
  const auto& invariants = policy.invariants;
  facts.keeps_energy = always && std::find(invariants.begin(), invariants.end(), "energy") != invariants.end();
  const bool moves_q = policy.projection != Projection::momentum;
  facts.keeps_position = policy.to_position() ? always || method.keeps_position : !moves_q && method.keeps_position;
  facts.keeps_momentum = policy.to_momentum() && (always || method.keeps_momentum);
  facts.applies_to = policy.invariants.empty() ? "systems with constraints" : "systems with these invariants";
  facts.reference = "hlw06";
  return facts;
}

template <class T>
Projected<T>::Projected(MethodFacts facts, Manifold<T>& manifold, const ProjectionPolicy& policy,
                        std::unique_ptr<Integrator<T>> method)
    : Integrator<T>(std::move(facts)),
      method_(std::move(method)),
      projector_(manifold, policy),
      place_(method_->trajectory_size()) {
  if (!projector_.is_active())
    throw std::invalid_argument(
        fmt::format("the method '{}' projects to constraints, but here are none; use '{}' itself", this->facts().name,
                    method_->facts().name));
}

template <class T>
typename Integrator<T>::TrajectorySize Projected<T>::trajectory_size() const {
  return {place_.numbers + projector_.target_count(), place_.counts + 1};
}

template <class T>
void Projected<T>::begin(Point<T>& z) {
  method_->begin(z);
  auto& [numbers, counts] = z.trajectory();
  numbers.resize(place_.numbers);
  counts.resize(place_.counts);
  projector_.start(z);
  numbers.insert(numbers.end(), projector_.targets().begin(), projector_.targets().end());
  counts.push_back(0);
  // What is compiled when it is first used belongs to the set-up.
  PhasePoint<T> rehearsed = z;
  static_cast<void>(projector_.project(rehearsed));
}

template <class T>
ProjectionReport<T> Projected<T>::project(Point<T>& z, LaneOf<T> h, const Mask<T>& lanes) {
  auto& [numbers, counts] = z.trajectory();
  std::int64_t& steps = counts[place_.counts];
  const std::int64_t number = h < 0 ? steps-- : ++steps;
  if (!any(lanes)) return {};
  const auto targets = projector_.targets();
  std::copy_n(numbers.begin() + static_cast<std::ptrdiff_t>(place_.numbers), targets.size(), targets.begin());
  projector_.set_step(h);
  PhasePoint<T>& Z = z.adjust();
  const ProjectionReport<T> report = projector_.after_step(Z, number, lanes);
  if (any(report.projected) && report.iterations > 0) z.forget();
  if (tally_ && any(report.projected)) tally_->add(Displacement<T>::between(projector_.before(), Z), report.projected);
  return report;
}

template <class T>
StepReport<T> Projected<T>::make_step(const Point<T>& z, LaneOf<T> h, Point<T>& end) {
  if (z.trajectory().counts.size() <= place_.counts) {
    first_ = z;
    begin(first_);
    return make_step(first_, h, end);
  }
  StepReport<T> report = method_->step(z, h, end);
  if (!any(report.ok)) return report;
  const ProjectionReport<T> projection = project(end, h, report.ok & !(report.error > T(1)));
  report.iterations += projection.iterations;
  if (any(report.ok & !projection.ok)) {
    report.status = projection.status;
    report.residual = projection.residual;
    report.tolerance = projection.tolerance;
    report.row = projection.row;
    report.in_projection = true;
    report.ok = report.ok & projection.ok;
  }
  // Lanes whose step failed were not to be projected either.
  if (!all(report.ok)) take_lanes(!report.ok, z.state(), end.change());
  return report;
}

template <class T>
std::unique_ptr<Integrator<T>> with_projection(std::unique_ptr<Integrator<T>> method, Manifold<T>& manifold,
                                               const ProjectionPolicy& policy) {
  if (!policy.is_active(manifold.system().m())) return method;
  MethodFacts facts = projected_facts(projected_name(policy, method->facts().name), policy, method->facts());
  return std::make_unique<Projected<T>>(std::move(facts), manifold, policy, std::move(method));
}

COTANGENT_INSTANTIATE(NUMBERS, Projected);

#define COTANGENT_FUNCTIONS(T)                                                                          \
  template std::unique_ptr<Integrator<T>> with_projection(std::unique_ptr<Integrator<T>>, Manifold<T>&, \
                                                          const ProjectionPolicy&);
COTANGENT_FOR_NUMBERS(COTANGENT_FUNCTIONS)

}  // namespace cotangent
