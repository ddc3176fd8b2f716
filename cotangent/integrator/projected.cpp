#include "cotangent/integrator/projected.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/integrator/take_lanes.hpp"

namespace cotangent {

MethodFacts projected_facts(const std::string& name, const ProjectionPolicy& policy, const MethodFacts& method) {
  MethodFacts facts = method;
  facts.name = name;
  facts.kind = "projected";
  std::vector<std::string> parts;
  if (policy.projection != Projection::none) parts.push_back("the projection '" + name_of(policy.projection) + "'");
  if (!policy.invariants.empty()) parts.push_back(fmt::format("a return to {}", fmt::join(policy.invariants, ", ")));
  facts.description = fmt::format("{}, then {}", method.name, fmt::join(parts, " with "));
  facts.symmetric = facts.symplectic = facts.symplectic_off = facts.keeps_quadratic = false;
  facts.keeps_energy =
      std::find(policy.invariants.begin(), policy.invariants.end(), "energy") != policy.invariants.end();
  const bool moves_q = policy.projection != Projection::momentum;
  facts.keeps_position = policy.to_position() || (!moves_q && method.keeps_position);
  facts.keeps_momentum = policy.to_momentum();
  facts.applies_to = policy.invariants.empty() ? "systems with constraints" : "systems with these invariants";
  facts.reference = "hlw06";
  return facts;
}

template <class T>
Projected<T>::Projected(MethodFacts facts, Manifold<T>& manifold, const ProjectionPolicy& policy,
                        std::unique_ptr<Integrator<T>> method)
    : Integrator<T>(std::move(facts)), method_(std::move(method)), projector_(manifold, policy) {
  if (!projector_.is_active())
    throw std::invalid_argument(
        fmt::format("the method '{}' projects to constraints, but here are none; use '{}' itself", this->facts().name,
                    method_->facts().name));
}

template <class T>
StepReport<T> Projected<T>::step(PhasePoint<T>& z, LaneOf<T> h) {
  begin_ = z;
  projector_.start(z);
  projector_.set_step(h);
  StepReport<T> report = method_->step(z, h);
  if (!any(report.ok)) return report;
  const ProjectionReport<T> projection = projector_.project(z, report.ok);
  if (tally_ && any(projection.projected))
    tally_->add(Displacement<T>::between(projector_.before(), z), projection.projected);
  report.iterations += projection.iterations;
  if (any(report.ok & !projection.ok)) {
    report.status = projection.status;
    report.residual = projection.residual;
    report.tolerance = projection.tolerance;
    report.row = projection.row;
    report.ok = report.ok & projection.ok;
  }
  if (!any(report.ok)) {
    z = begin_;
  } else if (!all(report.ok)) {
    // Lanes whose step failed were not to be projected either.
    take_lanes(!report.ok, begin_, z);
    z.touch();
  }
  return report;
}

COTANGENT_INSTANTIATE(NUMBERS, Projected);

}  // namespace cotangent
