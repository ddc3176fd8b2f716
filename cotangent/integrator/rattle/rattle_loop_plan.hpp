#pragma once

#include <optional>

#include "cotangent/integrator/rattle/rattle_plan.hpp"

namespace cotangent {

/// A whole RATTLE step of a small system as one kernel that repeats itself, with the state in registers.
///
/// The stages of a RattlePlan are put one into the other, with one Newton correction of the predicted l between two
/// drifts and one projection of P, and the linear systems solved by elimination in the kernel:
///
///   l0 = m + 2 w - w_before;   drift with l0;   K x = g(Q);   l = l0 + x / h;   drift with l
///   kick;   R m' = psi;   project with m'
///
/// A step counts only if |g(Q)| and |psi| are then at their rounding level; the rare others are left to Rattle, which
/// iterates. For models without families and with few constraints.
///
/// Over dual numbers values are found in the same way. Derivatives of the multipliers are those of the equations that
/// they solve, not of how they were found (the implicit function theorem): with all that a step reads changing at its
/// rate and l and m' held,
///
///   K dl = dg(Q) / h   with K = G(Q) H_pp G(q)' at the Q that was found;   R dm' = dpsi
///
/// and everything else is differentiated along with dl and dm'.
struct RattleLoopPlan {
  /// Vectors of the kernel; where nothing is said, both read and written.
  enum Vector : int {
    q = RattlePlan::q,
    p = RattlePlan::p,
    m = RattlePlan::multipliers,
    q_low = RattlePlan::q_low,
    p_low = RattlePlan::p_low,
    f = RattlePlan::force,
    w = RattlePlan::kick_before,
    scalars = RattlePlan::scalars,  ///< as Scalar
    W = RattlePlan::W,
    w_before = in::kGroups,
    wanted,    ///< how many steps to make; read only, by the loop
    done,      ///< how many were made; written only, by the loop
    accepted,  ///< whether the last step counts; written only
    H_start,   ///< a number, read only: that of a StepWatch
    last,      ///< where the last step ends: the numbers of a StepWatch; written only
    largest,   ///< of all steps: the magnitudes of those numbers, then the condition; compared with what is there
    beside,    ///< what else is written where they are found, `besides` numbers
    kVectors,
  };
  /// The first are those of the stages.
  enum Scalar : int { h, half_h, level, per_h, kScalars };

  KernelSpec loop;
  /// One step that is written whether it counts or not, and whether it does: not in place.
  KernelSpec once;
  /// The loop with what a StepWatch sees; nothing where that is not a few operations more.
  std::optional<KernelSpec> watched;
  std::int64_t besides = 0;
};

/// Nothing if the system is too large.
/// @param tangents of dual numbers: then the kernel is one over their numbers, see KernelCompiler<Dual>::add_numbers().
///        There is no loop: between steps others look at the tangents.
/// @param is_watched whether `watched` is asked for.
/// @param place_size numbers from one dual number of an array to the next.
std::optional<RattleLoopPlan> plan_rattle_loop(const Elements& elements, const RattlePlan& stages,
                                               const CouplingPlan& coupling, bool is_watched = false, int tangents = 0,
                                               int place_size = 1);

}  // namespace cotangent
