#include "cotangent/integrator/constrained/constrained_gauss.hpp"

#include "cotangent/integrator/constrained/momentum_kick.hpp"
#include "cotangent/integrator/constrained/stages.hpp"
#include "cotangent/integrator/runge_kutta/implicit_tables.hpp"

namespace cotangent {
namespace {

using namespace scheme;
using Vecs = std::vector<Vec>;

// The coefficients, and what is made of them.
struct Coefficients {
  GaussLobattoTableau of;
  SquareMatrix inverse;              // M^-1
  std::vector<std::vector<Quad>> L;  // L_ik: the polynomials through the nodes of Lobatto, at c_i

  explicit Coefficients(int stages) : of(gauss_lobatto_tableau(stages)) {
    const std::size_t s = of.gauss.b.size();
    SquareMatrix M(s, std::vector<Quad>(s, 0));
    for (std::size_t i = 0; i < s; ++i)
      for (std::size_t k = 0; k < s; ++k)
        for (std::size_t j = 0; j < s; ++j) M[i][k] += of.a_bar[i + 1][j] * of.a_hat[j][k];
    inverse = inverse_of(M);
    const auto& c = of.c_hat;
    for (const Quad c_i : of.gauss.c) {
      L.emplace_back(c.size(), 1);
      for (std::size_t k = 0; k < c.size(); ++k)
        for (std::size_t j = 0; j < c.size(); ++j)
          if (j != k) L.back()[k] *= (c_i - c[j]) / (c[k] - c[j]);
    }
  }
};

// What changes the point: v = H_p, F and the rates r of the states at the nodes of Gauss; lambda at those of Lobatto.
enum Rate : std::uint8_t { v, F, r, lambda };

Step write(const Coefficients& method, const Writer& w, const PhaseSums& z, Num h, const Remembered& before) {
  const auto& [gauss, a_bar, a_hat, b_hat, c_hat] = method.of;
  const auto& [a, b, c] = gauss;
  const std::size_t s = b.size(), n = w.system.n, m = w.system.m, states = w.system.own_states;
  const bool has_work = w.system.states > states, is_joint = w.system.uses_multipliers;
  const std::size_t multipliers = is_joint ? s + 1 : s;
  const auto own = [&](Vec x) { return states == x.size() ? x : states == 0 ? w.zeros(0) : part(x, 0, states); };
  const Here begin = w.at(z, w.time(0));
  const Here middle = w.at(z.q.value + h / 2 * begin.H_p(), z.p, w.time(0.5Q));
  const Factor R = w.R(middle);

  Stages rate = parts(w,
                      before.cached("rates", s * (2 * n + states) + (s + 1) * m,
                                    [&] {
                                      const auto [push, l] = begin.motion();
                                      return joined({Vecs(s, begin.H_p()), Vecs(s, push.force),
                                                     Vecs(s, own(begin.rates(l, push))), Vecs(s + 1, l)});
                                    }),
                      {{s, n}, {s, n}, {s, states}, {s + 1, m}});
  for (const Rate k : {v, F, r, lambda}) rate[k] = continued(w, before, k == lambda ? c_hat : c, rate[k]);
  rate[lambda].resize(multipliers);
  for (Vec& each : rate[lambda]) each = R.smallest(each);

  // Q̂_k, and G(Q̂_k)' lambda_k as far as multipliers are known.
  const auto node = [&](std::size_t k) {
    return w.at(k == 0 ? z.q.value : z.q.value + (h * combine_exactly(a_bar[k], rate[v]) + z.q.lost), {},
                w.time(c_hat[k]));
  };
  const auto impulses = [&] {
    Vecs all;
    for (std::size_t k = 0; k < rate[lambda].size(); ++k) all.push_back(node(k).Gt_times(rate[lambda][k]));
    return all;
  };
  const auto kick = [&](const std::vector<Quad>& of_forces, const std::vector<Quad>& of_impulses, const Vecs& Gt) {
    return h * combine_exactly(of_forces, rate[F]) - h * combine_exactly(of_impulses, Gt);
  };

  // Unknowns: Q_i - q, P_i - p, lambda_k, U_i - u.
  enum Unknown : std::uint8_t { Q, P, l, U };
  const auto unknowns = [&](Vec x) { return parts(w, x, {{s, n}, {s, n}, {multipliers, m}, {s, states}}); };
  // What the stages are by their equations.
  const auto changes = [&] {
    Stages x(4);
    const Vecs Gt = impulses();
    for (std::size_t i = 0; i < s; ++i) {
      x[Q].push_back(h * combine_exactly(a[i], rate[v]));
      x[P].push_back(kick(a[i], a_hat[i], Gt));
      x[U].push_back(h * combine_exactly(a[i], rate[r]));
    }
    x[l] = rate[lambda];
    return x;
  };

  Vecs rates(s);  // of the states, with the work
  w.solve({.guess = joined(changes()),
           .F =
               [&](Vec all) {
                 const Stages x = unknowns(all);
                 rate[lambda] = x[l];
                 for (std::size_t i = 0; i < s; ++i) {
                   const Here at = w.at(z.q.value + (x[Q][i] + z.q.lost), z.p.value + (x[P][i] + z.p.lost),
                                        w.time(c[i]), own(z.s.value) + (x[U][i] + own(z.s.lost)));
                   const Vec multiplier = is_joint ? combine(method.L[i], x[l]) : Vec{};
                   const Here::Push push = at.force(multiplier);
                   rate[v][i] = at.H_p();
                   rate[F][i] = push.force;
                   rates[i] = at.rates(multiplier, push);
                   rate[r][i] = own(rates[i]);
                 }
                 const Stages y = changes();
                 std::vector<Rows> equations;
                 for (const Unknown k : {Q, P})
                   for (std::size_t i = 0; i < s; ++i) equations.push_back(rows(x[k][i] - y[k][i]));
                 for (std::size_t k = 1; k <= s; ++k) equations.push_back(node(k).g());
                 if (is_joint) {
                   const Sum P_end = z.p + kick(b, b_hat, impulses());
                   equations.push_back(w.at(z.q + h * combine_exactly(b, rate[v]), P_end, w.time(1)).psi());
                 }
                 for (std::size_t i = 0; i < s && states > 0; ++i) equations.push_back(rows(x[U][i] - y[U][i]));
                 return join(equations);
               },
           .correct =
               [&](Vec all) {
                 const Stages e = unknowns(all);  // with g, and psi after it, in the place of lambda
                 Stages d(4);
                 Vecs g_rows, Gu;
                 for (std::size_t k = 1; k <= s; ++k)
                   g_rows.push_back(middle.G_times(h * middle.H_pp_times(combine(a_bar[k], e[P]))) - e[l][k - 1]);
                 for (std::size_t k = 0; k < s; ++k) {
                   const Vec u = R.solve(combine(method.inverse[k], g_rows)) / h;
                   Gu.push_back(middle.Gt_times(u));
                   d[l].push_back(-(u / h));
                 }
                 if (is_joint) d[l].push_back((1 / b_hat[s]) * (R.solve(e[l][s]) / h - combine(b_hat, d[l])));
                 Vecs dP;
                 for (std::size_t i = 0; i < s; ++i) {
                   dP.push_back(combine(a_hat[i], Gu) - e[P][i]);
                   d[U].push_back(-e[U][i]);
                 }
                 for (std::size_t i = 0; i < s; ++i) d[Q].push_back(h * middle.H_pp_times(combine(a[i], dP)) - e[Q][i]);
                 d[P] = dP;
                 return joined(d);
               },
           .kinds = {{s * n, z.q}, {s * n, z.p}, {multipliers * m}, {s * states, own(z.s.value)}}});

  // The last node is on the constraints up to rounding errors, which are taken away: with the gradients there, as those
  // of the middle may be far from them where constraints become dependent.
  const Vec drift = h * combine_exactly(b, rate[v]);
  Sum Q_end;
  w.solve({.guess = w.zeros(n),
           .F =
               [&](Vec dq) {
                 Q_end = z.q + (drift + dq);
                 return w.at(Q_end, {}, w.time(1)).g();
               },
           .correct =
               [&](Vec e) {
                 const Here there = w.at(Q_end, z.p, w.time(1));
                 return -there.H_pp_times(there.Gt_times(w.R(there).solve(e)));
               },
           .failure = StepStatus::position_solve_failed,
           .is_for_values = true});

  rate[lambda].resize(s);
  const MomentumKick end = momentum_kick(w, Q_end, z.p, kick(b, b_hat, impulses()), w.time(1));
  rate[lambda].push_back(end.m / (b_hat[s] * h));
  Vec change = h * combine_exactly(b, rates);
  if (has_work && !is_joint && !w.system.is_autonomous) {
    Vecs power;
    for (std::size_t k = 0; k <= s; ++k) power.push_back(node(k).g_t_times(rate[lambda][k]));
    const Vec work = h * combine_exactly(b_hat, power);
    change = change + (states == 0 ? work : join({w.zeros(states), work}));
  }
  return {{Q_end, end.P, z.s + change}, {{"rates", joined(rate)}}};
}

}  // namespace

WriteStep constrained_gauss(int stages) {
  return [method = Coefficients(stages)](const Writer& w, const PhaseSums& z, Num h, const Remembered& before) {
    return write(method, w, z, h, before);
  };
}

}  // namespace cotangent
