#include "cotangent/monitor/reference/finer_run.hpp"

#include <limits>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/manifold/redundancy.hpp"

namespace cotangent {

template <class T>
void FinerRun<T>::start(const PhasePoint<T>& z, LaneOf<T> h) {
  is_lost_ = false;
  settle_redundancy(*map_.manifold, z);
  z_ = z;
  // What is compiled when it is first used belongs to the set-up.
  static_cast<void>(map_.integrator->step(z_, h / static_cast<LaneOf<T>>(K_)));
  z_ = z;
}

template <class T>
void FinerRun<T>::follow(const MadeStep<T>& step) {
  if (is_lost_) return;
  length_ = step.length;
  z_.adjust().t = step.begin->t;
  z_.adjust().t_low = step.begin->t_low;
  for (int k = 0; k < K_ && !is_lost_; ++k) {
    step.check_interruption();
    is_lost_ = !all(map_.integrator->step(z_, step.length / static_cast<LaneOf<T>>(K_)).ok);
  }
}

template <class T>
std::optional<T> FinerRun<T>::error(const PhasePoint<T>& z) {
  if (is_lost_) return T(std::numeric_limits<double>::quiet_NaN());
  if (abs(z.t - z_->t) > LaneOf<T>(1e-9) * max(abs(z.t), abs(length_))) return std::nullopt;
  return solution_difference(z, z_.state(), map_.system->elements());
}

COTANGENT_INSTANTIATE(PRECISIONS, FinerRun);

}  // namespace cotangent
