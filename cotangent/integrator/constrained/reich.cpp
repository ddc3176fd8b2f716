#include "cotangent/integrator/constrained/reich.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "cotangent/integrator/constrained/momentum_kick.hpp"

namespace cotangent {
namespace {

using namespace scheme;

// Fields on which an impulse along G' changes g.
constexpr const char* kFields[] = {"total", "standard"};

MethodFacts facts_of(const std::string& name, const MethodFacts& method) {
  MethodFacts facts = method;
  if (method.kind == MethodKind::splitting) {
    facts.order = std::min(method.order, 2);
    facts.applies_to = "H = T(p) + V(q)";
  } else {
    const auto takes = [&](const char* field) {
      return std::find(method.formulations.begin(), method.formulations.end(), field) != method.formulations.end();
    };
    facts.formulations.clear();
    for (const char* field : kFields)
      if (takes(field)) facts.formulations.emplace_back(field);
    if (facts.formulations.empty())
      throw std::invalid_argument(fmt::format(
          "'{}' is not made: it is for methods on the formulations total or standard and for splittings, but "
          "'{}' takes {}",
          name, method.name, fmt::join(method.formulations, ", ")));
    facts.applies_to = "every system whose H_pp is regular across the constraints";
  }
  facts.name = name;
  facts.kind = MethodKind::constrained;
  facts.description = fmt::format("a step of {} between two momentum projections", method.name);
  facts.error_order = 0;
  facts.symplectic_off = false;
  facts.keeps_quadratic = false;
  facts.keeps_energy = false;
  facts.keeps_position = true;
  facts.keeps_momentum = true;
  facts.reference = "reich96";
  return facts;
}

Step write(const Writer& w, const PhaseSums& z, Num h, const Remembered& before) {
  if (w.system.m == 0) return {w.inner_step(z)};
  const Here here = w.at(z, w.time(0));
  PhaseSums Z;
  const Vec l = w.solve({.guess = before.ratio() * before.guess("l", w.system.m),
                         .F =
                             [&](Vec u) {
                               Z = w.inner_step({z.q, z.p + -here.Gt_times(u), z.s});
                               return w.at(Z.q, {}, w.time(1)).g();
                             },
                         .correct = [&](Vec r) { return w.K(w.at(Z.q, {}, w.time(1)), here).solve(r) / h; },
                         .failure = StepStatus::position_solve_failed});
  const MomentumKick end = momentum_kick(w, Z.q, Z.p, w.zeros(w.system.n), w.time(1));
  return {{Z.q, end.P, Z.s}, {{"l", l}}};
}

}  // namespace

SchemeMethod reich(const std::string& name, const MethodFacts& facts) {
  return {.facts = facts_of(name, facts), .write = write};
}

}  // namespace cotangent
