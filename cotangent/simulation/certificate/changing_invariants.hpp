#pragma once

#include <memory>
#include <vector>

#include "cotangent/elements/elements.hpp"
#include "cotangent/model/model.hpp"
#include "cotangent/monitor/watch/invariant_watch.hpp"

namespace cotangent {

/// The declared invariants that the equations do not keep in a few accurate steps from the initial data: see
/// InvariantWatch, which looks at all of a run. Systems of more than 2000 coordinates, and those whose motion cannot be
/// evaluated, are taken at their word.
std::vector<ChangingInvariant> changing_invariants(const Model& model, const std::shared_ptr<const Elements>& elements);

/// The same along the motion until a time and a few steps beyond, by a run that is more accurate than most. An
/// invariant that is kept on its own level only changes wherever errors of steps have led away from it; here it does
/// not.
struct AccurateLook {
  std::vector<ChangingInvariant> found;
  bool is_whole = false;  ///< that time was reached; the look ends where it would take more than a second or so
};
AccurateLook look_accurately(const Model& model, const std::shared_ptr<const Elements>& elements, double until);

}  // namespace cotangent
