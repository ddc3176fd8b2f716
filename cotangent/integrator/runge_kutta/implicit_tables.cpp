#include "cotangent/integrator/runge_kutta/implicit_tables.hpp"

#include <utility>

namespace cotangent {
namespace {

// The Legendre polynomial P_s on [-1, 1] and its derivative.
struct Legendre1 {
  Quad value, slope;
};
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

// The zeros of f in (-1, 1), moved to (0, 1), in ascending order: they are simple and `count` in number, for a
// polynomial of a degree near that. Neighbours are further apart than 1 / s^2; bisection does not mind how the
// polynomial is computed.
template <class Function>
std::vector<Quad> zeros(const Function& f, int count) {
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

// int_0^end l_j of the Lagrange polynomial l_j of the nodes c, by a quadrature that is exact for l_j; coefficients of
// its powers would cancel each other.
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

// That is exact for polynomials of a degree less than `degrees`.
std::vector<QuadratureNode> quadrature_for(std::size_t degrees) {
  return quadrature(static_cast<int>(degrees + 1) / 2);
}

// Collocation at the nodes c: a_ij = int_0^{c_i} l_j, b_j = int_0^1 l_j.
ImplicitTableau collocation_tableau(std::vector<Quad> c) {
  ImplicitTableau tableau;
  const std::vector<QuadratureNode> nodes = quadrature_for(c.size());
  tableau.c = std::move(c);
  for (std::size_t j = 0; j < tableau.c.size(); ++j) tableau.b.push_back(integral(nodes, tableau.c, j, 1));
  for (const Quad c_i : tableau.c) {
    tableau.a.emplace_back();
    for (std::size_t j = 0; j < tableau.c.size(); ++j) tableau.a.back().push_back(integral(nodes, tableau.c, j, c_i));
  }
  return tableau;
}

}  // namespace

ImplicitTableau gauss_tableau(int stages) {
  return collocation_tableau(zeros([&](Quad x) { return legendre_polynomial(stages, x).value; }, stages));
}

ImplicitTableau radau_tableau(int stages) {
  auto nodes =
      zeros([&](Quad x) { return legendre_polynomial(stages, x).value - legendre_polynomial(stages - 1, x).value; },
            stages - 1);
  nodes.push_back(1);
  return collocation_tableau(std::move(nodes));
}

std::vector<Quad> lobatto_nodes(int stages) {
  std::vector<Quad> c = zeros([&](Quad x) { return legendre_polynomial(stages - 1, x).slope; }, stages - 2);
  c.insert(c.begin(), 0);
  c.push_back(1);
  return c;
}

ImplicitTableau lobatto_iiia_tableau(int stages) {
  ImplicitTableau tableau = collocation_tableau(lobatto_nodes(stages));
  tableau.a.back() = tableau.b;
  return tableau;
}

ImplicitTableau lobatto_iiib_tableau(int stages) {
  ImplicitTableau tableau = lobatto_iiia_tableau(stages);
  const auto a = tableau.a;
  const auto& b = tableau.b;
  const std::size_t last = b.size() - 1;
  for (std::size_t i = 0; i <= last; ++i) {
    for (std::size_t j = 0; j <= last; ++j) tableau.a[i][j] = b[j] - b[j] * a[j][i] / b[i];
    tableau.a[i][last] = 0;  // b_i - b_i, but for rounding
  }
  return tableau;
}

ImplicitTableau lobatto_iiic_tableau(int stages) {
  ImplicitTableau tableau = lobatto_iiia_tableau(stages);
  const std::vector<Quad> others(tableau.c.begin() + 1, tableau.c.end());
  const std::vector<QuadratureNode> nodes = quadrature_for(others.size());
  const Quad b_1 = tableau.b.front();
  for (std::size_t i = 0; i < tableau.c.size(); ++i) {
    tableau.a[i][0] = b_1;
    for (std::size_t j = 1; j < tableau.c.size(); ++j) {
      Quad at_0 = 1;
      for (std::size_t k = 0; k < others.size(); ++k)
        if (k != j - 1) at_0 *= -others[k] / (others[j - 1] - others[k]);
      tableau.a[i][j] = integral(nodes, others, j - 1, tableau.c[i]) - b_1 * at_0;
    }
  }
  tableau.a.back() = tableau.b;
  return tableau;
}

ImplicitTableau sdirk4_tableau() {
  const Quad one = 1;
  const Quad gamma = one / 4;
  std::vector<std::vector<Quad>> a = {
      {gamma, 0, 0, 0, 0},
      {one / 2, gamma, 0, 0, 0},
      {17 * one / 50, -one / 25, gamma, 0, 0},
      {371 * one / 1360, -137 * one / 2720, 15 * one / 544, gamma, 0},
      {25 * one / 24, -49 * one / 48, 125 * one / 16, -85 * one / 12, gamma},
  };
  std::vector<Quad> b = a.back();
  return {.a = std::move(a), .b = std::move(b), .c = {gamma, 3 * one / 4, 11 * one / 20, one / 2, one}};
}

GaussLobattoTableau gauss_lobatto_tableau(int stages) {
  ImplicitTableau lobatto = lobatto_iiia_tableau(stages + 1);
  GaussLobattoTableau t{.gauss = gauss_tableau(stages),
                        .a_bar = {},
                        .a_hat = {},
                        .b_hat = std::move(lobatto.b),
                        .c_hat = std::move(lobatto.c)};
  const auto& [a, b, c] = t.gauss;
  const std::vector<QuadratureNode> nodes = quadrature_for(c.size());
  for (const Quad c_k : t.c_hat) {
    t.a_bar.emplace_back();
    for (std::size_t j = 0; j < c.size(); ++j) t.a_bar.back().push_back(integral(nodes, c, j, c_k));
  }
  t.a_bar.back() = b;
  for (std::size_t i = 0; i < c.size(); ++i) {
    t.a_hat.emplace_back();
    for (std::size_t k = 0; k < t.c_hat.size(); ++k)
      t.a_hat.back().push_back(t.b_hat[k] - t.b_hat[k] * t.a_bar[k][i] / b[i]);
    t.a_hat.back().back() = 0;  // b̂_s - b̂_s, but for rounding
  }
  return t;
}

ImplicitTableau kahan_tableau() {
  const Quad half = static_cast<Quad>(0.5);
  return {.a = {{0, 0, 0}, {-half / 2, 1, -half / 2}, {-half, 2, -half}}, .b = {-half, 2, -half}, .c = {0, half, 1}};
}

ImplicitTableau average_field_tableau(int nodes) {
  ImplicitTableau tableau = gauss_tableau(nodes);
  for (std::size_t i = 0; i < tableau.c.size(); ++i)
    for (std::size_t j = 0; j < tableau.c.size(); ++j) tableau.a[i][j] = tableau.c[i] * tableau.b[j];
  return tableau;
}

}  // namespace cotangent
