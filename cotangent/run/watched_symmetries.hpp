#pragma once

#include "cotangent/model/model.hpp"
#include "cotangent/run/plan_run.hpp"

namespace cotangent {

/// For --monitor symmetries: adds the momenta that symmetries of the model conserve to its invariants, and a note that
/// names them.
void watch_symmetries(Model& model, const RunPlan& plan, const RunWords& words);

}  // namespace cotangent
