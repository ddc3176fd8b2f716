#pragma once

#include "cotangent/run/plan_run.hpp"

namespace cotangent {

/// The model as a settled plan asks for it: with its alternative Hamiltonian, which has been seen to give the same
/// motion, and with momenta that symmetries conserve among its invariants. Notes are added to those of the model.
/// @throws ModelError or OptionError
Model planned_model(Model model, const RunPlan& plan, const RunWords& words);

}  // namespace cotangent
