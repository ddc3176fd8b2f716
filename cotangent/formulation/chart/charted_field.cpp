#include "cotangent/formulation/chart/charted_field.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/solve/iteration/stopping.hpp"

namespace cotangent {
namespace {

// Charts that a step is made in, or fails in, before one of them is taken.
constexpr std::size_t kMostTries = 7;

// With hysteresis a chart is kept until its quality has fallen to this part of what it was.
constexpr double kDegraded = 0.3;

template <class T>
std::unique_ptr<Atlas<T>> make_atlas(Manifold<T>& manifold, const FormulationOptions& options) {
  if (options.chart == ChartKind::partition) return make_partition_atlas(manifold);
  return make_basis_atlas(manifold, options.chart, options.chart_update != ChartUpdate::every_step);
}

}  // namespace

template <class T>
ChartedField<T>::ChartedField(FormulationFacts facts, Manifold<T>& manifold, const FormulationOptions& options)
    : PhaseSpaceField<T>(std::move(facts), manifold),
      q_(this->n(), T(0)),
      zero_rows_(this->m(), T(0)),
      update_(options.chart_update),
      atlas_(make_atlas(manifold, options)),
      start_(q_),
      middle_(q_),
      delta_(q_),
      rows_(this->m(), T(0)),
      step_(q_),
      probe_(q_) {}

// How far [A; G] is from singular where it was last factored: the least of max |A'u| / max |v| for some u, v being the
// tangent with A v = u. (Entries of [A; G] do not tell: several constraints may be singular together.)
template <class T>
double ChartedField<T>::quality() {
  const auto largest = [](const std::vector<T>& x) {
    double most = 0;
    for (const T& entry : x) {
      const double size = std::abs(static_cast<double>(entry));
      most = std::isfinite(size) ? std::max(most, size) : std::numeric_limits<double>::infinity();
    }
    return most;
  };
  const auto d = static_cast<std::size_t>(chart_->size());
  double least = 1;
  for (unsigned probe = 0; probe < 3 && d > 0; ++probe) {
    for (std::size_t k = 0; k < d; ++k) delta_[k] = T(probe_entry(k, probe));
    chart_->transpose(delta_.data(), probe_.data());
    chart_->lift(delta_.data(), zero_rows_.data(), step_.data());
    least = std::min(least, largest(probe_) / largest(step_));
  }
  return least;
}

template <class T>
void ChartedField<T>::begin_step(const PhasePoint<T>& z, const OwnVariables<T>& own) {
  start_ = z.q;
  if (is_held_) return;
  tries_.clear();
  is_settled_ = false;
  const T t(z.t);
  if (update_ == ChartUpdate::hysteresis && own.owner == this->id() && !own.chart.empty()) {
    chart_ = atlas_->find(own.chart);
    first_quality_ = own.quality;
    if (chart_ && chart_->factor(z.q.data(), t) && quality() >= kDegraded * first_quality_) return;
  }
  // Whatever came before: a step is a function of where it begins.
  chart_ = atlas_->at(z.q.data(), t);
  if (update_ == ChartUpdate::hysteresis) measure(z.q.data(), t);
}

// @return the time there.
template <class T>
T ChartedField<T>::to_middle(const PhasePoint<T>& begin, const PhasePoint<T>& end) {
  for (std::size_t j = 0; j < middle_.size(); ++j) middle_[j] = T(0.5) * (begin.q[j] + end.q[j]);
  return T(0.5) * (T(begin.t) + T(end.t));
}

template <class T>
bool ChartedField<T>::is_right_chart(const PhasePoint<T>& begin, const PhasePoint<T>& end) {
  if (update_ == ChartUpdate::every_step || is_settled_ || is_held_) return true;
  if (update_ == ChartUpdate::hysteresis) {
    is_settled_ = true;
    // The factors are those of the end. A step after which the quality has fallen twice as far may have ended on the
    // wrong side of where the chart is singular.
    if (quality() >= kDegraded * kDegraded * first_quality_) return true;
    const T t = to_middle(begin, end);
    const ChartPointer before = std::exchange(chart_, atlas_->at(middle_.data(), t));
    measure(middle_.data(), t);
    return chart_ == before;
  }
  const T t = to_middle(begin, end);
  tries_.push_back({chart_, atlas_->at(middle_.data(), t)});
  // The step back would begin in the chart of the end, and may find it right.
  const ChartPointer& wanted = tries_.back().wanted;
  const bool finds_itself = wanted->key() == chart_->key();
  return !try_chart(finds_itself ? atlas_->at(end.q.data(), T(end.t)) : wanted) && is_last_choice();
}

// How the last try of it ended: one that failed from remembered stages may work without them.
template <class T>
const typename ChartedField<T>::Try* ChartedField<T>::find(const Chart<T>& chart) const {
  const auto last =
      std::find_if(tries_.rbegin(), tries_.rend(), [&](const Try& one) { return one.chart->key() == chart.key(); });
  return last == tries_.rend() ? nullptr : &*last;
}

// Whether it has not been tried, and will be now.
template <class T>
bool ChartedField<T>::try_chart(ChartPointer chart) {
  if (find(*chart) || tries_.size() >= kMostTries) return false;
  chart_ = std::move(chart);
  return true;
}

// Of those that find themselves right, alone or round in circles, the one with the smallest key.
template <class T>
const typename ChartedField<T>::Try* ChartedField<T>::right_one() const {
  const Try* right = nullptr;
  for (const Try& one : tries_) {
    const Try* at = &one;
    for (std::size_t k = 0; k < tries_.size() && at && at->wanted; ++k) {
      at = find(*at->wanted);
      if (at == &one && (!right || one.chart->key() < right->chart->key())) right = &one;
    }
  }
  return right;
}

// All have been tried. Whether the one that is taken is that of the step that was made last; otherwise changes to it.
template <class T>
bool ChartedField<T>::is_last_choice() {
  if (tries_.size() >= 2 * kMostTries) return true;  // each has been tried twice
  if (const Try* right = right_one()) {
    is_settled_ = true;
    const ChartPointer before = std::exchange(chart_, right->chart);
    return chart_->key() == before->key();
  }
  // They lead to one that has failed, and will do so again; or there were too many of them.
  const Try* at = find(*tries_.back().wanted);
  while (at && at->wanted) at = find(*at->wanted);
  if (at) chart_ = at->chart;
  return !at;
}

// The best of those that were right; or those of the regions of the beginning, of the middle and of the end, as far as
// the velocity tells.
template <class T>
bool ChartedField<T>::choose_another_chart(const PhasePoint<T>& z, LaneOf<T> h) {
  if (is_held_) return false;
  tries_.push_back({chart_, nullptr});
  if (right_one()) return !is_last_choice();
  this->psi_.at(z);
  for (const double part : {0.0, 0.5, 1.0}) {
    const T along = T(part) * T(h);
    bool is_finite = true;
    for (std::size_t j = 0; j < middle_.size(); ++j) {
      middle_[j] = z.q[j] + along * this->psi_.v()[j];
      is_finite = is_finite && isfinite(middle_[j]);
    }
    if (!is_finite) return false;
    if (!try_chart(atlas_->at(middle_.data(), T(z.t) + along))) continue;
    if (update_ == ChartUpdate::hysteresis) measure(z.q.data(), T(z.t));
    return true;
  }
  return false;
}

// A q = delta holds after the first correction; then dq = [A; G]^-1 [0; -g].
template <class T>
bool ChartedField<T>::find_position(const T* delta, const T& t, const T* guess) {
  std::copy_n(guess, q_.size(), q_.begin());
  const auto d = static_cast<std::size_t>(chart_->size());
  Mask<T> found(true);
  RoundingStop<T> stop({.max_stalls = 10});
  while (true) {
    this->narrow(found, chart_->factor(q_.data(), t), StepStatus::position_solve_failed);
    if (!found) return false;
    chart_->coordinates(q_.data(), delta_.data());
    for (std::size_t k = 0; k < d; ++k) delta_[k] = delta[k] - delta_[k];
    this->manifold_.system().at(q_, t).g(rows_);
    for (T& row : rows_) row = -row;
    chart_->lift(delta_.data(), rows_.data(), step_.data());
    T change(0), size(0);
    for (std::size_t j = 0; j < q_.size(); ++j) {
      q_[j] += step_[j];
      const T moved = abs(step_[j]);
      change = max(change, isfinite(moved) ? moved : T(infinity<T>()));
      size = max(size, abs(q_[j]));
    }
    if (!stop.update(change, T(4 * epsilon<T>()) * size)) break;
  }
  this->narrow(found, isfinite(stop.residual()), StepStatus::not_finite);
  // Near where constraints become dependent [A; G] leaves digits of q open, in any chart: it is g that meets its
  // rounding. Rows that the chart does without, since they followed from others where it was made, meet half its
  // digits.
  const bool has_all_rows = d + this->m() <= this->n();
  if (found && !(stop.converged() && has_all_rows)) {
    const auto residual = this->manifold_.position_residual(q_.data(), t);
    const T units = stop.converged() ? T(1) / sqrt(T(epsilon<T>())) : T(kNearUnits);
    this->narrow(found, residual.value <= units * residual.level, StepStatus::position_solve_failed);
  }
  return found;
}

COTANGENT_INSTANTIATE(TRAJECTORIES, ChartedField);

}  // namespace cotangent
