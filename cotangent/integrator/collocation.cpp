#include "cotangent/integrator/collocation.hpp"

namespace cotangent {
namespace {

// The coefficients of l_j, of ascending powers.
std::vector<Quad> lagrange(const std::vector<Quad>& c, std::size_t j) {
  std::vector<Quad> polynomial{1};
  for (std::size_t i = 0; i < c.size(); ++i) {
    if (i == j) continue;
    std::vector<Quad> next(polynomial.size() + 1, 0);
    for (std::size_t k = 0; k < polynomial.size(); ++k) {
      next[k + 1] += polynomial[k] / (c[j] - c[i]);
      next[k] -= polynomial[k] * c[i] / (c[j] - c[i]);
    }
    polynomial = std::move(next);
  }
  return polynomial;
}

Quad integral(const std::vector<Quad>& polynomial, Quad end) {
  Quad sum = 0;
  for (std::size_t k = polynomial.size(); k-- > 0;) sum = (sum + polynomial[k] / static_cast<Quad>(k + 1)) * end;
  return sum;
}

}  // namespace

LegendreValue legendre_polynomial(int s, Quad x) {
  Quad before = 1, now = x;
  for (int k = 2; k <= s; ++k) {
    const Quad next = ((2 * k - 1) * x * now - (k - 1) * before) / k;
    before = now;
    now = next;
  }
  // (1 - x^2) P' = s (P_{s-1} - x P_s),   (1 - x^2) P'' = 2 x P' - s (s + 1) P
  const Quad slope = s * (before - x * now) / (1 - x * x);
  return {now, slope, (2 * x * slope - s * (s + 1) * now) / (1 - x * x)};
}

ImplicitTableau collocation_tableau(std::vector<Quad> c) {
  ImplicitTableau tableau;
  for (std::size_t j = 0; j < c.size(); ++j) tableau.b.push_back(integral(lagrange(c, j), 1));
  for (const Quad end : c) {
    tableau.a.emplace_back();
    for (std::size_t j = 0; j < c.size(); ++j) tableau.a.back().push_back(integral(lagrange(c, j), end));
  }
  tableau.c = std::move(c);
  return tableau;
}

}  // namespace cotangent
