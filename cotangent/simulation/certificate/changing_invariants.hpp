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

}  // namespace cotangent
