#include "cotangent/integrator/new_shake.hpp"

namespace cotangent {
namespace {

using namespace scheme;

Step write(const Writer& w, const State& z, Num h, const Remembered& m) {
  const std::size_t rows = w.system.m;
  const Here q = w.at(z.q, z.p);
  const Sum base = m.carried("p", z.p);
  const Vec kick = -((m.last_h() + h) / 2 * m.cached("H_q", w.system.n, [&] { return q.H_q(); }));
  Sum p, Q, P;
  w.solve({.guess = (m.has() + m.ratio()) * m.guess("m", rows),
           .F =
               [&](Vec l) {
                 p = base + (kick - q.Gt_times(l));
                 Q = z.q + h * w.at(z.q, p).H_p();
                 return w.at(Q).g();
               },
           .correct = [&](Vec r) { return w.K(w.at(Q), w.at(z.q, p)).solve(r) / h; },
           .failure = StepStatus::position_solve_failed});
  const Vec H_q = w.at(Q, p).H_q();
  const Vec half = -(h / 2 * H_q);
  const Vec mu = w.solve({.guess = w.zeros(rows),
                          .F =
                              [&](Vec u) {
                                P = Sum{p, p.lost} + (half - w.at(Q).Gt_times(u));
                                return w.at(Q, P).psi();
                              },
                          .correct = [&](Vec r) { return w.R(w.at(Q, P)).solve(r); },
                          .failure = StepStatus::momentum_solve_failed});
  return {{Q, P, z.s}, {{"p", p}, {"H_q", H_q}, {"m", mu}}};
}

}  // namespace

SchemeFamily new_shake() {
  return {.word = "nshake", .pattern = "nshake", .members = {"nshake"}, .method = [](const MethodName& name) {
            expect_plain(name);
            return SchemeMethod{
                .facts = {.name = "nshake",
                          .kind = "constrained",
                          .description =
                              "leapfrog with constraints: rattle, with momenta that are not projected in between",
                          .order = 2,
                          .symmetric = true,
                          .symplectic = true,
                          .keeps_position = true,
                          .keeps_momentum = true,
                          .formulations = {"direct"},
                          .applies_to = "H = T(p) + V(q)",
                          .reference = "ryckaert77"},
                .write = write,
                .refusal = [](const Structure& system) -> std::string {
                  if (system.is_separable && system.states == 0) return {};
                  return "shake takes H(q, p) = T(p) + V(q) without forces, states or the time: use rattle, which is "
                         "the same map and takes every system";
                }};
          }};
}

}  // namespace cotangent
