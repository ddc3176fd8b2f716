#include "cotangent/monitor/section.hpp"

#include <fmt/format.h>

#include <cmath>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/manifold/redundancy.hpp"

namespace cotangent {
namespace {

// Up and down are those of time; a run that goes backwards meets them the other way round.
SectionDirection reversed(SectionDirection direction) {
  if (direction == SectionDirection::both) return direction;
  return direction == SectionDirection::up ? SectionDirection::down : SectionDirection::up;
}

}  // namespace

template <class T>
void Section<T>::start(const PhasePoint<T>& z, LaneOf<T> h) {
  is_found_ = false;
  count_ = lost_ = 0;
  is_passed_ = false;
  lowest_ = infinity<T>();
  highest_ = -infinity<T>();
  settle_redundancy(*map_.manifold, z);
  look_at((*f_)(z)[0]);
  // What is compiled when it is first used belongs to the set-up.
  const Point<T> first = z;
  static_cast<void>(make({first, first, h}, T(1)));
  best_ = z_;
}

template <class T>
bool Section<T>::passes(const T& before, const T& after, Direction direction) {
  const bool up = before < T(0) && after >= T(0), down = before > T(0) && after <= T(0);
  return (up && direction != Direction::down) || (down && direction != Direction::up);
}

template <class T>
void Section<T>::follow(const MadeStep<T>& step) {
  is_found_ = false;
  const T before = (*f_)(step.begin)[0], after = (*f_)(step.end)[0];
  look_at(after);
  is_passed_ = is_passed_ || passes(before, after, Direction::both);
  if (!passes(before, after, step.length < 0 ? reversed(direction_) : direction_)) return;
  is_found_ = find(step, before, after);
  if (!is_found_) ++lost_;
}

template <class T>
void Section<T>::settle() {
  if (!is_found_) return;
  is_found_ = false;
  ++count_;
  if (take_) take_(best_);
}

template <class T>
std::string Section<T>::remark() const {
  if (count_ > 0 || lost_ > 0) return {};
  if (is_passed_)
    return fmt::format("the section is crossed {}, and not {}: use the other `section-direction`, or both",
                       direction_ == Direction::up ? "downwards" : "upwards",
                       direction_ == Direction::up ? "upwards" : "downwards");
  const auto lowest = static_cast<double>(lowest_), highest = static_cast<double>(highest_);
  if (lowest > highest) return "the section is not crossed: its expression is not a number anywhere in the run";
  if (lowest == highest)
    return fmt::format("the section is not crossed: its expression is {:g} in all of the run", lowest);
  return fmt::format(
      "the section is not crossed: its expression is between {:g} and {:g} in the run, and does not change sign",
      lowest, highest);
}

// [chandrupatla97]: the root is between a and b; c is a point outside of them, or what was one of them before. Inverse
// quadratic interpolation through the three is taken where it is sure to be monotonic between a and b, else the middle.
template <class T>
bool Section<T>::find(const MadeStep<T>& step, T f_a, T f_b) {
  if (f_b == T(0)) {
    best_ = step.end;
    return true;
  }
  T a(0), b(1), c(0), f_c = f_a;
  T smallest = infinity<T>();
  T part = f_a / (f_a - f_b);
  // Bisection alone would need one trial for each bit.
  const int most_trials = -2 * std::ilogb(static_cast<double>(epsilon<T>()));
  for (int trial = 0; trial < most_trials; ++trial) {
    const T x = a + part * (b - a);
    if (!make(step, x)) return false;
    const T f_x = (*f_)(z_)[0];
    if (!isfinite(f_x)) return false;
    if (abs(f_x) <= smallest) {
      smallest = abs(f_x);
      best_ = z_;
    }
    if (f_x == T(0)) return true;
    if ((f_x < T(0)) == (f_a < T(0))) {
      c = a;
      f_c = f_a;
    } else {
      c = b;
      f_c = f_b;
      b = a;
      f_b = f_a;
    }
    a = x;
    f_a = f_x;
    const T least = epsilon<T>() * max(abs(a), abs(b)) / abs(b - a);  // of `part`
    if (least > T(0.5)) return true;
    const T xi = (a - b) / (c - b), phi = (f_a - f_b) / (f_c - f_b);
    part = phi * phi < xi && (T(1) - phi) * (T(1) - phi) < T(1) - xi
               ? f_a / (f_b - f_a) * (f_c / (f_b - f_c)) + (c - a) / (b - a) * (f_a / (f_c - f_a)) * (f_b / (f_c - f_b))
               : T(0.5);
    part = min(max(part, least), T(1) - least);
  }
  return true;
}

COTANGENT_INSTANTIATE(PRECISIONS, Section);

}  // namespace cotangent
