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
  double rate = 0;   ///< its change per unit of time, the largest that was seen in a step,
  double time = 0;   ///< and when
};

/// "the equations do not keep the invariant 'L': dL/dt = 0.2 at t = 0.05".
std::string describe(const ChangingInvariant& invariant);

/// Makes a few accurate steps from the initial data, and looks whether an invariant I changes in them by more than
/// their errors can. Systems of more than 2000 coordinates, and those whose motion cannot be evaluated, are taken at
/// their word.
std::vector<ChangingInvariant> changing_invariants(const Model& model, const std::shared_ptr<const Elements>& elements);

}  // namespace cotangent
