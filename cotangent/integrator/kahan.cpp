#include "cotangent/integrator/kahan.hpp"

#include <stdexcept>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/formulation/formulation.hpp"

namespace cotangent {

MethodFacts kahan_facts() {
  return {.name = "kahan",
          .kind = MethodKind::implicit_runge_kutta,
          .description = "Kahan's method for quadratic fields",
          .order = 2,
          .symmetric = true,
          .has_solver = true,
          .formulations = field_formulations("standard"),
          .applies_to = "H of degree three in q and p; no constraints, no forces",
          .reference = "celledoni-mclachlan-owren-quispel13"};
}

ImplicitTableau kahan_tableau() {
  const Quad half = static_cast<Quad>(0.5);
  return {.a = {{0, 0, 0}, {-half / 2, 1, -half / 2}, {-half, 2, -half}}, .b = {-half, 2, -half}, .c = {0, half, 1}};
}

template <class T>
void expect_quadratic_field(System<T>& system) {
  const auto refuse = [](const char* why) {
    throw std::invalid_argument(std::string("the method 'kahan' is for quadratic fields, but ") + why +
                                "; use 'implicit-midpoint' or 'avf'");
  };
  if (system.m() > 0) refuse("this system has constraints");
  if (!system.elements().is_autonomous()) refuse("here the time changes it");
  if (system.state_count() > 0) refuse("this system has forces or states");
  const Contraction::Direction both{.p = true};
  for (const auto result : {Contraction::Result::gradient_q, Contraction::Result::gradient_p}) {
    const Contraction fourth{.directions = {both, both, both}, .result = result};
    if (!system.vanishes(fourth)) refuse("this H is not a polynomial of degree three in q and p");
  }
}

#define COTANGENT_FUNCTIONS(T) template void expect_quadratic_field(System<T>&);
COTANGENT_FOR_NUMBERS(COTANGENT_FUNCTIONS)

}  // namespace cotangent
