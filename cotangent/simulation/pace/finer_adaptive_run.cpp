#include "cotangent/simulation/pace/finer_adaptive_run.hpp"

#include "cotangent/base/instantiate.hpp"
#include "cotangent/manifold/redundancy.hpp"

namespace cotangent {

template <class T>
void FinerAdaptiveRun<T>::start(const PhasePoint<T>& z, LaneOf<T> /*h*/) {
  is_lost_ = false;
  is_there_ = true;
  steps_ = run_steps_ = 0;
  settle_redundancy(*map_.manifold, z);
  begin_ = z_ = there_ = z;
  stepper_.emplace(*map_.integrator, *map_.manifold, options_, density_.get());
  stepper_->start(z_);
}

// Goes on until its last step does not end before that of the run. Whether it could.
template <class T>
bool FinerAdaptiveRun<T>::reach(const MadeStep<T>& step) {
  while (options_.span().is_before(z_->t, step.end->t)) {
    step.check_interruption();
    swap(begin_, z_);
    if (stepper_->is_done(begin_, steps_) ||
        !stepper_->advance(begin_, steps_, Looks::at_every_step, z_, nullptr).is_whole) {
      z_ = begin_;
      return false;
    }
    ++steps_;
  }
  return true;
}

// Whether the point at the end of the run's step was found.
template <class T>
bool FinerAdaptiveRun<T>::land(const PhasePoint<T>& end) {
  if (z_->t == end.t || begin_->t == end.t) {
    there_ = z_->t == end.t ? z_ : begin_;
    return true;
  }
  LaneOf<T> length = (end.t - begin_->t) + (end.t_low - begin_->t_low);
  const auto make = [&](LaneOf<T> h) { return map_.integrator->step(begin_, h, there_); };
  if (!map_.integrator->facts().moves_time) return all(make(length).ok);
  return all(cotangent::land(begin_, end.t, length, there_, make).ok);
}

template <class T>
void FinerAdaptiveRun<T>::follow(const MadeStep<T>& step) {
  ++run_steps_;
  if (is_lost_) return;
  is_lost_ = !reach(step);
  is_there_ = !is_lost_ && land(step.end);
}

template <class T>
std::optional<SolutionError<T>> FinerAdaptiveRun<T>::error(const PhasePoint<T>& z) {
  if (is_lost_) return SolutionError<T>::unknown();
  if (!is_there_ || abs(z.t - there_->t) > LaneOf<T>(1e-9) * max(abs(z.t), abs(stepper_->usual_length())))
    return std::nullopt;
  return solution_difference(z, there_.state(), map_.system->elements());
}

template <class T>
std::string FinerAdaptiveRun<T>::remark() const {
  return is_lost_ ? lost_remark(static_cast<double>(z_->t)) : std::string();
}

template <class T>
void FinerAdaptiveRun<T>::state(Archive& archive) {
  archive("begin", begin_);
  archive("end", z_);
  archive("there", there_);
  archive("steps", steps_);
  archive("run_steps", run_steps_);
  archive("is_there", is_there_);
  archive("is_lost", is_lost_);
  archive("map", map_);
  archive.section("stepper", [&] { stepper_->state(archive, z_, steps_); });
}

COTANGENT_INSTANTIATE(PRECISIONS, FinerAdaptiveRun);

}  // namespace cotangent
