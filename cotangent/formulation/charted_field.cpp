#include "cotangent/formulation/charted_field.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/solve/stopping.hpp"

namespace cotangent {
namespace {

// With hysteresis a chart is kept until its quality has fallen to this part of what it was; a step at the end of which
// it is less than that other part may have ended on the wrong side of where the chart is singular.
constexpr double kDegraded = 0.3, kBroken = 0.1;

// Charts that a step is made in, or fails in, before the best of those that were right is taken.
constexpr std::size_t kMostTries = 5;

// So many units of rounding are left of constraints that follow from others.
constexpr double kFollows = 1e6;

bool contains(const std::vector<std::vector<std::int64_t>>& keys, const std::vector<std::int64_t>& key) {
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

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
      probe_(q_) {
  // More than a step is made in.
  constexpr std::size_t kMost = 16;
  tried_.reserve(kMost);
  to_try_.reserve(kMost);
}

// Whether it is another one.
template <class T>
bool ChartedField<T>::change_to(std::shared_ptr<Chart<T>> chart) {
  if (chart_ == chart) return false;
  chart_ = std::move(chart);
  return true;
}

template <class T>
bool ChartedField<T>::change_by_hysteresis(const T* q, const T& t) {
  const bool changed = change_to(atlas_->at(q, t));
  first_quality_ = chart_->factor(q, t) ? quality() : 0;
  return changed;
}

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
  tried_.clear();
  failed_.clear();
  to_try_.clear();
  right_.reset();
  ahead_ = 0;
  is_settled_ = false;
  const T t(z.t);
  if (update_ == ChartUpdate::hysteresis) {
    chart_ = own.owner == this->id() && !own.chart.empty() ? atlas_->find(own.chart) : nullptr;
    first_quality_ = own.quality;
    if (!chart_ || !chart_->factor(z.q.data(), t) || quality() < kDegraded * first_quality_)
      static_cast<void>(change_by_hysteresis(z.q.data(), t));
  } else {
    // Whatever came before: a step is a function of where it begins.
    static_cast<void>(change_to(atlas_->at(z.q.data(), t)));
  }
}

template <class T>
void ChartedField<T>::to_middle(const PhasePoint<T>& begin, const PhasePoint<T>& end) {
  for (std::size_t j = 0; j < middle_.size(); ++j) middle_[j] = T(0.5) * (begin.q[j] + end.q[j]);
  t_middle_ = T(0.5) * (T(begin.t) + T(end.t));
}

template <class T>
bool ChartedField<T>::is_right_chart(const PhasePoint<T>& begin, const PhasePoint<T>& end) {
  if (update_ == ChartUpdate::every_step || is_settled_ || is_held_) return true;
  if (update_ == ChartUpdate::hysteresis) {
    is_settled_ = true;
    if (quality() >= kBroken * first_quality_) return true;  // the factors are those of the end
    to_middle(begin, end);
    return !change_by_hysteresis(middle_.data(), t_middle_);
  }
  to_middle(begin, end);
  auto wanted = atlas_->at(middle_.data(), t_middle_);
  tried_.push_back({chart_, wanted});
  if (wanted->key() == chart_->key()) {
    if (!right_ || chart_->key() < right_->key()) right_ = chart_;
    // The step back would begin in the chart of the end, and may find it right.
    to_try_.push_back(atlas_->at(end.q.data(), T(end.t)));
  } else {
    to_try_.push_back(std::move(wanted));
  }
  return !try_next() && is_last_choice();
}

template <class T>
bool ChartedField<T>::was_tried(const Chart<T>& chart) const {
  return std::any_of(tried_.begin(), tried_.end(), [&](const Try& one) { return one.chart->key() == chart.key(); });
}

// Changes to a chart that has not been tried; whether there is one.
template <class T>
bool ChartedField<T>::try_next() {
  // There must be attempts left to make the step in the one that is right.
  if (right_ && tried_.size() + failed_.size() >= kMostTries) to_try_.clear();
  while (!to_try_.empty()) {
    auto chart = std::move(to_try_.back());
    to_try_.pop_back();
    if (contains(failed_, chart->key()) || was_tried(*chart)) continue;
    static_cast<void>(change_to(std::move(chart)));
    return true;
  }
  return false;
}

// All have been tried. Whether the one that is taken is that of the step that was made last; otherwise changes to it.
template <class T>
bool ChartedField<T>::is_last_choice() {
  is_settled_ = true;
  auto chosen = right_;
  if (!chosen) {
    // Each finds the next one right, round in circles: of those on the circle the one with the smallest key.
    const auto follow = [&](const Try& one) {
      const auto next = std::find_if(tried_.begin(), tried_.end(),
                                     [&](const Try& other) { return other.chart->key() == one.wanted->key(); });
      return next == tried_.end() ? nullptr : &*next;
    };
    const Try* at = &tried_.back();
    for (std::size_t k = 0; k < tried_.size(); ++k) {
      const Try* next = follow(*at);
      if (!next) {
        // It has failed, and will do so again.
        is_settled_ = false;
        static_cast<void>(change_to(at->wanted));
        return false;
      }
      at = next;
    }
    chosen = at->chart;
    for (const Try* next = follow(*at); next != at; next = follow(*next))
      if (next->chart->key() < chosen->key()) chosen = next->chart;
  }
  return !change_to(std::move(chosen));
}

// Those that are left to try; then regions of the beginning, of the middle and of the end, as far as the velocity
// tells.
template <class T>
bool ChartedField<T>::choose_another_chart(const PhasePoint<T>& z, LaneOf<T> h) {
  if (is_held_) return false;
  failed_.push_back(chart_->key());
  if (try_next()) return true;
  if (right_) return !is_last_choice();
  this->psi_.at(z);
  while (ahead_ <= 2) {
    const T along = T(0.5 * ahead_++) * T(h);
    bool is_finite = true;
    for (std::size_t j = 0; j < middle_.size(); ++j) {
      middle_[j] = z.q[j] + along * this->psi_.v()[j];
      is_finite = is_finite && isfinite(middle_[j]);
    }
    if (!is_finite) return false;
    auto chart = atlas_->at(middle_.data(), T(z.t) + along);
    if (contains(failed_, chart->key()) || was_tried(*chart)) continue;
    static_cast<void>(change_to(std::move(chart)));
    if (update_ == ChartUpdate::hysteresis) first_quality_ = chart_->factor(z.q.data(), T(z.t)) ? quality() : 0;
    return true;
  }
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
  this->narrow(found, isfinite(stop.residual()), FieldCause::not_finite);
  // Near where constraints become dependent [A; G] leaves digits of q open, in any chart: it is g that meets its
  // rounding.
  if (found && !stop.converged()) {
    const auto residual = this->manifold_.position_residual(q_.data(), t);
    this->narrow(found, residual.value <= T(kNearUnits) * residual.level, FieldCause::position);
  }
  if (found && d + this->m() > this->n()) {
    // Rows that the chart does without, since they followed from others where it was made.
    const auto residual = this->manifold_.position_residual(q_.data(), t);
    this->narrow(found, residual.value <= T(kFollows) * residual.level, FieldCause::position);
  }
  return found;
}

COTANGENT_INSTANTIATE(TRAJECTORIES, ChartedField);

}  // namespace cotangent
