#pragma once

#include <array>
#include <memory>
#include <vector>

#include "cotangent/integrator/field_integrator.hpp"

namespace cotangent {

/// The coefficients of an explicit Runge-Kutta method, row by row below the diagonal.
struct ExplicitTableau {
  std::vector<std::vector<Quad>> a;  ///< a[i] has i entries
  std::vector<Quad> b;
};

/// An explicit Runge-Kutta method on a formulation z' = f(z):
///
///   k_i = f(z + h sum_{j<i} a_ij k_j),   z <- z + h sum_i b_i k_i   (compensated)
template <class T>
class ExplicitRungeKutta final : public FieldIntegrator<T> {
 public:
  ExplicitRungeKutta(MethodFacts facts, ExplicitTableau tableau, std::unique_ptr<Formulation<T>> formulation);

  [[nodiscard]] StepReport<T> step_variables(PhasePoint<T>& z, LaneOf<T> h) override;

 private:
  ExplicitTableau tableau_;
  // q, p and s: the point of a stage, and k_i of all stages.
  struct Part {
    std::vector<T> x;
    std::vector<std::vector<T>> rates;
  };
  std::array<Part, 3> parts_;
};

/// The classical method of order four. Reference: [kutta1901].
MethodFacts rk4_facts();
ExplicitTableau rk4_tableau();

}  // namespace cotangent
