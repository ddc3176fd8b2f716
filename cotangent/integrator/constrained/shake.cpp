#include "cotangent/integrator/constrained/shake.hpp"

#include "cotangent/integrator/constrained/momentum_kick.hpp"

namespace cotangent {
namespace {

using namespace scheme;

Step write(const Writer& w, const PhaseSums& z, Num h, const Remembered& before) {
  const Here q = w.at(z.q, z.p);
  const Sum base = before.carried("p'", z.p);
  const Vec H_q = before.cached("H_q", w.system.n, [&] { return q.H_q(); });
  const Vec kick = -((before.last_h() + h) / 2 * H_q);
  Sum p, Q;
  // m, the last kick of the step before, was a guess of its part of l.
  w.solve({.guess = (before.has() + before.ratio()) * before.guess("m", w.system.m),
           .F =
               [&](Vec l) {
                 p = base + (kick - q.Gt_times(l));
                 Q = z.q + h * w.at(z.q, p).H_p();
                 return w.at(Q).g();
               },
           .correct = [&](Vec r) { return w.K(w.at(Q), w.at(z.q, p)).solve(r) / h; },
           .failure = StepStatus::position_solve_failed});
  const Vec H_Q = w.at(Q, p).H_q();
  const MomentumKick end = momentum_kick(w, Q, p, -(h / 2 * H_Q), w.time(1));
  return {{Q, end.P, z.s}, {{"p'", p}, {"H_q", H_Q}, {"m", end.m}}};
}

std::string refusal(const Structure& system) {
  if (system.is_separable && system.states == 0) return {};
  return "shake takes H(q, p) = T(p) + V(q) without forces, states or the time: use rattle, which is the same map and "
         "takes every system";
}

}  // namespace

SchemeFamily shake() {
  return plain_family(
      {.facts = {.name = "shake",
                 .kind = MethodKind::constrained,
                 .description = "leapfrog with constraints: rattle, with momenta that are not projected in between",
                 .order = 2,
                 .symmetric = true,
                 .symplectic = true,
                 .keeps_position = true,
                 .keeps_momentum = true,
                 .formulations = {"direct"},
                 .applies_to = "H = T(p) + V(q)",
                 .reference = "ryckaert77"},
       .write = write,
       .refusal = refusal});
}

}  // namespace cotangent
