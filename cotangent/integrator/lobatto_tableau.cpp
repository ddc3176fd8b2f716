#include "cotangent/integrator/lobatto_tableau.hpp"

#include <fmt/format.h>

#include "cotangent/formulation/formulation.hpp"
#include "cotangent/integrator/collocation.hpp"

namespace cotangent {

std::vector<Quad> lobatto_nodes(int stages) {
  std::vector<Quad> c = zeros([&](Quad x) { return legendre_polynomial(stages - 1, x).slope; }, stages - 2);
  c.insert(c.begin(), 0);
  c.push_back(1);
  return c;
}

ImplicitTableau lobatto_iiia_tableau(int stages) {
  ImplicitTableau tableau = collocation_tableau(lobatto_nodes(stages));
  tableau.a.back() = tableau.b;
  return tableau;
}

ImplicitTableau lobatto_iiib_tableau(int stages) {
  ImplicitTableau tableau = lobatto_iiia_tableau(stages);
  const auto a = tableau.a;
  const auto& b = tableau.b;
  const std::size_t last = b.size() - 1;
  for (std::size_t i = 0; i <= last; ++i) {
    for (std::size_t j = 0; j <= last; ++j) tableau.a[i][j] = b[j] - b[j] * a[j][i] / b[i];
    tableau.a[i][last] = 0;  // b_i - b_i, but for rounding
  }
  return tableau;
}

ImplicitTableau lobatto_iiic_tableau(int stages) {
  ImplicitTableau tableau = lobatto_iiia_tableau(stages);
  const std::vector<Quad> others(tableau.c.begin() + 1, tableau.c.end());
  const Quad b_1 = tableau.b.front();
  for (std::size_t i = 0; i < tableau.c.size(); ++i) {
    tableau.a[i][0] = b_1;
    for (std::size_t j = 1; j < tableau.c.size(); ++j) {
      Quad at_0 = 1;
      for (std::size_t k = 0; k < others.size(); ++k)
        if (k != j - 1) at_0 *= -others[k] / (others[j - 1] - others[k]);
      tableau.a[i][j] = integral_of_lagrange(others, j - 1, tableau.c[i]) - b_1 * at_0;
    }
  }
  tableau.a.back() = tableau.b;
  return tableau;
}

MethodFacts lobatto_facts(const char* kind, int stages, const std::string& name) {
  const bool is_c = std::string_view(kind) == "IIIC";
  return {.name = name,
          .kind = MethodKind::implicit_runge_kutta,
          .description = fmt::format("Lobatto {} with {} stages{}", kind, stages, is_c ? ", L-stable" : ""),
          .order = 2 * stages - 2,
          .symmetric = !is_c,
          .keeps_position = !is_c,
          .keeps_momentum = !is_c,
          .has_solver = true,
          .formulations = field_formulations(is_c ? "standard" : "state-space"),
          .applies_to = "every system",
          .reference = is_c ? "hairer-wanner96" : "hlw06"};
}

}  // namespace cotangent
