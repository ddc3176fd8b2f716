#pragma once

#include <span>

#include "cotangent/model/model.hpp"
#include "cotangent/model/run_keys.hpp"

namespace cotangent {

/// Whether a model has to go through Dirac's algorithm before it can be integrated: it has primary constraints, a
/// gauge, or a singular Lagrangian that no constraint makes good.
bool needs_dirac(const Model& model);

/// The Hamilton-Dirac equations as a model of its own, with q and p as states:
///
///   z' = {z, H} + U_a {z, phi_a},
///
/// all multipliers U_a determined, all constraints as invariants, to which points return, and H as another one where
/// time does not enter. The initial point is moved to the constraint surface.
/// @throws ModelError if the system is inconsistent or undecided, or a multiplier is free: then the motion is not
/// determined without a gauge.
Model hamilton_dirac_model(const Model& model, std::span<const RunKey> run);

}  // namespace cotangent
