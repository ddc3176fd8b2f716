#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string_view>

#include "cotangent/formulation/formulation.hpp"
#include "tests/formulation/brackets.hpp"
#include "tests/support/instance.hpp"

namespace cotangent::test {

/// The vector field of a formulation on a problem, z -> z', in its two halves of equal size.
class FieldOf {
 public:
  FieldOf(const Problem& problem, std::string_view name, const FormulationOptions& options = {})
      : instance(problem), formulation(find_formulation<Quad>(name).make(instance.manifold, options)) {}

  const Model& model() const { return instance.model; }

  Vector operator()(const Vector& z) {
    const auto [q, p] = halves(z);
    Vector q_dot(q), p_dot(p);
    EXPECT_TRUE(formulation->field({q.data(), p.data(), nullptr, 0}, q_dot.data(), p_dot.data(), nullptr));
    return joined(q_dot, p_dot);
  }

  /// Df, by central differences.
  Matrix derivative(const Vector& z) {
    Matrix columns;
    for (const auto& unit : identity(z.size())) columns.push_back(central_difference(*this, z, unit));
    return transposed(columns);
  }

  /// (g', psi') along the field.
  Vector chi_dot(const Vector& z) { return product(gradients_of_chi(model(), z), (*this)(z)); }

  /// N of chi' = N chi + O(chi^2) at a point of the manifold. Since chi' vanishes on it, N is a function of the point:
  /// any directions that change chi by unit vectors give it.
  Matrix residual_matrix(const Vector& z) {
    const Matrix C = gradients_of_chi(model(), z);
    const Matrix right_inverse = product(transposed(C), inverse(product(C, transposed(C))));
    Matrix columns;
    for (const auto& direction : transposed(right_inverse))
      columns.push_back(central_difference([this](const Vector& x) { return chi_dot(x); }, z, direction));
    return transposed(columns);
  }

  Instance<Quad> instance;
  std::unique_ptr<Formulation<Quad>> formulation;
};

/// A point of the manifold, and one near it that is not.
inline Vector point_on_manifold(const Problem& problem, std::uint64_t seed = 1) {
  const auto z = consistent_point(problem, seed);
  return joined(z.q, z.p);
}
inline Vector point_off_manifold(const Problem& problem, std::uint64_t seed = 1) {
  const auto z = noisy_point(read(problem), seed, 0.05);
  return joined(z.q, z.p);
}

inline double largest_defect(const Matrix& a, const Matrix& b) { return static_cast<double>(distance(a, b)); }
inline double largest_defect(const Vector& a, const Vector& b) { return static_cast<double>(distance(a, b)); }

}  // namespace cotangent::test
