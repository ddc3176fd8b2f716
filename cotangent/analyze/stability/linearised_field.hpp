#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cotangent/analyze/dense/matrix.hpp"
#include "cotangent/base/dual.hpp"
#include "cotangent/formulation/formulation.hpp"
#include "cotangent/manifold/hidden_constraint.hpp"

namespace cotangent {

/// The equations x' = f(x) of a formulation near a point of the constraint manifold. x are its variables, q and p as a
/// rule, and the states of the model; the residuals r(x) are those of g and psi that it does not keep by construction.
///
/// The manifold r = 0 is invariant: the rates h(x) = r'(x) f(x) of the residuals vanish on it. So they are, to first
/// order, a linear function of the residuals alone,
///
///   r' = A r + O(r^2),   A = h'(x) Y,   Y any right inverse of r'(x),
///
/// because h'(x) vanishes along the manifold. f'(x), r'(x) and h'(x) are derivatives along unit vectors, exact up to
/// rounding: f and h are evaluated over dual numbers.
///
/// References: [leimkuhler-reich94, sections 3.5 and 3.6]; [seiler99, section 8].
class LinearisedField {
 public:
  /// @param nullity, redundant as settle_redundancy() says: constraints that follow from others are no residuals.
  /// @throws std::invalid_argument if the formulation cannot take the system: why not.
  LinearisedField(std::shared_ptr<const CompiledModel> model, const std::string& formulation,
                  const FormulationOptions& options, const std::vector<std::int64_t>& redundant);

  const FormulationFacts& facts() const { return formulation_->facts(); }

  struct Derivatives {
    Matrix field;           ///< f'(x)
    Matrix gradients;       ///< r'(x)
    Matrix residuals;       ///< A
    std::vector<double> f;  ///< f(x)
  };
  /// @param z a point of the manifold. Nothing if there is no field there.
  std::optional<Derivatives> at(const PhasePoint<double>& z);

  /// h(x) anywhere, of a formulation in q and p. Nothing if there is no field there.
  std::optional<std::vector<double>> residual_rates(const PhasePoint<double>& z);

 private:
  using Numbers = std::vector<Tangents>;

  bool enter(const PhasePoint<double>& z);
  bool evaluate();
  void residuals(Numbers& values, Numbers& rates);

  System<Tangents> system_;
  Manifold<Tangents> manifold_;
  std::unique_ptr<Formulation<Tangents>> formulation_;
  HiddenConstraint<Tangents> hidden_;
  std::vector<std::size_t> rows_;  // that count
  PhasePoint<Tangents> x_, x_dot_;
  Numbers values_, rates_, g_, g_dot_, work_;
};

}  // namespace cotangent
