#pragma once

#include <memory>
#include <vector>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/integrator/field_integrator.hpp"
#include "cotangent/manifold/manifold.hpp"
#include "cotangent/solve/fixed_point.hpp"
#include "cotangent/system/evaluation_errors.hpp"

namespace cotangent {

/// Gonzalez' midpoint discrete gradient on a Hamiltonian formulation x' = f(x) = J K'(x), with K(x) = H(q, p):
///
///   X = x + D,   D = h (f(m) + c J D),   m = x + D / 2,   c = (K(X) - K(x) - K'(m).D) / |D|^2
///
/// so that K(X) = K(x), to rounding. Symmetric and of order two.
///
/// Reference: [gonzalez96].
template <class T>
class DiscreteGradient final : public FieldIntegrator<T> {
 public:
  static MethodFacts sheet();

  /// @param manifold must outlive the integrator.
  /// @throws std::invalid_argument where H is not conserved.
  DiscreteGradient(Manifold<T>& manifold, std::unique_ptr<Formulation<T>> formulation, FixedPointSolver solver);

 private:
  [[nodiscard]] StepReport<T> step_variables(PhasePoint<T>& x, LaneOf<T> h, const Memory<T>& before,
                                             Memory<T>& after) override;
  void forget(const Mask<T>& lanes, Memory<T>& memory) const override {
    for (T& known : memory.numbers[1]) known = select(lanes, T(0), known);
  }
  [[nodiscard]] Mask<T> energy(const T* x, T& K);
  T error_inside_energy();

  System<T>& system_;
  EvaluationErrors<T> inside_H_;
  const T *q_ = nullptr, *p_ = nullptr;  // where energy() has been
  FixedPointSolver solver_kind_;
  std::unique_ptr<FixedPoint<T>> solver_;
  std::size_t n_ = 0;
  std::vector<T> point_, rate_;  // of one of m and X, and f(m)
  std::vector<T> v_;
  OwnVariables<T> own_;
  PhasePoint<T> physical_;
};

COTANGENT_DECLARE(NUMBERS, DiscreteGradient);

}  // namespace cotangent
