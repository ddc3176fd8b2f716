#pragma once

#include "cotangent/integrator/integrator.hpp"
#include "cotangent/run/plan_run.hpp"

namespace cotangent {

/// A note for each option that was given but changes nothing in this combination.
/// @param plan settled. @param facts of its method, without the projection after it.
Notes idle_options(const RunPlan& plan, const RunWords& words, const MethodFacts& facts, const Model& model,
                   std::int64_t constraints);

}  // namespace cotangent
