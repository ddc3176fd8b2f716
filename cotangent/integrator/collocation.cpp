#include "cotangent/integrator/collocation.hpp"

#include <utility>

namespace cotangent {
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

namespace {

struct QuadratureNode {
  Quad x, weight;
};

// Gauss quadrature on [0, 1].
std::vector<QuadratureNode> quadrature(int count) {
  std::vector<QuadratureNode> nodes;
  for (const Quad x : zeros([&](Quad y) { return legendre_polynomial(count, y).value; }, count)) {
    const Quad y = 2 * x - 1, slope = legendre_polynomial(count, y).slope;
    nodes.push_back({x, 1 / ((1 - y * y) * slope * slope)});
  }
  return nodes;
}

// By a quadrature that is exact for l_j; coefficients of its powers would cancel each other.
Quad integral(const std::vector<QuadratureNode>& nodes, const std::vector<Quad>& c, std::size_t j, Quad end) {
  Quad sum = 0;
  for (const auto& [x, weight] : nodes) {
    Quad l_j = weight;
    for (std::size_t k = 0; k < c.size(); ++k)
      if (k != j) l_j *= (end * x - c[k]) / (c[j] - c[k]);
    sum += l_j;
  }
  return sum * end;
}

int nodes_for(const std::vector<Quad>& c) { return static_cast<int>(c.size() + 1) / 2; }

}  // namespace

Quad integral_of_lagrange(const std::vector<Quad>& c, std::size_t j, Quad end) {
  return integral(quadrature(nodes_for(c)), c, j, end);
}

ImplicitTableau collocation_tableau(std::vector<Quad> c) {
  ImplicitTableau tableau;
  const std::vector<QuadratureNode> nodes = quadrature(nodes_for(c));
  tableau.c = std::move(c);
  for (std::size_t j = 0; j < tableau.c.size(); ++j) tableau.b.push_back(integral(nodes, tableau.c, j, 1));
  for (const Quad c_i : tableau.c) {
    tableau.a.emplace_back();
    for (std::size_t j = 0; j < tableau.c.size(); ++j) tableau.a.back().push_back(integral(nodes, tableau.c, j, c_i));
  }
  return tableau;
}

}  // namespace cotangent
