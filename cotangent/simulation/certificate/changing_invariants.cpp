#include "cotangent/simulation/certificate/changing_invariants.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "cotangent/base/limits.hpp"
#include "cotangent/integrator/composed/projected.hpp"
#include "cotangent/integrator/registry/registry.hpp"
#include "cotangent/manifold/initial_data.hpp"
#include "cotangent/manifold/redundancy.hpp"
#include "cotangent/simulation/pace/step_control.hpp"

namespace cotangent {
namespace {

constexpr int kSteps = 6;
constexpr double kAccuracy = 1e-10;  // of their numbers, relative to the largest of their kind

}  // namespace

std::vector<ChangingInvariant> changing_invariants(const Model& model,
                                                   const std::shared_ptr<const Elements>& elements) {
  if (elements->invariant_rows.empty() || std::max(elements->n, elements->states) > kLimits.full) return {};
  try {
    System<double> system(elements, Backend::interpreter);
    Manifold<double> manifold(system);
    InvariantWatch<double> watch(std::make_unique<System<double>>(elements, Backend::interpreter));
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
    watch.start(z, h);
    for (int step = 0; step < kSteps;) {
      const auto report = integrator->step(z, h, end);
      if (report.status != StepStatus::ok) break;
      if (report.error > 1) {
        h *= step_factor(report.error, method.facts.error_order);
        continue;
      }
      ++step;
      swap(z, end);
      watch.observe(z);
    }
    return watch.found();
  } catch (const std::invalid_argument&) {
    return {};  // not a motion in q and p
  }
}

}  // namespace cotangent
