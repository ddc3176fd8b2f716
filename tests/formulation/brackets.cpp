#include "tests/formulation/brackets.hpp"

#include <algorithm>
#include <array>

#include "tests/support/instance.hpp"

namespace cotangent::test {
namespace {

Tangent unit(std::size_t n, std::size_t k) {
  Tangent e{Vector(n, 0), Vector(n, 0)};
  (k < n ? e.q[k] : e.p[k - n]) = 1;
  return e;
}

Matrix columns_q(const Matrix& a) {
  Matrix left;
  for (const auto& row : a) left.push_back(halves(row).q);
  return left;
}

Matrix columns_p(const Matrix& a) {
  Matrix right;
  for (const auto& row : a) right.push_back(halves(row).p);
  return right;
}

}  // namespace

Halves halves(const Vector& z) {
  const auto middle = z.begin() + static_cast<std::ptrdiff_t>(z.size() / 2);
  return {Vector(z.begin(), middle), Vector(middle, z.end())};
}

Vector joined(const Vector& q, const Vector& p) {
  Vector z = q;
  z.insert(z.end(), p.begin(), p.end());
  return z;
}

Vector gradient_of_H(const Model& model, const Vector& z) {
  const auto [q, p] = halves(z);
  return joined(dense_H_q(model, q, p), dense_H_p(model, q, p));
}

Vector chi(const Model& model, const Vector& z) {
  const auto [q, p] = halves(z);
  Vector g;
  for (const Jet& row : constraint_jets(model, q, {})) g.push_back(row.c[0]);
  return joined(g, product(dense_G(model, q), dense_H_p(model, q, p)));
}

// psi' [e] = g''[v, e_q] + G (H_p)'[e].
Matrix gradients_of_chi(const Model& model, const Vector& z) {
  const auto [q, p] = halves(z);
  const std::size_t n = q.size();
  const Matrix G = dense_G(model, q);
  const Tangent v{dense_H_p(model, q, p), {}};
  Matrix columns;
  for (std::size_t k = 0; k < 2 * n; ++k) {
    const Tangent e = unit(n, k);
    Vector dv;
    for (std::size_t j = 0; j < n; ++j) {
      const std::array<Tangent, 2> directions{unit(n, n + j), e};
      dv.push_back(evaluate_jet(model, model.energy, q, p, directions).c[3]);
    }
    const std::array<Tangent, 2> directions{v, e};
    const auto rows = constraint_jets(model, q, directions);
    Vector column;
    for (const Jet& row : rows) column.push_back(row.c[2]);
    const Vector G_dv = product(G, dv);
    for (std::size_t r = 0; r < rows.size(); ++r) column.push_back(rows[r].c[3] + G_dv[r]);
    columns.push_back(column);
  }
  return transposed(columns);
}

Matrix bracket(const Matrix& a, const Matrix& b) {
  return sum(product(columns_q(a), transposed(columns_p(b))), product(columns_p(a), transposed(columns_q(b))), -1);
}

Brackets brackets(const Model& model, const Vector& z) {
  const Matrix C = gradients_of_chi(model, z);
  const auto middle = C.begin() + static_cast<std::ptrdiff_t>(C.size() / 2);
  const Matrix g(C.begin(), middle), psi(middle, C.end());
  Brackets found{.R = bracket(g, psi), .S = bracket(psi, psi), .b = {}, .mu0 = {}};
  for (const auto& row : bracket(psi, {gradient_of_H(model, z)})) found.b.push_back(row[0]);
  found.mu0 = solve(found.R, found.b);
  return found;
}

Matrix brackets_with_mu0(const Model& model, const Vector& z) {
  const auto mu0 = [&](const Vector& x) { return brackets(model, x).mu0; };
  Matrix columns;
  for (const auto& unit_vector : identity(z.size())) columns.push_back(central_difference(mu0, z, unit_vector));
  return bracket(gradients_of_chi(model, z), transposed(columns));
}

Matrix inverse(const Matrix& a) {
  Matrix columns;
  for (const auto& unit_vector : identity(a.size())) columns.push_back(solve(a, unit_vector));
  return transposed(columns);
}

Matrix sum(const Matrix& a, const Matrix& b, Quad factor) {
  Matrix c = a;
  for (std::size_t i = 0; i < c.size(); ++i)
    for (std::size_t j = 0; j < c[i].size(); ++j) c[i][j] += factor * b[i][j];
  return c;
}

Matrix identity(std::size_t n, Quad value) {
  Matrix a(n, Vector(n, 0));
  for (std::size_t i = 0; i < n; ++i) a[i][i] = value;
  return a;
}

Quad distance(const Matrix& a, const Matrix& b) {
  Quad largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, distance(a[i], b[i]));
  return largest;
}

Matrix blocks(const Matrix& a, const Matrix& b, const Matrix& c, const Matrix& d) {
  Matrix result;
  for (std::size_t i = 0; i < a.size(); ++i) result.push_back(joined(a[i], b[i]));
  for (std::size_t i = 0; i < c.size(); ++i) result.push_back(joined(c[i], d[i]));
  return result;
}

Vector moved(Vector z, const Vector& direction, Quad e) {
  for (std::size_t k = 0; k < z.size(); ++k) z[k] += e * direction[k];
  return z;
}

}  // namespace cotangent::test
