#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cotangent/elements/elements.hpp"
#include "cotangent/model/model.hpp"

namespace cotangent {

/// A declared invariant that the equations do not keep.
struct ChangingInvariant {
  std::string name;  ///< of the invariant
  std::string row;   ///< of the number among its numbers that changes fastest
  double rate = 0;   ///< its dI/dt, the largest that was seen,
  double time = 0;   ///< and when
};

/// "the equations do not keep the invariant 'L': dL/dt = 0.2 at t = 0.05".
std::string describe(const ChangingInvariant& invariant);

/// Looks at dI/dt along the constrained motion,
///
///   dI/dt = I_q q' + I_p p' + I_s s' + I_t,
///
/// at the initial data and, as many rates vanish in a system at rest, at some points of its motion after that. Those
/// points are on the constraints: there only the motion is that of the model, and some invariants are none elsewhere.
/// What is less than 10^-6 of the sum of magnitudes counts as zero. Systems of more than 2000 coordinates, and those
/// whose motion cannot be evaluated, are taken at their word.
std::vector<ChangingInvariant> changing_invariants(const Model& model, const std::shared_ptr<const Elements>& elements);

}  // namespace cotangent
