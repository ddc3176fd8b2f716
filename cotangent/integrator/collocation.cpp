#include "cotangent/integrator/collocation.hpp"

#include <utility>

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

}  // namespace

Legendre1 legendre_polynomial(int s, Quad x) {
  Quad before = 0, now = 1, slope_before = 0, slope = 0;
  for (int k = 1; k <= s; ++k) {
    const Quad next = ((2 * k - 1) * x * now - (k - 1) * before) / k;
    const Quad next_slope = ((2 * k - 1) * (now + x * slope) - (k - 1) * slope_before) / k;
    before = std::exchange(now, next);
    slope_before = std::exchange(slope, next_slope);
  }
  return {now, slope};
}

// Neighbouring zeros are further apart than 1 / s^2; bisection does not mind how the polynomial is computed.
std::vector<Quad> zeros(const std::function<Quad(Quad)>& f, int count) {
  std::vector<Quad> found;
  const int cells = 8 * (count + 2) * (count + 2);
  const auto at = [&](int k) { return -1 + (2 * static_cast<Quad>(k) + 1) / (cells + 1); };
  for (int k = 0; k < cells; ++k) {
    Quad low = at(k), high = at(k + 1);
    Quad f_low = f(low);
    if ((f_low > 0) == (f(high) > 0)) continue;
    for (int i = 0; i < 120; ++i) {
      const Quad middle = (low + high) / 2, f_middle = f(middle);
      if ((f_low > 0) == (f_middle > 0)) {
        low = middle;
        f_low = f_middle;
      } else {
        high = middle;
      }
    }
    found.push_back((1 + (low + high) / 2) / 2);
  }
  return found;
}

Quad integral_of_lagrange(const std::vector<Quad>& c, std::size_t j, Quad end) {
  const std::vector<Quad> polynomial = lagrange(c, j);
  Quad sum = 0;
  for (std::size_t k = polynomial.size(); k-- > 0;) sum = (sum + polynomial[k] / static_cast<Quad>(k + 1)) * end;
  return sum;
}

ImplicitTableau collocation_tableau(std::vector<Quad> c) {
  ImplicitTableau tableau;
  tableau.c = std::move(c);
  for (std::size_t j = 0; j < tableau.c.size(); ++j) tableau.b.push_back(integral_of_lagrange(tableau.c, j, 1));
  for (const Quad c_i : tableau.c) {
    tableau.a.emplace_back();
    for (std::size_t j = 0; j < tableau.c.size(); ++j)
      tableau.a.back().push_back(integral_of_lagrange(tableau.c, j, c_i));
  }
  return tableau;
}

}  // namespace cotangent
