#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/integrator/step_map.hpp"
#include "cotangent/monitor/expressions.hpp"
#include "cotangent/monitor/follower.hpp"
#include "cotangent/monitor/section_direction.hpp"

namespace cotangent {

/// The points of a Poincaré section: where f(z) passes zero along a run.
///
/// Where f has different signs at the ends z_k, Phi_h(z_k) of a step, the root theta of
///
///   f(Phi_{theta h}(z_k)) = 0,   0 < theta <= 1,
///
/// is found to rounding with steps of other lengths from z_k [chandrupatla97]. So the point is one that the method
/// itself reaches, as near to constraints and to the energy as those of the run are, and no interpolant. One crossing
/// is found in a step; of several that cancel nothing is seen.
///
/// A run that begins on the section, or meets it at the end of a step, crosses it when it arrives there.
template <class T>
class Section final : public Follower<T> {
 public:
  using Direction = SectionDirection;

  /// @param map that of the run, but made of other objects. @param take is given each point, where it counts; it may
  /// throw std::runtime_error.
  Section(StepMap<T> map, std::unique_ptr<Expressions<T>> f, Direction direction,
          std::function<void(const PhasePoint<T>&)> take)
      : map_(std::move(map)), f_(std::move(f)), direction_(direction), take_(std::move(take)) {}

  void start(const PhasePoint<T>& z, LaneOf<T> h) override;
  void follow(const MadeStep<T>& step) override;
  void settle() override;
  void state(Archive& archive) override {
    archive("count", count_);
    archive("lost", lost_);
    archive("is_passed", is_passed_);
    archive("lowest", lowest_);
    archive("highest", highest_);
    archive("map", map_);
  }

  std::int64_t count() const { return count_; }
  std::int64_t lost() const { return lost_; }  ///< crossings where no step could be made to them

  /// Why there are no points, in words; nothing where there are some.
  std::string remark() const;

 private:
  static bool passes(const T& before, const T& after, Direction direction);
  void look_at(const T& value) {
    if (value < lowest_) lowest_ = value;
    if (value > highest_) highest_ = value;
  }
  bool find(const MadeStep<T>& step, T before, T after);
  /// z_ becomes the end of the part theta of a step.
  bool make(const MadeStep<T>& step, const T& theta) {
    return map_.integrator->step(step.begin, theta * step.length, z_).status == StepStatus::ok;
  }

  StepMap<T> map_;
  std::unique_ptr<Expressions<T>> f_;
  Direction direction_;
  std::function<void(const PhasePoint<T>&)> take_;
  Point<T> z_;             // the last that was tried
  PhasePoint<T> best_;     // the nearest to the section
  bool is_found_ = false;  // in the step that was followed last
  std::int64_t count_ = 0, lost_ = 0;
  bool is_passed_ = false;                               // in whatever direction
  T lowest_ = infinity<T>(), highest_ = -infinity<T>();  // values of f at ends of steps
};

COTANGENT_DECLARE(PRECISIONS, Section);

}  // namespace cotangent
