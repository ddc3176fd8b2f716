#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>

#include "cotangent/system/matrix/coupling.hpp"
#include "cotangent/system/operation/contraction.hpp"

namespace cotangent {

/// The stages of a RATTLE step as kernels, for H = p'Wp/2 + V(q) with a constant diagonal W.
///
/// Each stage passes once over the coordinates or over the constraints and does all that can be done there; gradients
/// are gathered (see Incidence), so that no vector is set to zero and added to. With the letters of Rattle:
///
///   drift      kick = -h/2 f - G(q)'l,  Q = q + h W (p + kick)                    coordinates; f = H_q(q)
///   position   g(Q) and its norms                                                 constraints
///   newton     K = G(Q) W G(q)'                                                   constraints
///   kick       F = H_q(Q),  kick' = kick - h/2 F,  P = p + kick'                  coordinates
///   momentum   psi = G(Q) W P and R = G(Q) W G(Q)'                                constraints
///   verify     psi and its norms                                                  constraints
///   project    kick'' = kick' - G(Q)'m,  P = p + kick''                           coordinates
///   try_drift  Q of the drift alone, for a multiplier that will be corrected      coordinates
///
/// Passes over large systems cost what they read and write. So where H_q is the same number throughout (gravity), the
/// drift gives kick' and P as well, and there is no kick.
///
/// Q and the final P are compensated sums: the drift and the projection also give what is lost of them. In between,
/// what has been lost of p is left out: it is below the rounding error of Q.
///
/// Norms compare each row with its own rounding level: epsilon times the magnitudes that are added up in it, both where
/// the step began and where it ends (a coordinate may pass through zero).
///
/// A stage on coordinates is followed by one on constraints. Where both are a single kernel of a single instance
/// (a model without families) they are composed, and nothing between them goes through memory.
struct RattlePlan {
  /// Vectors that the stages read, beyond columns. Stages on the constraints have Q in `q`.
  enum Input : int {
    q = in::q,  ///< for drift; Q for all others
    p = in::p,
    multipliers = in::weights,  ///< stages on coordinates
    masses = in::weights,       ///< stages on constraints
    q_start = in::a_q,          ///< newton: q where `q` is Q
    q_low = in::a_q,            ///< drift
    p_low = in::a_p,            ///< stages on coordinates
    p_start = in::a_p,          ///< verify: p where `p` is P
    force = in::b_q,
    kick_before = in::b_p,
    scalars = in::c_q,  ///< as Scalar
    W = in::c_p,        ///< stages on coordinates
  };
  enum Output : int {
    rows = CouplingPlan::kOutputs,
    norms,
    moved,
    moved_low,
    kick_after,
    force_after,
    kicked,  ///< P, by a drift that kicks
  };
  enum Scalar : int { h, half_h, level, kScalars };
  /// Entries of norms: the largest |row|, and the largest |row| - level of a row, where level is kZeroUnits epsilons of
  /// its scale (or zero, if that is negative).
  enum Norm : int { residual, excess, kNorms };

  /// The last ones are composed, where that can be: drift_newton is drift, then position and newton. Where they are,
  /// try_drift is empty.
  enum Stage : std::uint8_t {
    drift,
    position,
    newton,
    kick,
    momentum,
    verify,
    project,
    try_drift,
    drift_position,
    drift_newton,
    kick_momentum,
    project_verify,
    kStages
  };

  std::shared_ptr<Graph> graph;  ///< of the kernels
  std::array<SpecSequence, kStages> stages;
  bool is_composed() const { return !stages[drift_position].kernels.empty(); }
  bool drift_kicks() const { return stages[kick].kernels.empty(); }
};

/// Nothing if the system is not of that form, or its index lists do not fall into runs.
std::optional<RattlePlan> plan_rattle(const Elements& elements, const CouplingPlan& coupling,
                                      std::optional<Quad> uniform_mass);

}  // namespace cotangent
