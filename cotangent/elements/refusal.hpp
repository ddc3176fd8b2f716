#pragma once

#include <string>

#include "cotangent/derivatives/breakdown.hpp"
#include "cotangent/elements/function_text.hpp"
#include "cotangent/elements/model_point.hpp"
#include "cotangent/model/model.hpp"

namespace cotangent {

/// An error at a place of a model's text; where nobody wrote one, about the model as a whole.
ModelError refusal(const Model& model, const Location& where, const std::string& message,
                   const std::string& suggestion = {});

/// An error about a function that is not finite at a point, or whose derivative is not: at the operation that is the
/// cause of it, if that can be found, and otherwise at the function.
///
/// @param message "the Hamiltonian is nan at the initial data"; the cause is added to it.
ModelError refusal(const Model& model, const FunctionText& function, const ModelPoint& point,
                   const std::string& message);

/// "the Hamiltonian" or "the Lagrangian".
std::string energy_name(const Model& model);

/// @throws ModelError if the energy is not finite at a point, or has no finite derivatives, by walking over it: slow,
/// for when something else has failed and this may be the cause.
void expect_defined_energy(const Model& model, const ModelPoint& point);

}  // namespace cotangent
