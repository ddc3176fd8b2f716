#include "cotangent/integrator/radau.hpp"

#include <fmt/format.h>

#include "cotangent/formulation/formulation.hpp"
#include "cotangent/integrator/collocation.hpp"

namespace cotangent {

MethodFacts radau_facts(int stages, const std::string& name) {
  return {.name = name,
          .kind = MethodKind::implicit_runge_kutta,
          .description = stages == 1 ? "the implicit Euler method, Radau IIA with one stage"
                                     : fmt::format("Radau IIA with {} stages, L-stable", stages),
          .order = 2 * stages - 1,
          .has_solver = true,
          .formulations = field_formulations("standard"),
          .applies_to = "every system",
          .reference = "hairer-wanner96"};
}

ImplicitTableau radau_tableau(int stages) {
  auto nodes =
      zeros([&](Quad x) { return legendre_polynomial(stages, x).value - legendre_polynomial(stages - 1, x).value; },
            stages - 1);
  nodes.push_back(1);
  return collocation_tableau(std::move(nodes));
}

}  // namespace cotangent
