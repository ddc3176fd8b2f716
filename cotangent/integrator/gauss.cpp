#include "cotangent/integrator/gauss.hpp"

#include <fmt/format.h>

#include "cotangent/formulation/formulation.hpp"
#include "cotangent/integrator/collocation.hpp"

namespace cotangent {
MethodFacts gauss_facts(int stages, const std::string& name) {
  return {.name = name,
          .kind = MethodKind::implicit_runge_kutta,
          .description = stages == 1 ? "the implicit midpoint rule, Gauss with one stage"
                                     : fmt::format("Gauss collocation with {} stages", stages),
          .order = 2 * stages,
          .symmetric = true,
          .symplectic = true,
          .keeps_quadratic = true,
          .keeps_position = true,
          .keeps_momentum = true,
          .has_solver = true,
          .formulations = field_formulations("state-space"),
          .applies_to = "every system; structure is kept under Hamiltonian formulations",
          .reference = "hlw06"};
}

ImplicitTableau gauss_tableau(int stages) {
  return collocation_tableau(zeros([&](Quad x) { return legendre_polynomial(stages, x).value; }, stages));
}

}  // namespace cotangent
