#include "cotangent/integrator/constrained/lobatto.hpp"

#include <fmt/format.h>

#include <utility>

#include "cotangent/integrator/constrained/stages.hpp"
#include "cotangent/integrator/runge_kutta/implicit_tables.hpp"

namespace cotangent {
namespace {

using namespace scheme;
using Vecs = std::vector<Vec>;

// The coefficients of the pair Lobatto IIIA-IIIB, and what the preconditioner of its equations needs of them.
struct Pair {
  SquareMatrix a, a_hat;          // IIIA and IIIB
  SquareMatrix product, inverse;  // M = (sum_j a_ij â_jk), i = 2 .. s, k = 1 .. s - 1, and M^-1
  std::vector<Quad> b, c;

  explicit Pair(int stages) : a_hat(lobatto_iiib_tableau(stages).a) {
    ImplicitTableau iiia = lobatto_iiia_tableau(stages);
    a = std::move(iiia.a);
    b = std::move(iiia.b);
    c = std::move(iiia.c);
    const std::size_t s = b.size();
    product.assign(s - 1, std::vector<Quad>(s - 1, 0));
    for (std::size_t i = 0; i + 1 < s; ++i)
      for (std::size_t k = 0; k + 1 < s; ++k)
        for (std::size_t j = 0; j < s; ++j) product[i][k] += a[i + 1][j] * a_hat[j][k];
    inverse = inverse_of(product);
  }
};

// What changes the point: v = H_p, f = F - G' lambda and the rates r, with lambda.
enum Rate : std::uint8_t { v, f, r, lambda };

// At each stage, by the polynomials through those of the step before; without one, by what holds at z.
Stages guess(const Pair& pair, const Writer& w, const Here& z, const Remembered& before) {
  const std::size_t s = pair.c.size(), n = w.system.n, m = w.system.m, states = w.system.states;
  const Vec last = before.cached("rates", s * (2 * n + states + m), [&] {
    const Here::Motion motion = z.motion();
    return joined({Vecs(s, z.H_p()), Vecs(s, motion.push.force - z.Gt_times(motion.lambda)),
                   Vecs(s, z.rates(motion.lambda, motion.push)), Vecs(s, motion.lambda)});
  });
  Stages rates = parts(w, last, {{s, n}, {s, n}, {s, states}, {s, m}});
  for (Vecs& each : rates) each = continued(w, before, pair.c, each);
  return rates;
}

Step write(const Pair& pair, const Writer& w, const PhaseSums& z, Num h, const Remembered& before) {
  const std::size_t s = pair.c.size(), last = s - 1, n = w.system.n, m = w.system.m, states = w.system.own_states;
  const auto first = [last](const Vecs& x) { return Vecs(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(last)); };
  const Here begin = w.at(z, w.time(0));
  const Here middle = w.at(z.q.value + h / 2 * begin.H_p(), z.p, w.time(0.5Q));
  const Factor R = w.R(middle);
  Stages k = guess(pair, w, begin, before);
  const auto own = [&](Vec x) { return states == x.size() ? x : states == 0 ? w.zeros(0) : part(x, 0, states); };

  // Unknowns: Q_2 - q .., P_1 - p .., lambda_1 .. lambda_{s-1}, U_1 - u ..
  enum Unknown : std::uint8_t { Q, P, l, U };
  const auto unknowns = [&](Vec x) { return parts(w, x, {{last, n}, {s, n}, {last, m}, {s, states}}); };
  Stages x(4);
  for (std::size_t i = 0; i < s; ++i) {
    if (i > 0) x[Q].push_back(h * combine(pair.a[i], k[v]));
    x[P].push_back(h * combine(pair.a_hat[i], k[f]));
    if (i < last && m > 0) x[l].push_back(R.smallest(k[lambda][i]));
    Vecs r_own;
    for (const Vec& each : k[r]) r_own.push_back(own(each));
    x[U].push_back(h * combine(pair.a_hat[i], r_own));
  }
  const auto stage = [&](std::size_t i) {
    return w.at(i == 0 ? z.q.value : z.q.value + (x[Q][i - 1] + z.q.lost), z.p.value + (x[P][i] + z.p.lost),
                w.time(pair.c[i]), own(z.s.value) + (x[U][i] + own(z.s.lost)));
  };
  w.solve({.guess = joined(x),
           .F =
               [&](Vec all) {
                 x = unknowns(all);
                 for (std::size_t i = 0; i < s; ++i) {
                   const Here at = stage(i);
                   k[v][i] = at.H_p();
                   if (i == last) break;
                   k[lambda][i] = x[l][i];
                   const Here::Push push = at.force(x[l][i]);
                   k[f][i] = push.force - at.Gt_times(x[l][i]);
                   k[r][i] = at.rates(x[l][i], push);
                 }
                 std::vector<Rows> equations[4];
                 for (std::size_t i = 0; i < s; ++i) {
                   if (i > 0) equations[Q].push_back(rows(x[Q][i - 1] - h * combine(pair.a[i], k[v])));
                   equations[P].push_back(rows(x[P][i] - h * combine(pair.a_hat[i], first(k[f]))));
                   if (i > 0 && m > 0) equations[l].push_back(stage(i).g());
                   if (states == 0) continue;
                   Vecs r_own;
                   for (std::size_t j = 0; j < last; ++j) r_own.push_back(own(k[r][j]));
                   equations[U].push_back(rows(x[U][i] - h * combine(pair.a_hat[i], r_own)));
                 }
                 std::vector<Rows> every;
                 for (const auto& each : equations) every.insert(every.end(), each.begin(), each.end());
                 return join(every);
               },
           .correct =
               [&](Vec all) {
                 const Stages e = unknowns(all);  // with g in the place of lambda
                 Stages d(4);
                 Vecs y, g_rows, u, Gu;
                 for (std::size_t i = 1; i < s; ++i)
                   y.push_back(e[Q][i - 1] + h * middle.H_pp_times(combine(pair.a[i], e[P])));
                 if (m > 0)
                   for (std::size_t i = 0; i < last; ++i) g_rows.push_back(middle.G_times(y[i]) - e[l][i]);
                 for (std::size_t i = 0; i < last; ++i) {
                   u.push_back(m == 0 ? w.zeros(0) : R.solve(combine(pair.inverse[i], g_rows)) / h);
                   Gu.push_back(middle.Gt_times(u[i]));
                   d[l].push_back(-(u[i] / h));
                 }
                 for (std::size_t i = 0; i < last; ++i)
                   d[Q].push_back(h * middle.H_pp_times(combine(pair.product[i], Gu)) - y[i]);
                 for (std::size_t i = 0; i < s; ++i) {
                   d[P].push_back(combine(pair.a_hat[i], Gu) - e[P][i]);
                   d[U].push_back(-e[U][i]);
                 }
                 return joined(d);
               },
           .kinds = {{last * n, z.q}, {s * n, z.p}, {last * m}, {s * states, own(z.s.value)}}});

  // The last stage is on the constraints up to rounding errors, which are taken away: with the gradients there, as
  // those of the middle may be far from them where constraints become dependent. The unknown is the change of Q: the
  // multipliers behind it are large in long chains, and so would be tangents of G' times these.
  const Num end = w.time(1), weight = pair.b[last] * h;
  const Vec drift = h * combine(pair.b, k[v]);
  Sum Q_end = z.q + drift, P_end;
  w.solve({.guess = w.zeros(m > 0 ? n : 0),
           .F =
               [&](Vec dq) {
                 if (m > 0) Q_end = z.q + (drift + dq);
                 return w.at(Q_end, {}, end).g();
               },
           .correct =
               [&](Vec e) {
                 const Here there = w.at(Q_end, z.p, end);
                 return -there.H_pp_times(there.Gt_times(w.R(there).solve(e)));
               },
           .failure = StepStatus::position_solve_failed,
           .is_for_values = true});

  const Here at = w.at(Q_end, z.p.value + (x[P][last] + z.p.lost), end, own(z.s.value) + (x[U][last] + own(z.s.lost)));
  Here::Push push;
  k[lambda][last] =
      w.solve({.guess = w.zeros(m),
               .F =
                   [&](Vec u) {
                     push = at.force(u);
                     k[f][last] = push.force - at.Gt_times(u);
                     P_end = z.p + h * combine(pair.b, k[f]);
                     return w.at(Q_end, P_end, end).psi();
                   },
               .correct = [&](Vec e) { return w.R(w.at(Q_end, P_end, end)).solve(e) / weight; },
               .failure = StepStatus::momentum_solve_failed,
               .kinds = w.system.uses_multipliers ? std::vector<Equation::Kind>{{m}} : std::vector<Equation::Kind>{}});
  k[r][last] = at.rates(k[lambda][last], push);
  return {{Q_end, P_end, z.s + h * combine(pair.b, k[r])}, {{"rates", joined(k)}}};
}

SchemeMethod method(const MethodName& name) {
  const int stages = only_integer(name, 2, 6);
  return {.facts = {.name = name.text(),
                    .kind = MethodKind::constrained,
                    .description = fmt::format("Lobatto IIIA-IIIB with {} stages on the constrained equations{}",
                                               stages, stages == 2 ? ", which is rattle" : ""),
                    .order = 2 * stages - 2,
                    .symmetric = true,
                    .symplectic = true,
                    .keeps_position = true,
                    .keeps_momentum = true,
                    .has_solver = true,
                    .formulations = {"direct"},
                    .applies_to = "every system",
                    .reference = "jay96"},
          .write = [pair = Pair(stages)](const Writer& w, const PhaseSums& z, Num h, const Remembered& before) {
            return write(pair, w, z, h, before);
          }};
}

}  // namespace

SchemeFamily lobatto() {
  return {.word = "lobatto",
          .pattern = "lobatto:2..6",
          .members = {"lobatto:3"},
          .method = method,
          .order = "2..10",
          .description = "Lobatto IIIA-IIIB with S stages on the constrained equations"};
}

}  // namespace cotangent
