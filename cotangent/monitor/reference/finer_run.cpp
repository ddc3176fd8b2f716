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
  static_cast<void>(advance(h));
  z_ = z;
}

template <class T>
bool FinerRun<T>::advance(LaneOf<T> h) {
  LaneOf<T> done = 0;
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    const LaneOf<T> part = parts_.length(k, h, done);
    if (!all(map_.integrator->step(z_, part).ok)) return false;
    done += part;
  }
  return true;
}

template <class T>
void FinerRun<T>::follow(const MadeStep<T>& step) {
  if (is_lost_) return;
  z_.adjust().t = step.begin->t;
  z_.adjust().t_low = step.begin->t_low;
  is_lost_ = !advance(step.length);
}

template <class T>
std::optional<SolutionError<T>> FinerRun<T>::error(const PhasePoint<T>& z) {
  if (is_lost_) return SolutionError<T>::unknown();
  if (abs(z.t - z_->t) > LaneOf<T>(1e-9) * abs(z.t)) return std::nullopt;
  return solution_difference(z, z_.state(), map_.system->elements());
}

COTANGENT_INSTANTIATE(PRECISIONS, FinerRun);

}  // namespace cotangent
