#include "cotangent/formulation/charted_field.hpp"

#include <algorithm>

#include "cotangent/solve/stopping.hpp"

namespace cotangent {
namespace {

// With hysteresis a chart is kept until its quality has fallen to this.
constexpr double kDegraded = 0.3;

template <class T>
std::unique_ptr<Atlas<T>> make_atlas(System<T>& system, const FormulationOptions& options) {
  if (options.chart == ChartKind::partition) return make_partition_atlas(system);
  return make_basis_atlas(system, options.chart, options.chart_update != ChartUpdate::every_step);
}

}  // namespace

template <class T>
ChartedField<T>::ChartedField(FormulationFacts facts, Manifold<T>& manifold, const FormulationOptions& options)
    : PhaseSpaceField<T>(std::move(facts), manifold),
      q_(this->n(), T(0)),
      zero_rows_(this->m(), T(0)),
      update_(options.chart_update),
      atlas_(make_atlas(manifold.system(), options)),
      start_(q_),
      middle_(q_),
      delta_(q_),
      rows_(this->m(), T(0)),
      step_(q_) {}

template <class T>
void ChartedField<T>::change_to_region_of(const T* q, const T& t) {
  changes_ += chart_ ? 1 : 0;
  chart_ = atlas_->make(q, t);
}

template <class T>
void ChartedField<T>::begin_step(const PhasePoint<T>& z) {
  start_ = z.q;
  if (is_held_) return;
  tried_.clear();
  is_settled_ = false;
  const T t(z.t);
  if (!chart_ || update_ == ChartUpdate::every_step) {
    change_to_region_of(z.q.data(), t);
  } else if (update_ == ChartUpdate::midpoint) {
    // Whatever came before: a step is a function of where it begins.
    if (atlas_->key_at(z.q.data(), t) != chart_->key()) change_to_region_of(z.q.data(), t);
  } else if (update_ == ChartUpdate::hysteresis) {
    if (!chart_->factor(z.q.data(), t) || chart_->quality() < kDegraded) change_to_region_of(z.q.data(), t);
  }
}

template <class T>
bool ChartedField<T>::is_right_chart(const PhasePoint<T>& begin, const PhasePoint<T>& end) {
  if (update_ != ChartUpdate::midpoint || is_settled_ || is_held_) return true;
  for (std::size_t j = 0; j < middle_.size(); ++j) middle_[j] = T(0.5) * (begin.q[j] + end.q[j]);
  const T t = T(0.5) * (T(begin.t) + T(end.t));
  const auto& wanted = atlas_->key_at(middle_.data(), t);
  if (wanted == chart_->key()) return true;
  tried_.push_back(chart_->key());
  const auto before = std::find(tried_.begin(), tried_.end(), wanted);
  if (before == tried_.end()) {
    change_to_region_of(middle_.data(), t);
    return false;
  }
  // Round in circles: of those on the circle the one with the smallest key.
  is_settled_ = true;
  if (*std::min_element(before, tried_.end()) == chart_->key()) return true;
  is_settled_ = std::distance(before, tried_.end()) <= 2;
  change_to_region_of(middle_.data(), t);
  return false;
}

// A q = delta holds after the first correction; then dq = [A; G]^-1 [0; -g].
template <class T>
bool ChartedField<T>::find_position(const T* delta, const T& t, const T* guess) {
  std::copy_n(guess, q_.size(), q_.begin());
  const auto d = static_cast<std::size_t>(chart_->size());
  bool found = true;
  RoundingStop<T> stop({.max_stalls = 10});
  while (true) {
    this->narrow(found, chart_->factor(q_.data(), t), FieldCause::position);
    if (!found) return false;
    chart_->coordinates(q_.data(), delta_.data());
    for (std::size_t k = 0; k < d; ++k) delta_[k] = delta[k] - delta_[k];
    this->psi_.g_at(q_.data(), t, rows_.data());
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
  this->narrow(found, isfinite(stop.residual()), FieldCause::not_finite);
  this->narrow(found, stop.converged(), FieldCause::position);
  return found;
}

template class ChartedField<double>;
template class ChartedField<long double>;
template class ChartedField<Quad>;
template class ChartedField<Tangents>;

}  // namespace cotangent
