#include "cotangent/integrator/constrained/hem.hpp"

#include <fmt/format.h>

namespace cotangent {

HalfExplicitTableau hem_tableau(int order) {
  const Quad one = 1, root = sqrt(Quad(6));
  if (order == 3) return {{one / 3}, {-1, 2}, {0, one * 3 / 4, one / 4}};
  // Radau's quadrature of three nodes behind two stages that are needed to begin with.
  if (order == 4)
    return {{one * 3 / 10},
            {(1 + root) / 30, (11 - 4 * root) / 30},
            {(-79 - 31 * root) / 150, (-1 - 4 * root) / 30, (24 + 11 * root) / 25},
            {(14 + 5 * root) / 6, (-8 + 7 * root) / 6, (-9 - 7 * root) / 4, (9 - root) / 4},
            {0, 0, (16 - root) / 36, (16 + root) / 36, one / 9}};
  // Published with 16 digits. These have all: a_21, a_31, a_32, a_43, a_62, a_86 and the nodes 1/2 and 4/5 are as they
  // were, and the others follow from the order conditions.
  return {{0.1Q},
          {0.0375Q, 0.1125Q},
          {0.32221692362161911818325279595368512519Q, -1.18888332298762760640328803882793647725Q, 1.228145134023366Q},
          {-0.03501123898130827098231302968012644444Q, 0.37254206010864427184531668234292263586Q,
           -0.27210535355822595082000102398552601946Q, 0.01993037578575224988232876348231520432Q},
          {-0.55765470550419778537974694316431308982Q, 1.367307289645883Q, -1.73223636046066653663176370004265863588Q,
           0.4587772007467585714153424476848117798Q, 0.9638065755722227505961681955221599459Q},
          {0.08654517193564548950179447135594388606Q, -0.08810082847946025014624528403075452419Q,
           0.1981275547329101229232811385562583053Q, -0.46454226793310090812203399881979428641Q,
           0.16151700911100286250586805610219744553Q, 0.90645336063300268333733561683614917371Q},
          {0, 0, 0, 3.62447724875384089175203885746865873114Q, -0.46177241891832595937560653555881528234Q,
           -3.198024628164272Q, 1.03531979832875706762356767809015655119Q},
          {0, 0, 0, 0.24677606676367967154226796766754445877Q, 0.21065940874896855637271109211309330899Q,
           0.17692181491250470710533990471788857451Q, 0.30644464441479396698430003295415951557Q,
           0.05919806516005309799538100254731414216Q}};
}

namespace {

using namespace scheme;

Step write(const HalfExplicitTableau& tableau, const Writer& w, const PhaseSums& z, Num h) {
  PhaseSums Z = z;
  Quad c = 0;
  std::vector<Vec> v, F, rates;  // of the stages so far, with the forces of constraints
  for (std::size_t j = 0; j < tableau.size(); ++j) {
    const std::vector<Quad>& a = tableau[j];
    const Here here = w.at(Z, w.time(c));
    c = 0;
    for (const Quad& entry : a) c += entry;
    const Num next = w.time(j + 1 == tableau.size() ? 1 : c), weight = a.back() * h;
    const Here::Push push = here.force({});
    Sum Q, P;
    v.emplace_back(), F.emplace_back();
    w.solve({.guess = w.zeros(w.system.m),
             .F =
                 [&](Vec mu) {
                   v.back() = here.H_p() - here.H_pp_times(here.Gt_times(mu));
                   Q = z.q + h * combine(a, v);
                   return w.at(Q, {}, next).g();
                 },
             .correct = [&](Vec r) { return w.K(w.at(Q, {}, next), here).solve(r) / weight; },
             .failure = StepStatus::position_solve_failed});
    const Vec lambda = w.solve({.guess = w.zeros(w.system.m),
                                .F =
                                    [&](Vec u) {
                                      F.back() = push.force - here.Gt_times(u);
                                      P = z.p + h * combine(a, F);
                                      return w.at(Q, P, next).psi();
                                    },
                                .correct = [&](Vec r) { return w.K(w.at(Q, {}, next), here).solve(r) / weight; },
                                .failure = StepStatus::momentum_solve_failed});
    rates.push_back(here.rates(lambda, push));
    Z = {Q, P, z.s + h * combine(a, rates)};
  }
  return {Z};
}

SchemeMethod method(int order) {
  const HalfExplicitTableau tableau = hem_tableau(order);
  const std::string name = fmt::format("hem{}", order);
  return {.facts = {.name = name,
                    .kind = MethodKind::constrained,
                    .description = fmt::format("half-explicit Runge-Kutta method with {} stages", tableau.size()),
                    .order = order,
                    .keeps_position = true,
                    .keeps_momentum = true,
                    .formulations = {"direct"},
                    .applies_to = "every system but those with forces or states that depend on multipliers",
                    .reference = "brasey-hairer93"},
          .write = [tableau](const Writer& w, const PhaseSums& z, Num h,
                             const Remembered&) { return write(tableau, w, z, h); },
          .refusal = [](const Structure& system) -> std::string {
            if (!system.uses_multipliers) return {};
            return "half-explicit methods do not take forces or states that depend on multipliers: use rattle or "
                   "lobatto:3";
          }};
}

}  // namespace

SchemeFamily hem(int order) { return plain_family(method(order)); }

}  // namespace cotangent
