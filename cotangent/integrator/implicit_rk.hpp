#pragma once

#include <array>
#include <memory>
#include <vector>

#include "cotangent/integrator/field_integrator.hpp"
#include "cotangent/solve/stopping.hpp"

namespace cotangent {

/// The coefficients of an implicit Runge-Kutta method.
struct ImplicitTableau {
  std::vector<std::vector<Quad>> a;  ///< square
  std::vector<Quad> b, c;
};

/// An implicit Runge-Kutta method on a formulation z' = f(z):
///
///   Z_i = h sum_j a_ij f(z + Z_j),   z <- z + h sum_i b_i f(z + Z_i)   (compensated)
///
/// The stages Z_i are found by functional iteration, which goes on until they no longer change but for rounding: it
/// converges where h times the Lipschitz constant of f is small, and needs no derivatives of f.
template <class T>
class ImplicitRungeKutta final : public FieldIntegrator<T> {
 public:
  ImplicitRungeKutta(MethodFacts facts, const ImplicitTableau& tableau, std::unique_ptr<Formulation<T>> formulation);

 private:
  using Number = LaneOf<T>;

  // q, p and s: the point of a stage and f there, and of all stages Z_i and f_i.
  struct Part {
    std::vector<T> x, rate;
    std::vector<std::vector<T>> Z, rates;
    T size = T(0);
  };

  [[nodiscard]] StepReport<T> step_variables(PhasePoint<T>& z, Number h) override;
  void prepare(const PhasePoint<T>& z);
  void evaluate(const PhasePoint<T>& z, Number h, const Mask<T>& active, StepReport<T>& report);
  T improve(Number h, const RoundingStop<T>& stop);

  std::vector<std::vector<Number>> a_;
  std::vector<Number> b_, c_;
  std::array<Part, 3> parts_;
};

extern template class ImplicitRungeKutta<double>;
extern template class ImplicitRungeKutta<long double>;
extern template class ImplicitRungeKutta<Quad>;
extern template class ImplicitRungeKutta<Tangents>;
extern template class ImplicitRungeKutta<Lanes>;

}  // namespace cotangent
