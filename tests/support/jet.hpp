#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "cotangent/model/model.hpp"

namespace cotangent::test {

/// A number of the algebra with generators e_1, ..., e_K, e_d^2 = 0, K <= 4: component [mask] belongs to the
/// product of the generators in mask. F(x + e_1 a + e_2 b + ...) then has F'' [a, b] as its component e_1
/// e_2, exactly.
///
/// This is the oracle for derivatives: it shares nothing with the symbolic derivatives of the library, and
/// has no truncation error.
struct Jet {
  static constexpr unsigned kMasks = 16;
  std::array<Quad, kMasks> c{};

  Jet() = default;
  Jet(Quad value) { c[0] = value; }  // NOLINT(google-explicit-constructor)
};

/// A vector along which one generator moves (q, p).
struct Tangent {
  std::vector<Quad> q, p;
};

/// The value of e, sums added term by term, at (q, p) moved by sum_d e_d directions[d].
Jet evaluate_jet(const Model& model, Expr e, const std::vector<Quad>& q, const std::vector<Quad>& p,
                 std::span<const Tangent> directions);

/// The same for every row of g.
std::vector<Jet> constraint_jets(const Model& model, const std::vector<Quad>& q, std::span<const Tangent> directions);

/// Dense matrices, row by row, from one jet for each entry of the vectors they are applied to.
using Matrix = std::vector<std::vector<Quad>>;
Matrix dense_G(const Model& model, const std::vector<Quad>& q);
Matrix dense_H_pp(const Model& model, const std::vector<Quad>& q, const std::vector<Quad>& p);
std::vector<Quad> dense_H_q(const Model& model, const std::vector<Quad>& q, const std::vector<Quad>& p);
std::vector<Quad> dense_H_p(const Model& model, const std::vector<Quad>& q, const std::vector<Quad>& p);

Matrix product(const Matrix& a, const Matrix& b);
std::vector<Quad> product(const Matrix& a, const std::vector<Quad>& x);
Matrix transposed(const Matrix& a);

/// By Gaussian elimination with row pivoting.
std::vector<Quad> solve(Matrix a, std::vector<Quad> b);

}  // namespace cotangent::test
