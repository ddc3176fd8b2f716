#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/formulation/formulation.hpp"
#include "cotangent/monitor/follower.hpp"
#include "cotangent/monitor/probe/octave_schedule.hpp"
#include "cotangent/projection/kept_invariants.hpp"

namespace cotangent {

/// A declared invariant that the equations do not keep.
struct ChangingInvariant {
  std::string name;  ///< of the invariant
  std::string row;   ///< of the number among its numbers that changes
  double rate = 0;   ///< its change per unit of time, where it was first seen to change,
  double time = 0;   ///< and when

  void state(Archive& archive);
};

/// "the equations do not keep the invariant 'L': dL/dt = 0.2 at t = 0.05".
std::string describe(const ChangingInvariant& invariant);

/// Looks, at the ends of steps, whether the equations keep the invariants that a model declares: whether
///
///   dI/dt = I_q.q' + I_p.p' + I_v.v' + I_s.s' + I_t,   q', p', s' those of the constrained motion,
///
/// vanishes there. That is a question about the equations at a point, not about the step that has led to it: a run that
/// returns to I = I(0) after every step is found out, too. I changes if dI/dt cannot be errors of the motion, with e =
/// sqrt(epsilon),
///
///   |dI/dt| > e sum_j |I_j| |z'|   and   |dI/dt| (t - t_0) > e (|I| + sum_j |I_j| |z|),
///
/// |z| the largest number of a kind (coordinates, momenta, states). One that is no number there, as log(x) is not where
/// x < 0, does not change: its derivative may be a number. At points off the constraints it is looked at again
/// on them.
///
/// Along a smooth motion dI/dt is zero everywhere if it is at several points: some steps of a run are looked at. Where
/// functions have pieces (pieces.hpp), or are not known, it may be zero until one is reached: all are.
template <class T>
class InvariantWatch final : public Follower<T> {
 public:
  explicit InvariantWatch(std::unique_ptr<System<T>> system);

  void start(const PhasePoint<T>& z, LaneOf<T> h) override;
  void follow(const MadeStep<T>& step) override {
    if (schedule_() || looks_always_) observe(step.end);
  }
  void state(Archive& archive) override;

  void observe(const PhasePoint<T>& z);

  /// In the order in which they were seen to change.
  const std::vector<ChangingInvariant>& found() const { return found_; }

 private:
  // dI/dt at z, for all rows; false if the motion is not known there.
  bool find_rates(const PhasePoint<T>& z);
  bool changes(std::size_t row, const PhasePoint<T>& z);

  std::unique_ptr<System<T>> system_;
  Manifold<T> manifold_;
  std::unique_ptr<Formulation<T>> field_;
  KeptInvariants<T> declared_;
  const Operation<T>& along_;
  Frame<T> frame_;
  PhasePoint<T> flow_, gradient_, near_;
  std::vector<T> v_, v_dot_, rates_;
  const bool looks_always_;
  OctaveSchedule schedule_;
  LaneOf<T> begin_ = 0;
  std::vector<T> sizes_;       // of rows: sum |I_j| |z'|, the largest that was found
  std::vector<bool> is_told_;  // of invariants
  std::vector<ChangingInvariant> found_;
};

COTANGENT_DECLARE(PRECISIONS, InvariantWatch);

}  // namespace cotangent
