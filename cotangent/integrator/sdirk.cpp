#include "cotangent/integrator/sdirk.hpp"

#include "cotangent/formulation/formulation.hpp"

namespace cotangent {

MethodFacts sdirk4_facts() {
  return {.name = "sdirk4",
          .kind = MethodKind::implicit_runge_kutta,
          .description = "singly diagonally implicit, five stages, L-stable",
          .order = 4,
          .has_solver = true,
          .formulations = field_formulations("standard"),
          .applies_to = "every system",
          .reference = "hairer-wanner96"};
}

ImplicitTableau sdirk4_tableau() {
  const Quad one = 1;
  const Quad gamma = one / 4;
  std::vector<std::vector<Quad>> a = {
      {gamma, 0, 0, 0, 0},
      {one / 2, gamma, 0, 0, 0},
      {17 * one / 50, -one / 25, gamma, 0, 0},
      {371 * one / 1360, -137 * one / 2720, 15 * one / 544, gamma, 0},
      {25 * one / 24, -49 * one / 48, 125 * one / 16, -85 * one / 12, gamma},
  };
  std::vector<Quad> b = a.back();
  return {.a = std::move(a), .b = std::move(b), .c = {gamma, 3 * one / 4, 11 * one / 20, one / 2, one}};
}

}  // namespace cotangent
