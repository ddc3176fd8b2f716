#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/manifold/row_scales.hpp"
#include "cotangent/monitor/energy_blur.hpp"
#include "cotangent/monitor/follower.hpp"
#include "cotangent/monitor/octave_schedule.hpp"
#include "cotangent/monitor/step_map.hpp"

namespace cotangent {

/// Now and then a step of the run is made again, and undone by one of the opposite length:
///
///   defect = max_j |Phi_-h(Phi_h(z)) - z|_j / |z|
///
/// with |z| the largest number of the same kind (coordinates, momenta, states; not the work done, on which nothing
/// depends) at both ends. Symmetric methods lead back to z. Projections after a step are made on both ways. The steps
/// are those of an OctaveSchedule.
///
/// How well they can do so depends on the step: errors of one unit at its end become
///
///   condition = 1 + max_j |Phi_-h(w) - Phi_-h(Phi_h(z))|_j / (d |z|),   w = Phi_h(z) moved by d |z|,  d =
///   epsilon^(1/2)
///
/// units at its beginning. It is large where rates are: in a stiff spring, or near a turning point, where momenta are
/// small and forces are not. Constraints in which large constants cancel, as in x^2 + (y - R)^2 = R^2, leave errors of
/// more than one unit in positions: so many more is the blur. Of methods that keep the energy by a discrete
/// gradient what is rounded in H is the other part of it (EnergyBlur).
template <class T>
class ReversalProbe final : public Follower<T> {
 public:
  /// @param map that of the run, but made of other objects.
  /// @param begins_anywhere the start need not be where steps lead to: the first one is not made back.
  explicit ReversalProbe(StepMap<T> map, bool begins_anywhere = false);

  void start(const PhasePoint<T>& z, LaneOf<T> h) override;
  void follow(const MadeStep<T>& step) override;
  void state(Archive& archive) override {
    archive("schedule", is_picked_);
    archive("count", count_);
    archive("failed", failed_);
    archive("blurred", blurred_);
    archive("elsewhere", elsewhere_);
    archive("defect", defect_);
    archive("level", level_);
    archive("map", map_);
  }

  double defect() const { return defect_; }        ///< of the step whose defect is the largest in units of its level
  double level() const { return level_; }          ///< of that step: epsilon times its condition and blur
  std::int64_t count() const { return count_; }    ///< of steps that were tried
  std::int64_t failed() const { return failed_; }  ///< of steps that could not be made backwards
  /// Of steps that are so ill-conditioned, or end at so large numbers, that rounding errors leave nothing to judge.
  std::int64_t blurred() const { return blurred_; }
  /// Of steps across the border of charts that went back in another one, and did not arrive: they do not count.
  std::int64_t elsewhere() const { return elsewhere_; }

 private:
  /// Of coordinates, momenta and states.
  struct Sizes {
    double q, p, s;
  };
  bool advance(PhasePoint<T>& z, LaneOf<T> h, int parts, bool is_projected);
  double condition(const MadeStep<T>& step, const Sizes& sizes);
  double blur(const Sizes& sizes);
  double blur_by_constraints(const Sizes& sizes);
  double growth(const MadeStep<T>& step, const Sizes& sizes, double sign);
  double relative_change(const PhasePoint<T>& z, const PhasePoint<T>& w, const Sizes& sizes) const;
  std::size_t states() const { return static_cast<std::size_t>(map_.system->elements().states); }

  StepMap<T> map_;
  bool begins_anywhere_;
  std::optional<RowScales<T>> scales_;
  std::optional<EnergyBlur<T>> energy_blur_;  // of methods that keep H
  std::vector<T> sizes_, rows_, lengths_;     // of coordinates; of constraints
  PhasePoint<T> end_, back_, moved_;
  OctaveSchedule is_picked_;
  std::int64_t count_ = 0, failed_ = 0, blurred_ = 0, elsewhere_ = 0;
  double defect_ = 0, level_ = 0;
};

COTANGENT_DECLARE(PRECISIONS, ReversalProbe);

}  // namespace cotangent
