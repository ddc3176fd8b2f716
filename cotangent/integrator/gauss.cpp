#include "cotangent/integrator/gauss.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "cotangent/formulation/formulation.hpp"
#include "cotangent/integrator/collocation.hpp"

namespace cotangent {
namespace {

std::vector<Quad> nodes(int s) {
  std::vector<Quad> c;
  for (int i = 0; i < s; ++i) {
    Quad x = static_cast<Quad>(-std::cos(std::numbers::pi * (i + 0.75) / (s + 0.5)));
    for (int k = 0; k < 8; ++k) {
      const auto [value, slope, curvature] = legendre_polynomial(s, x);
      x -= value / slope;
    }
    c.push_back((1 + x) / 2);
  }
  return c;
}

}  // namespace

MethodFacts gauss_facts(int stages, const std::string& name) {
  return {.name = name,
          .kind = "implicit Runge-Kutta",
          .description = stages == 1 ? "the implicit midpoint rule, Gauss with one stage"
                                     : fmt::format("Gauss collocation with {} stages", stages),
          .order = 2 * stages,
          .symmetric = true,
          .symplectic = true,
          .keeps_quadratic = true,
          .keeps_position = true,
          .keeps_momentum = true,
          .formulations = field_formulations("state-space"),
          .applies_to = "every system; structure is kept under Hamiltonian formulations",
          .reference = "hlw06"};
}

ImplicitTableau gauss_tableau(int stages) { return collocation_tableau(nodes(stages)); }

}  // namespace cotangent
