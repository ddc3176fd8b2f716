#include "cotangent/simulation/pace/fixed_stepper.hpp"

#include <algorithm>

#include "cotangent/base/instantiate.hpp"

namespace cotangent {

// What is compiled when it is first used belongs to the set-up.
template <class T>
void FixedStepper<T>::start(const Point<T>& z) {
  if (grid_.steps() == 0) return;
  Point<T> rehearsed;
  static_cast<void>(integrator_.step(z, grid_.length(1), rehearsed));
}

template <class T>
Stride<T> FixedStepper<T>::advance(const Point<T>& z, std::int64_t k, Looks looks, Point<T>& end, StepWatch<T>* watch) {
  Stride<T> stride;
  stride.length = length(z, k);
  const std::int64_t steps = steps_at_once(z, k, looks);
  if (watch && steps > 1) {
    end = z;
    stride.report = integrator_.advance_watched(end, stride.length, steps, stride.steps, *watch);
    stride.is_watched = stride.steps > 0;
  }
  if (stride.is_watched) {
    // As far as the method could look.
  } else if (steps == 1 || watch) {
    stride.report = integrator_.step(z, stride.length, end);
    stride.is_whole = stride.report.status == StepStatus::ok;
    stride.steps = stride.is_whole ? 1 : 0;
  } else {
    end = z;
    stride.report = integrator_.advance(end, stride.length, steps, stride.steps);
    stride.is_whole = stride.report.status == StepStatus::ok;
  }
  add(stride.counts, stride.report);
  if (stride.steps == 0) return stride;
  is_between_ = false;
  end.adjust().t = grid_.time(place(k) + stride.steps);
  end.adjust().t_low = T(0);
  return stride;
}

// Times are those of the grid. But a constraint that moves is kept at the time that the step itself has computed:
// there it is the step that is adjusted, by a rounding error of the time, so that both are the same. (t' - t is exact
// where neither is more than twice the other, and t + (t' - t) = t'; near t = 0 they differ by a rounding error of the
// step.)
template <class T>
T FixedStepper<T>::length(const PhasePoint<T>& z, std::int64_t k) const {
  const std::int64_t next = place(k) + 1;
  return is_autonomous_ && !is_between_ ? grid_.length(next) : grid_.time(next) - z.t;
}

// Steps that nothing looks at are made together, up to the next record and few enough to stay responsive.
template <class T>
std::int64_t FixedStepper<T>::steps_at_once(const PhasePoint<T>& z, std::int64_t k, Looks looks) const {
  constexpr std::size_t kNumbers = 100'000;  // computed at once: milliseconds
  const auto most =
      static_cast<std::int64_t>(std::clamp<std::size_t>(kNumbers / (1 + z.q.size() + z.s.size()), 1, 1000));
  if (!is_autonomous_ || looks == Looks::at_every_step || is_between_) return 1;
  std::int64_t count = 1;
  while (count < most && place(k) + count + 1 < grid_.steps() && !this->is_pause(k + count) &&
         !(looks == Looks::at_records && grid_.is_recorded(place(k) + count)))
    ++count;
  return count;
}

// The end of a run may lie between t_j and t_(j+1); the next step then only goes on to the latter.
template <class T>
void FixedStepper<T>::state(Archive& archive, Point<T>& z, std::int64_t k) {
  T step = grid_.step();
  archive("step", step);
  if (step != grid_.step()) archive.fail("the step is another one");
  archive("shift", shift_);
  if (!archive.is_reading()) return;
  const T rounding = T(1e-9) * abs(step);
  if (grid_.is_before(z->t + (step > T(0) ? rounding : -rounding), grid_.time(place(k)))) ++shift_;
  const T on_grid = grid_.time(place(k));
  if (k < 0 || shift_ < 0 || shift_ > k || !(abs(z->t - on_grid - step / T(2)) <= abs(step) / T(2) + rounding))
    archive.fail("the time does not match the number of steps");
  is_between_ = abs(z->t - on_grid) > rounding;
  if (is_between_ || !is_autonomous_) return;
  z.adjust().t = on_grid;
  z.adjust().t_low = T(0);
}

COTANGENT_INSTANTIATE(PRECISIONS, FixedStepper);

}  // namespace cotangent
