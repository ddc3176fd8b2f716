#include "cotangent/integrator/composed/symmetric_projection.hpp"

#include <fmt/format.h>

namespace cotangent {
namespace {

using namespace scheme;

struct Shift {
  Vec q, p;
};

Shift N(const Here& z, Vec mu_1, Vec mu_2) { return {z.H_pp_times(z.Gt_times(mu_1)), z.Gt_times(mu_2)}; }

// Z on the constraints up to rounding errors: what is left of those.
PhaseSums without_rounding(const Writer& w, const PhaseSums& Z) {
  const Here end = w.at(Z, w.time(1));
  Sum Q, P;
  w.solve({.guess = w.zeros(w.system.m),
           .F =
               [&](Vec u) {
                 Q = Z.q + -end.H_pp_times(end.Gt_times(u));
                 return w.at(Q, {}, w.time(1)).g();
               },
           .correct = [&](Vec r) { return w.R(end).solve(r); },
           .failure = StepStatus::position_solve_failed,
           .is_for_values = true});
  w.solve({.guess = w.zeros(w.system.m),
           .F =
               [&](Vec u) {
                 P = Z.p + -w.at(Q, {}, w.time(1)).Gt_times(u);
                 return w.at(Q, P, w.time(1)).psi();
               },
           .correct = [&](Vec r) { return w.R(w.at(Q, P, w.time(1))).solve(r); },
           .failure = StepStatus::momentum_solve_failed,
           .is_for_values = true});
  return {Q, P, Z.s};
}

Step write(const Writer& w, const PhaseSums& z, Num h, const Remembered& before) {
  const std::size_t n = w.system.n, m = w.system.m;
  const Here begin = w.at(z, w.time(0));
  const Factor R = w.R(begin);
  PhaseSums Z;
  Shift d;
  const Vec x =
      w.solve({.guess = before.continuation() * before.guess("mu, d", 2 * (m + n)),
               .F =
                   [&](Vec all) {
                     const Vec mu_1 = part(all, 0, m), mu_2 = part(all, m, m);
                     d = {part(all, 2 * m, n), part(all, 2 * m + n, n)};
                     const Shift away = N(begin, mu_1, mu_2);
                     Z = w.inner_step({z.q + away.q, z.p + away.p, z.s});
                     Z.q = Z.q + d.q;
                     Z.p = Z.p + d.p;
                     const Here end = w.at(Z, w.time(1));
                     const Shift back = N(end, mu_1, mu_2);
                     // Forces that cancel leave rounding errors in the step of the method.
                     Rows returned = rows(d.p - back.p);
                     returned.scale = [&, of_shift = returned.scale] { return of_shift() + abs(h) * abs(begin.H_q()); };
                     return join({end.g(), end.psi(), rows(d.q - back.q), returned});
                   },
               .correct =
                   [&](Vec all) {
                     const Vec g = part(all, 0, m), psi = part(all, m, m);
                     const Shift r{part(all, 2 * m, n), part(all, 2 * m + n, n)};
                     const Vec a = R.solve(g - begin.G_times(r.q));
                     const Vec moved = r.q + begin.H_pp_times(begin.Gt_times(a));
                     const Vec mu_2 = 0.5 * R.solve(psi - begin.psi_along(moved, r.p));
                     const Vec mu_1 = 0.5 * (a - h * mu_2);
                     const Shift back = N(begin, mu_1, mu_2);
                     return join({-mu_1, -mu_2, -(r.q + back.q), -(r.p + back.p)});
                   },
               .failure = StepStatus::position_solve_failed,
               .kinds = {{m}, {m}, {n, z.q}, {n, z.p}}});
  Step step{without_rounding(w, Z), {{"mu, d", x}}};
  step.shift = {d.q, d.p};
  return step;
}

}  // namespace

SchemeMethod symmetric_projection(const std::string& name, const MethodFacts& method) {
  MethodFacts facts = method;
  facts.name = name;
  facts.kind = MethodKind::constrained;
  facts.description = fmt::format("{}, projected to the constraints at both ends of a step alike", method.name);
  facts.error_order = 0;
  facts.symplectic = facts.symplectic_off = false;
  facts.keeps_quadratic = facts.keeps_energy = false;
  facts.keeps_position = facts.keeps_momentum = true;
  facts.applies_to = "systems with constraints";
  facts.reference = "hairer00";
  return {.facts = facts, .write = write};
}

}  // namespace cotangent
