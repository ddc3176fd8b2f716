#include "cotangent/monitor/reference/finer_run.hpp"

#include "cotangent/base/instantiate.hpp"
#include "cotangent/manifold/redundancy.hpp"

namespace cotangent {

template <class T>
void FinerRun<T>::start(const PhasePoint<T>& z, LaneOf<T> h) {
  is_lost_ = false;
  settle_redundancy(*map_.manifold, z);
  z_ = z;
  // What is compiled when it is first used belongs to the set-up.
  static_cast<void>(map_.integrator->step(z_, parts_.length(0, h, LaneOf<T>(0))));
  z_ = z;
}

template <class T>
void FinerRun<T>::follow(const MadeStep<T>& step) {
  if (is_lost_) return;
  length_ = step.length;
  z_.adjust().t = step.begin->t;
  z_.adjust().t_low = step.begin->t_low;
  LaneOf<T> done = 0;
  for (std::size_t k = 0; k < parts_.size() && !is_lost_; ++k) {
    step.check_interruption();
    const LaneOf<T> part = parts_.length(k, step.length, done);
    is_lost_ = !all(map_.integrator->step(z_, part).ok);
    done += part;
  }
}

template <class T>
std::optional<SolutionError<T>> FinerRun<T>::error(const PhasePoint<T>& z) {
  if (is_lost_) return SolutionError<T>::unknown();
  if (abs(z.t - z_->t) > LaneOf<T>(1e-9) * max(abs(z.t), abs(length_))) return std::nullopt;
  return solution_difference(z, z_.state(), map_.system->elements());
}

COTANGENT_INSTANTIATE(PRECISIONS, FinerRun);

}  // namespace cotangent
