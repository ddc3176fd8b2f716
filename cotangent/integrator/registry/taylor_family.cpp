#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/integrator/families.hpp"
#include "cotangent/integrator/taylor/taylor.hpp"

namespace cotangent {
namespace {

// Without a tolerance terms fall below the rounding of double precision in steps of a sixth of the radius of
// convergence.
constexpr int kLeast = 2, kMost = 40, kWithoutTolerance = 20;

MethodFacts taylor_facts(int order) {
  return {.name = fmt::format("taylor:{}", order),
          .kind = MethodKind::taylor,
          .description = "power series of the constrained motion and its multipliers",
          .order = order,
          .error_order = order,
          .is_explicit = true,
          .formulations = {"standard", "equations"},
          .applies_to = "every system made of expressions, without forces that depend on multipliers",
          .reference = "jorba-zou05"};
}

// K of taylor:K; without it what the tolerance asks for.
int order_of(const MethodName& name, double tolerance = 0) {
  if (!name.arguments.empty() || name.inner) return only_integer(name, kLeast, kMost);
  return tolerance > 0 ? std::min(kMost, taylor_order(tolerance)) : kWithoutTolerance;
}

}  // namespace

template <class T>
std::vector<MethodFamily<T>> taylor_family() {
  return {{.word = "taylor",
           .pattern = fmt::format("taylor[:{}..{}]", kLeast, kMost),
           .members = {"taylor:4", "taylor:8"},
           .facts =
               [](const MethodName& name) {
                 MethodFacts facts = taylor_facts(order_of(name));
                 facts.name = name.text();
                 return facts;
               },
           .make = [](const MethodName& name, const MethodRequest<T>& request) -> std::unique_ptr<Integrator<T>> {
             if (request.formulation_options.stage_projection)
               throw std::invalid_argument(
                   "the method 'taylor' has no stages that could be projected; its steps can be, with project:both");
             const int order = order_of(name, request.options.tolerance);
             return std::make_unique<Taylor<T>>(taylor_facts(order), request.manifold, order);
           },
           .order = fmt::format("{}..{}", kLeast, kMost),
           .description = "power series of the constrained motion and its multipliers; without an order the one that "
                          "suits the tolerance"}};
}

#define COTANGENT_FUNCTIONS(T) template std::vector<MethodFamily<T>> taylor_family();
COTANGENT_FOR_NUMBERS(COTANGENT_FUNCTIONS)

}  // namespace cotangent
