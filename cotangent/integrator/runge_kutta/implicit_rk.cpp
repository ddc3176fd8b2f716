#include "cotangent/integrator/runge_kutta/implicit_rk.hpp"

#include <algorithm>

#include "cotangent/solve/direct/pivoted_lu.hpp"

namespace cotangent {
namespace {

using namespace scheme;
using Vecs = std::vector<Vec>;

// w with w'a = b'; nothing if a is singular.
std::vector<Quad> weights_of_stages(const ImplicitTableau& tableau) {
  std::vector<Quad> a, w = tableau.b, work;
  for (const auto& row : tableau.a) a.insert(a.end(), row.begin(), row.end());
  PivotedLu<Quad> lu(w.size());
  if (!lu.factor(a)) return {};
  lu.solve_transposed(w.data(), work);
  return w;
}

// sum_j (L_j(1 + c_i h / last_h) - L_j(1)) Z_j for the polynomials L_j that are 1 at c_j and 0 at 0 and at the other
// nodes.
Vec continued(const std::vector<Quad>& c, std::size_t i, const Remembered& before, const Vecs& Z) {
  const auto is_node = [&](std::size_t j) {
    return c[j] != 0 && std::find(c.begin(), c.end(), c[j]) == c.begin() + static_cast<std::ptrdiff_t>(j);
  };
  const Num ratio = before.continuation();
  std::vector<Num> weights;
  Vecs nodes;
  for (std::size_t j = 0; j < c.size(); ++j) {
    if (!is_node(j)) continue;
    Num ahead = (1 + c[i] * ratio) / c[j];
    Quad here = 1 / c[j];
    for (std::size_t k = 0; k < c.size(); ++k) {
      if (k == j || !is_node(k)) continue;
      ahead = ahead * ((1 - c[k] + c[i] * ratio) / (c[j] - c[k]));
      here *= (1 - c[k]) / (c[j] - c[k]);
    }
    weights.push_back(ahead - here);
    nodes.push_back(Z[j]);
  }
  return combine(weights, nodes);
}

Step write(const ImplicitTableau& tableau, const std::vector<Quad>& weights, const Writer& w, const PhaseSums& z, Num h,
           const Remembered& before) {
  const std::size_t s = tableau.b.size(), n = w.system.n, own = w.system.own_states, size = 2 * n + own;
  const auto own_part = [&](Vec x) { return own == x.size() ? x : own == 0 ? w.zeros(0) : part(x, 0, own); };
  const Vec begin = join({z.q.value, z.p.value, own_part(z.s.value)});
  const Vec last = before.guess("Z", s * size);
  Vecs old, Z(s), f(s), moved(s);
  for (std::size_t i = 0; i < s; ++i) old.push_back(part(last, i * size, size));

  const auto rate = [&](std::size_t i) {
    f[i] = w.field(begin + Z[i], w.time(tableau.c[i]));
    moved[i] = part(f[i], 0, size);
  };
  // h sum_j a_ij f_j of the stages so far
  const auto sum = [&](std::size_t i, std::size_t stages) {
    const auto count = static_cast<std::ptrdiff_t>(stages);
    if (stages == 0) return w.zeros(size);
    return h * combine_exactly({tableau.a[i].begin(), tableau.a[i].begin() + count},
                               {moved.begin(), moved.begin() + count});
  };
  const auto depends = [&](std::size_t i, std::size_t j) { return tableau.a[i][j] != 0; };
  std::vector<Num> is_stiff;
  for (std::size_t first = 0; first < s;) {
    // A block ends where no stage so far depends on a later one.
    std::size_t end = first + 1;
    for (std::size_t i = first; i < end; ++i)
      for (std::size_t j = end; j < s; ++j)
        if (depends(i, j)) end = j + 1;
    if (end == first + 1 && !depends(first, first)) {
      Z[first] = sum(first, first);
      rate(first);
    } else {
      Vecs guess;
      for (std::size_t i = first; i < end; ++i) guess.push_back(continued(tableau.c, i, before, old));
      const Vec solution = w.solve({.guess = join(guess),
                                    .F =
                                        [&](Vec x) {
                                          std::vector<Rows> equations;
                                          for (std::size_t i = first; i < end; ++i) {
                                            Z[i] = part(x, (i - first) * size, size);
                                            rate(i);
                                          }
                                          for (std::size_t i = first; i < end; ++i)
                                            equations.push_back(rows(Z[i] - sum(i, end)));
                                          return join(equations);
                                        },
                                    .kinds = {{n, z.q}, {n, z.p}, {own, own_part(z.s.value)}}});
      is_stiff.push_back(w.was_stiff(solution));
    }
    first = end;
  }

  const Vec by_rates = h * combine_exactly(tableau.b, f);
  Vec change = part(by_rates, 0, size);
  if (!weights.empty())
    for (const Num& here : is_stiff) change = choose(here, combine_exactly(weights, Z), change);
  const Vec states = own == w.system.states ? own == 0 ? w.zeros(0) : part(change, 2 * n, own)
                     : own == 0 ? part(by_rates, size, w.system.states)
                                : join({part(change, 2 * n, own), part(by_rates, size, w.system.states - own)});
  return {{z.q + part(change, 0, n), z.p + part(change, n, n), z.s + states}, {{"Z", join(Z)}}};
}

}  // namespace

WriteStep implicit_runge_kutta(const ImplicitTableau& tableau) {
  return [tableau, weights = weights_of_stages(tableau)](const Writer& w, const PhaseSums& z, Num h,
                                                         const Remembered& before) {
    return write(tableau, weights, w, z, h, before);
  };
}

}  // namespace cotangent
