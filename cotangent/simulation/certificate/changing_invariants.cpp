#include "cotangent/simulation/certificate/changing_invariants.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
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
// Steps that a second or so permits, of a system of one number.
constexpr std::int64_t kMostSteps = 100'000;

// @param until the start of the model, if nothing is given.
AccurateLook look(const Model& model, const std::shared_ptr<const Elements>& elements, std::optional<double> until) {
  const std::int64_t size = std::max(elements->n, elements->states);
  if (elements->invariant_rows.empty() || size > kLimits.full) return {};
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
    const double last = until.value_or(z->t), sign = last < z->t ? -1 : 1;
    double h = std::abs(first_step<double>(manifold, z, tolerance, method.facts.error_order,
                                           {z->t, sign * std::numeric_limits<double>::infinity()}));
    if (!std::isfinite(h)) h = 1;  // where nothing moves any step will do
    watch.start(z, sign * h);
    int beyond = 0;
    for (std::int64_t tries = 0; tries < kMostSteps / size + kSteps && beyond < kSteps; ++tries) {
      const auto report = integrator->step(z, sign * h, end);
      if (report.status != StepStatus::ok) break;
      if (report.error <= 1) {
        swap(z, end);
        watch.observe(z);
        if (sign * (z->t - last) >= 0) ++beyond;
      }
      h *= step_factor(report.error, method.facts.error_order);
    }
    return {watch.found(), beyond > 0};
  } catch (const std::invalid_argument&) {
    return {};  // not a motion in q and p
  }
}

}  // namespace

std::vector<ChangingInvariant> changing_invariants(const Model& model,
                                                   const std::shared_ptr<const Elements>& elements) {
  return look(model, elements, std::nullopt).found;
}

AccurateLook look_accurately(const Model& model, const std::shared_ptr<const Elements>& elements, double until) {
  return look(model, elements, until);
}

}  // namespace cotangent
