#pragma once

#include <algorithm>
#include <string_view>
#include <vector>

#include "cotangent/analysis/level_history.hpp"
#include "cotangent/base/instantiate.hpp"
#include "cotangent/manifold/manifold.hpp"
#include "cotangent/monitor/follower.hpp"
#include "cotangent/monitor/octave_schedule.hpp"
#include "cotangent/projection/kept_invariants.hpp"
#include "cotangent/system/evaluation_errors.hpp"

namespace cotangent {

/// What rounding errors of one unit may do to numbers that are watched, after the steps of an OctaveSchedule. A
/// function F(z) of the point is evaluated with an error of about epsilon times
///
///   |F| + sum_j |dF/dz_j| size_j + e(F):
///
/// F itself is rounded, each number of the point is known to one part in 1/epsilon of what it is the sum of only, and
/// e(F) is made of constants inside F (evaluation_error). A step of length h adds to positions and momenta, whatever
/// is left of the sum:
///
///   size(q_j) = |q_j| + |h H_p|_j,   size(p_j) = |p_j| + |h| (|H_q| + |F| + |G'| |lambda|)_j,
///
/// F all forces but those of the constraints. So a system at rest has rounding errors in its momenta. What is rounded
/// inside g is passed on to positions.
template <class T>
class LevelWatch final : public Follower<T> {
 public:
  /// @param manifold must outlive this.
  explicit LevelWatch(Manifold<T>& manifold);

  void start(const PhasePoint<T>& z, LaneOf<T> h) override;
  void follow(const MadeStep<T>& step) override;

  const LevelHistory& position() const { return position_; }  ///< of g
  const LevelHistory& momentum() const { return momentum_; }  ///< of G H_p
  const LevelHistory& energy() const { return energy_; }      ///< of H less the work done
  /// No level: what is added up in H and the work done, |H| + sum_j |dH/dz_j z_j| + |W|.
  const LevelHistory& energy_terms() const { return energy_terms_; }
  const LevelHistory& size() const { return size_; }  ///< of the point: epsilon times its largest number
  /// Of a declared invariant, of the largest of its rows.
  const LevelHistory& invariant(std::string_view name) const;

  /// How many times as large as momenta are those that a formulation integrates in their place, the largest of the run:
  /// momenta are differences of them (`impetus`).
  double cancellation() const { return largest_p_ > 0 ? std::max(1.0, largest_own_ / largest_p_) : 1; }

  /// Looks at another point: the last one, say.
  void look(const PhasePoint<T>& z);

  void state(Archive& archive) override {
    archive("schedule", is_picked_);
    archive("h", h_);
    archive("position", position_);
    archive("momentum", momentum_);
    archive("energy", energy_);
    archive("energy_terms", energy_terms_);
    archive("size", size_);
    archive("invariants", invariants_);
    archive("largest_own", largest_own_);
    archive("largest_p", largest_p_);
  }

 private:
  template <class F>
  void each_history(const F& act);
  void take_sizes(const PhasePoint<T>& z);
  void blur_positions();
  void look_at_energy(const PhasePoint<T>& z);
  T largest_row() const;
  void look_at_positions(const PhasePoint<T>& z);
  void look_at_momenta(const PhasePoint<T>& z);
  void look_at_invariants(const PhasePoint<T>& z);

  Manifold<T>& manifold_;
  Manifold<T> multipliers_;  // of its own: what is factored for them must not change the run
  RowScales<T> scales_;
  Request<T> H_, H_q_, H_p_, H_pp_times_;
  EvaluationErrors<T> inside_H_, inside_invariants_;
  KeptInvariants<T> declared_;
  Frame<T> frame_;
  OctaveSchedule is_picked_;
  LaneOf<T> h_ = 0;  // of the last step
  T t_ = T(0);
  std::vector<T> by_q_, by_p_, by_s_, values_, errors_;
  std::vector<T> v_, force_, lambda_, sizes_, q_sizes_, p_sizes_, rows_, lengths_;
  std::vector<LevelHistory> invariants_;  // one for each that is declared
  LevelHistory position_, momentum_, energy_, energy_terms_, size_;
  double largest_own_ = 0, largest_p_ = 0;
};

COTANGENT_DECLARE(PRECISIONS, LevelWatch);

}  // namespace cotangent
