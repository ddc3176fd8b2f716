#include "cotangent/simulation/certificate/changing_invariants.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "cotangent/base/limits.hpp"
#include "cotangent/base/magnitudes.hpp"
#include "cotangent/integrator/composed/projected.hpp"
#include "cotangent/integrator/registry/registry.hpp"
#include "cotangent/manifold/initial_data.hpp"
#include "cotangent/manifold/redundancy.hpp"
#include "cotangent/projection/kept_invariants.hpp"
#include "cotangent/simulation/pace/step_control.hpp"
#include "cotangent/solve/iteration/stopping.hpp"

namespace cotangent {
namespace {

constexpr int kSteps = 6;
constexpr double kAccuracy = 1e-10;  // of their numbers, relative to the largest of their kind

// The largest rate of each row in the first steps of the motion, with its time; 0 where there is no more than errors.
std::vector<ChangingInvariant> changing_rows(const Model& model, const std::shared_ptr<const Elements>& elements) {
  System<double> system(elements, Backend::interpreter);
  Manifold<double> manifold(system);
  std::vector<std::string> names;
  for (const NamedRows& rows : elements->invariant_rows) names.push_back(rows.name);
  KeptInvariants<double> declared(system, names);
  Point<double> z = make_initial_data(model, manifold, InitialPolicy::project).z, end;
  settle_redundancy(manifold, z.state());
  const auto method = find_method<double>("dop853");
  const Tolerance tolerance{.relative = kAccuracy};
  const auto integrator = with_projection(method.make(manifold, ""), manifold,
                                          {.projection = default_projection(method.facts, system.m())});
  integrator->tolerate(tolerance);
  double h = first_step<double>(manifold, z, tolerance, method.facts.error_order,
                                {0, std::numeric_limits<double>::infinity()});
  if (!std::isfinite(h)) h = 1;  // where nothing moves any step will do

  // What errors of the numbers of a point make of I_k there.
  PhasePoint<double> gradient = z.state();
  const auto error = [&](std::size_t k) {
    declared.gradient(z, k, gradient.q.data(), gradient.p.data(), gradient.s.data());
    double sum = 0;
    for (const auto part : {&PhasePoint<double>::q, &PhasePoint<double>::p, &PhasePoint<double>::s}) {
      const double size = largest_of(z.state().*part);
      for (const double slope : gradient.*part) sum += std::abs(slope) * size;
    }
    return kAccuracy * sum;
  };
  std::vector<ChangingInvariant> worst(declared.count());
  std::vector<double> change(worst.size());
  for (int step = 0; step < kSteps;) {
    const auto report = integrator->step(z, h, end);
    if (report.status != StepStatus::ok) break;
    if (report.error > 1) {
      h *= step_factor(report.error, method.facts.error_order);
      continue;
    }
    ++step;
    declared.start(z);
    swap(z, end);
    declared.excess(z, change.data());
    for (std::size_t k = 0; k < worst.size(); ++k)
      if (std::abs(change[k]) > kNearUnits * error(k) && std::abs(change[k] / h) > std::abs(worst[k].rate))
        worst[k] = {"", declared.row_name(*elements, declared.row(k)), change[k] / h, z->t};
  }
  return worst;
}

}  // namespace

std::string describe(const ChangingInvariant& invariant) {
  return fmt::format("the equations do not keep the invariant '{}': d{}/dt = {:.3g} at t = {:.3g}", invariant.name,
                     invariant.row, invariant.rate, invariant.time);
}

std::vector<ChangingInvariant> changing_invariants(const Model& model,
                                                   const std::shared_ptr<const Elements>& elements) {
  if (elements->invariant_rows.empty() || elements->n > kLimits.full) return {};
  std::vector<ChangingInvariant> result;
  try {
    const auto rates = changing_rows(model, elements);
    // Rows are in the order in which they are declared.
    auto row = rates.begin();
    for (const NamedRows& rows : elements->invariant_rows) {
      ChangingInvariant most;
      for (const auto end = row + rows.count; row != end; ++row)
        if (std::abs(row->rate) > std::abs(most.rate)) most = *row;
      most.name = rows.name;
      if (most.rate != 0) result.push_back(most);
    }
  } catch (const std::invalid_argument&) {
    // Not a motion in q and p.
  }
  return result;
}

}  // namespace cotangent
