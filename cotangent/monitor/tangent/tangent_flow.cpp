#include "cotangent/monitor/tangent/tangent_flow.hpp"

#include <algorithm>
#include <cmath>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/monitor/tangent/dual_point.hpp"

namespace cotangent {

template <class T>
TangentFrame TangentFlow<T>::first_frame(const PhasePoint<T>& z) {
  switch (extent_) {
    case Extent::one_pair:
      return choice_.pair(z);
    case Extent::neighbour:
      return choice_.neighbour(z);
    case Extent::basis:
      return choice_.basis(z);
    case Extent::everything:
      return choice_.everything(z);
  }
  return {};
}

template <class T>
void TangentFlow<T>::start(const PhasePoint<T>& z, LaneOf<T> h) {
  loss_.reset();
  start_time_ = z.t;
  long_step_.reset();
  log_scale_ = log_volume_ = rounding2_ = rounding_sum_ = 0;
  area_ = 1;
  area_power_ = 0;
  map_->manifold->matrix().set_nullity(manifold_.matrix().nullity());
  choice_.set_measure(z, static_cast<double>(h));
  frame_ = first_frame(z);
  const TangentMeasure& measure = frame_.measure();
  const bool has_states = extent_ == Extent::neighbour || extent_ == Extent::everything;
  const bool can_move = choice_.dimension() > 0 || (has_states && measure.states > 0);
  if (!can_move || frame_.orthonormalise() < frame_.dimension()) {
    loss_ = Loss{static_cast<double>(z.t), "the constraints leave no directions"};
    return;
  }
  for (Point<Tangents>& w : frame_.points()) map_->integrator->begin(w);
  begin_stretch();
  sum_.assign(products_.size(), 0);
  // What is compiled when it is first used belongs to the set-up.
  Point<Tangents> rehearsed = frame_.points().front();
  static_cast<void>(map_->integrator->step(rehearsed, static_cast<double>(h)));
  if (!measure.has_impetus) return;
  if (!impetus_) impetus_.emplace(*map_->manifold);
  if (!rehearsed.own().p.empty()) static_cast<void>(impetus_->lift(rehearsed));
}

template <class T>
void TangentFlow<T>::follow(const MadeStep<T>& step) {
  if (loss_) return;
  for (Point<Tangents>& w : frame_.points()) {
    step.check_interruption();
    set_values(step.begin, w);
    const StepStatus status = map_->integrator->step(w, static_cast<double>(step.length)).status;
    if (status != StepStatus::ok)
      return lose(step.begin,
                  std::string("the step from there could not be made with tangents, because ") + describe(status));
  }
  if (frame_.points().front().trajectory().numbers.empty())
    frame_.drop_states(frame_.measure().states, step.end->s.size());
  if (extent_ == Extent::everything) {
    if (frame_.orthonormalise(&log_volume_) < frame_.dimension()) lose(step.begin, "the step from there folds volumes");
    return;
  }
  const double before = gram_.first;
  gram_ = frame_.gram();
  if (const double factor = std::sqrt(gram_.first / before);
      !long_step_ && (factor > TangentFrame::kLong || factor * TangentFrame::kLong < 1))
    long_step_ = LongStep{static_cast<double>(step.begin->t), factor};
  if (extent_ == Extent::one_pair) {
    const double error = in_units(epsilon<double>() * std::sqrt(gram_.first * gram_.second));
    rounding2_ += error * error;
    rounding_sum_ += std::abs(error);
  }
  bool is_in_shape = frame_.is_in_shape(0, gram_);
  for (std::size_t k = 1; is_in_shape && k < frame_.points().size(); ++k)
    is_in_shape = frame_.is_in_shape(k, frame_.gram(k));
  if (!is_in_shape) reshape(step.end);
}

template <class T>
void TangentFlow<T>::reshape(const PhasePoint<T>& z) {
  end_stretch();
  std::size_t made = frame_.orthonormalise();
  if (extent_ == Extent::one_pair && made > 0) {
    const bool is_narrow = !(std::abs(frame_.gram().wedge) * TangentFrame::kLong * TangentFrame::kLong > 1);
    if (made == 1 || is_narrow) made = renew(z);
  }
  if (made < frame_.dimension()) return lose(z, "the vectors of the basis are not independent any more");
  for (Point<Tangents>& w : frame_.points())
    if (impetus_ && w.own().is_current && !impetus_->lift(w)) w.forget();
  begin_stretch();
}

// The first vector goes on, and with it what belongs to it; the second is another one. An impetus, which is not a
// function of q and p, is moved with them; other variables are made anew.
template <class T>
std::size_t TangentFlow<T>::renew(const PhasePoint<T>& z) {
  Point<Tangents>& w = frame_.points().front();
  const bool has_impetus = impetus_ && w.own().is_current;
  frame_.drop_states(0, frame_.measure().states);
  TangentFrame fresh = choice_.widest(z, frame_.vector(0));
  map_->integrator->begin(fresh.points().front());
  frame_.scale(1, 0);
  frame_.add(1, 1, fresh, 1);
  log_scale_ += 0.5 * std::log(frame_.inner(0, 0));
  const std::size_t made = frame_.orthonormalise();
  w.own().is_current = has_impetus;
  return made;
}

template <class T>
void TangentFlow<T>::begin_stretch() {
  gram_ = frame_.gram();
  wedge_before_ = gram_.wedge;
  products_.clear();
  each_product([this](double product, std::size_t /*at*/) { products_.push_back(product); });
}

template <class T>
void TangentFlow<T>::end_stretch() {
  log_scale_ = log_growth();
  int power = 0;
  area_ = std::frexp(area_ * (gram_.wedge / wedge_before_), &power);
  area_power_ += power;
  each_product([this](double product, std::size_t at) { sum_[at] += product - products_[at]; });
}

// take(wedge product, its place) of all vectors i < k of a basis.
template <class T>
template <class F>
void TangentFlow<T>::each_product(const F& take) const {
  if (extent_ != Extent::basis) return;
  std::size_t at = 0;
  for (std::size_t i = 0; i < frame_.dimension(); ++i)
    for (std::size_t k = i + 1; k < frame_.dimension(); ++k) take(frame_.wedge(i, k), at++);
}

template <class T>
double TangentFlow<T>::defect() const {
  double most = 0;
  each_product(
      [&](double product, std::size_t at) { most = std::max(most, std::abs(sum_[at] + (product - products_[at]))); });
  return most;
}

template <class T>
void TangentFlow<T>::lose(const PhasePoint<T>& z, const std::string& why) {
  const bool has_length = gram_.first > 0 && std::isfinite(gram_.first);
  loss_ = Loss{static_cast<double>(z.t), has_length && !frame_.is_out_of_range()
                                             ? why
                                             : "the vectors have become too long, or too short, for numbers"};
}

template <class T>
void TangentFlow<T>::state(Archive& archive) {
  archive("start", start_time_);
  archive("frame", frame_);
  archive("choice", choice_);
  archive("log_scale", log_scale_);
  archive("area", area_);
  archive("area_power", area_power_);
  archive("wedge_before", wedge_before_);
  archive("products", products_);
  archive("sum", sum_);
  archive("log_volume", log_volume_);
  archive("rounding2", rounding2_);
  archive("rounding_sum", rounding_sum_);
  archive("loss", loss_);
  archive("long_step", long_step_);
  archive("map", *map_);
  if (!frame_.points().empty()) gram_ = frame_.gram();
}

COTANGENT_INSTANTIATE(PRECISIONS, TangentFlow);

}  // namespace cotangent
