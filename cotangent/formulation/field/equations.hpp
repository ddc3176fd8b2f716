#pragma once

#include <vector>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/formulation/formulation.hpp"

namespace cotangent {

/// An ordinary differential equation as it is stated:
///
///   u' = f(u, t).
///
/// Its states are all there is: no coordinates, nothing to eliminate, no multipliers.
template <class T>
class Equations final : public Formulation<T> {
 public:
  static FormulationFacts sheet() {
    return {.name = "equations",
            .description = "ordinary differential equations, as they are stated",
            .variables = "u",
            .residuals = "invariants do what the method does to them",
            .derivatives = "none",
            .moving = "f(u, t) as it is",
            .applies_to = "states without coordinates",
            .reference = "hnw93"};
  }

  explicit Equations(Manifold<T>& manifold, const FormulationOptions& /*options*/ = {})
      : Formulation<T>(sheet()), system_(manifold.system()) {}

  [[nodiscard]] Mask<T> field(const PointRef<T>& z, T* /*q_dot*/, T* /*p_dot*/, T* u_dot) override {
    system_.at(z).rate(u_dot);
    return Mask<T>(true);
  }

  const std::vector<T>& multipliers() const override { return none_; }
  std::int64_t size() const override { return 0; }

 private:
  System<T>& system_;
  std::vector<T> none_;
};

COTANGENT_DECLARE(NUMBERS, Equations);

}  // namespace cotangent
