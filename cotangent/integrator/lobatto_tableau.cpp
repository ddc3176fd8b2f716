#include "cotangent/integrator/lobatto_tableau.hpp"

#include <cmath>
#include <numbers>

#include "cotangent/integrator/collocation.hpp"

namespace cotangent {

std::vector<Quad> lobatto_nodes(int stages) {
  std::vector<Quad> c{0};
  for (int i = 1; i < stages - 1; ++i) {
    Quad x = static_cast<Quad>(-std::cos(std::numbers::pi * i / (stages - 1)));
    for (int k = 0; k < 8; ++k) {
      const auto [value, slope, curvature] = legendre_polynomial(stages - 1, x);
      x -= slope / curvature;
    }
    c.push_back((1 + x) / 2);
  }
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

}  // namespace cotangent
