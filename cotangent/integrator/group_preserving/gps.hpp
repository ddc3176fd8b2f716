#pragma once

#include <memory>
#include <vector>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/integrator/field_integrator.hpp"
#include "cotangent/projection/scaling_sets.hpp"

namespace cotangent {

/// The group-preserving scheme: for each set of variables, x = z - c with a centre c and f its part of z',
///
///   x <- x + eta f,   eta of lorentz_factor.hpp.
///
/// (x, |x|) goes from one point of the cone to another by an element of the Lorentz group SO(n, 1): that is what the
/// scheme keeps. Variables that are in no set make a step of Euler's method, eta = h. Without sets all variables are
/// one. It is not defined where x = 0 in a set and f is not.
///
/// Reference: [liu01], [liu06, section 2].
template <class T>
class GroupPreserving final : public FieldIntegrator<T> {
 public:
  GroupPreserving(MethodFacts facts, const ScalingSets& sets, std::unique_ptr<Formulation<T>> formulation)
      : FieldIntegrator<T>(std::move(facts), std::move(formulation)), sets_(sets), is_whole_(sets.empty()) {}

 private:
  [[nodiscard]] StepReport<T> step_variables(PhasePoint<T>& z, LaneOf<T> h, const Memory<T>& before,
                                             Memory<T>& after) override;

  ScalingSets sets_;
  const bool is_whole_;
  std::vector<T> x_, f_, increment_;  // (q, p, s), one after the other
};

COTANGENT_DECLARE(NUMBERS, GroupPreserving);

}  // namespace cotangent
