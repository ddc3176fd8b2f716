#include "cotangent/integrator/average_field.hpp"

#include <fmt/format.h>

#include "cotangent/formulation/formulation.hpp"
#include "cotangent/integrator/gauss.hpp"

namespace cotangent {

MethodFacts average_field_facts(int nodes, const std::string& name) {
  return {.name = name,
          .kind = MethodKind::energy_keeping,
          .description = fmt::format("average vector field, quadrature with {} nodes", nodes),
          .order = 2,
          .symmetric = true,
          .keeps_position = true,
          .keeps_momentum = true,
          .has_solver = true,
          .formulations = field_formulations("state-space"),
          .applies_to = "every system; under state-space H of degree 2S is kept, others up to h^(2S+1)",
          .reference = "quispel-mclaren08"};
}

ImplicitTableau average_field_tableau(int nodes) {
  ImplicitTableau tableau = gauss_tableau(nodes);
  for (std::size_t i = 0; i < tableau.c.size(); ++i)
    for (std::size_t j = 0; j < tableau.c.size(); ++j) tableau.a[i][j] = tableau.c[i] * tableau.b[j];
  return tableau;
}

}  // namespace cotangent
