#include "cotangent/integrator/constrained/momentum_kick.hpp"

namespace cotangent {

using namespace scheme;

MomentumKick momentum_kick(const Writer& w, Vec Q, const Sum& p, Vec kick, Num t) {
  Sum P;
  const Vec m = w.solve({.guess = w.zeros(w.system.m),
                         .F =
                             [&](Vec u) {
                               P = p + (kick - w.at(Q, {}, t).Gt_times(u));
                               return w.at(Q, P, t).psi();
                             },
                         .correct = [&](Vec r) { return w.R(w.at(Q, P, t)).solve(r); },
                         .failure = StepStatus::momentum_solve_failed});
  return {P, m};
}

}  // namespace cotangent
