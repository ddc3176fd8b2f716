#include "cotangent/integrator/gauss.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "cotangent/formulation/formulation.hpp"

namespace cotangent {
namespace {

struct ValueAndSlope {
  Quad value, slope;
};

// P_s on [-1, 1], by its recurrence.
ValueAndSlope legendre(int s, Quad x) {
  Quad before = 1, now = x;
  for (int k = 2; k <= s; ++k) {
    const Quad next = ((2 * k - 1) * x * now - (k - 1) * before) / k;
    before = now;
    now = next;
  }
  return {now, s * (x * now - before) / (x * x - 1)};
}

std::vector<Quad> nodes(int s) {
  std::vector<Quad> c;
  for (int i = 0; i < s; ++i) {
    Quad x = static_cast<Quad>(-std::cos(std::numbers::pi * (i + 0.75) / (s + 0.5)));
    for (int k = 0; k < 8; ++k) {
      const auto [value, slope] = legendre(s, x);
      x -= value / slope;
    }
    c.push_back((1 + x) / 2);
  }
  return c;
}

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

MethodFacts gauss_facts(int stages, const std::string& name) {
  return {.name = name,
          .kind = "implicit Runge-Kutta",
          .description = stages == 1 ? "the implicit midpoint rule, Gauss with one stage"
                                     : fmt::format("Gauss collocation with {} stages", stages),
          .order = 2 * stages,
          .symmetric = true,
          .symplectic = true,
          .keeps_quadratic = true,
          .keeps_position = true,
          .keeps_momentum = true,
          .formulations = field_formulations("state-space"),
          .applies_to = "every system; structure is kept under Hamiltonian formulations",
          .reference = "hlw06"};
}

ImplicitTableau gauss_tableau(int stages) {
  ImplicitTableau tableau;
  tableau.c = nodes(stages);
  for (std::size_t j = 0; j < tableau.c.size(); ++j) tableau.b.push_back(integral(lagrange(tableau.c, j), 1));
  for (const Quad c : tableau.c) {
    tableau.a.emplace_back();
    for (std::size_t j = 0; j < tableau.c.size(); ++j) tableau.a.back().push_back(integral(lagrange(tableau.c, j), c));
  }
  return tableau;
}

}  // namespace cotangent
