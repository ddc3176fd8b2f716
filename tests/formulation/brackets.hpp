#pragma once

#include <vector>

#include "tests/support/jet.hpp"

namespace cotangent::test {

// Poisson brackets as dense matrices, from jets: exact, and by none of the formulas of the library. A point of phase
// space is one vector z = (q, p) here, a gradient is a row of length 2 n.

using Vector = std::vector<Quad>;

struct Halves {
  Vector q, p;
};
Halves halves(const Vector& z);
Vector joined(const Vector& q, const Vector& p);

Vector gradient_of_H(const Model& model, const Vector& z);

/// chi = (g, psi), psi = {g, H} = G H_p, and its gradients.
Vector chi(const Model& model, const Vector& z);
Matrix gradients_of_chi(const Model& model, const Vector& z);

/// a_q b_p' - a_p b_q'.
Matrix bracket(const Matrix& a, const Matrix& b);

/// What the brackets of g, psi and H are called: R = {g, psi}, S = {psi, psi}, b = {psi, H}, mu0 = R^-1 b.
struct Brackets {
  Matrix R, S;
  Vector b, mu0;
};
Brackets brackets(const Model& model, const Vector& z);

/// {g, mu0} over {psi, mu0}, where mu0 is differentiated by central differences in Quad: good to about 1e-20.
Matrix brackets_with_mu0(const Model& model, const Vector& z);

Matrix inverse(const Matrix& a);
Matrix sum(const Matrix& a, const Matrix& b, Quad factor = 1);
Matrix identity(std::size_t n, Quad value = 1);
Quad distance(const Matrix& a, const Matrix& b);

/// [[a, b], [c, d]].
Matrix blocks(const Matrix& a, const Matrix& b, const Matrix& c, const Matrix& d);

/// z + e direction.
Vector moved(Vector z, const Vector& direction, Quad e);

/// The derivative of f(z) along a direction, with an error of about e^2 = 1e-22 times constants.
template <class Function>
Vector central_difference(Function&& f, const Vector& z, const Vector& direction) {
  const auto e = static_cast<Quad>(1e-11);
  Vector rate = f(moved(z, direction, e));
  const Vector behind = f(moved(z, direction, -e));
  for (std::size_t k = 0; k < rate.size(); ++k) rate[k] = (rate[k] - behind[k]) / (2 * e);
  return rate;
}

}  // namespace cotangent::test
