#include "cotangent/monitor/reversal_probe.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/base/magnitudes.hpp"
#include "cotangent/manifold/redundancy.hpp"
#include "cotangent/monitor/position_blur.hpp"
#include "cotangent/monitor/reference.hpp"

namespace cotangent {
namespace {

constexpr double kBlurred = 0.01;
// Two charts differ by errors of the method, not by those of rounding.
constexpr double kElsewhere = 1e-9;

// In units of a size, of which there may be none.
template <class T>
double in_units(const T& change, double size) {
  const auto x = static_cast<double>(change);
  // A comparison with what is no number would lose it.
  if (!std::isfinite(x)) return std::numeric_limits<double>::infinity();
  return size > 0 ? x / size : x;
}

template <class T>
void move(std::vector<T>& x, double by) {
  for (std::size_t j = 0; j < x.size(); ++j) {
    // In all directions, without a pattern.
    const double turns = std::sqrt(2.0) * static_cast<double>(j + 1);
    x[j] += T(turns - std::floor(turns) < 0.5 ? -by : by);
  }
}

}  // namespace

template <class T>
ReversalProbe<T>::ReversalProbe(StepMap<T> map, bool begins_anywhere)
    : map_(std::move(map)),
      begins_anywhere_(begins_anywhere),
      sizes_(static_cast<std::size_t>(map_.system->n())),
      rows_(static_cast<std::size_t>(map_.system->m())),
      lengths_(rows_) {
  if (!rows_.empty()) scales_.emplace(*map_.system);
  if (map_.integrator->facts().keeps_energy) energy_blur_.emplace(*map_.manifold);
}

template <class T>
void ReversalProbe<T>::start(const PhasePoint<T>& z, LaneOf<T> h) {
  is_picked_ = {};
  count_ = failed_ = blurred_ = elsewhere_ = 0;
  defect_ = level_ = 0;
  settle_redundancy(*map_.manifold, z);
  map_.projector->start(z);
  // What is compiled when it is first used belongs to the set-up.
  end_ = back_ = moved_ = z;
  static_cast<void>(advance(back_, h, 1, map_.projector->is_active()));
}

template <class T>
bool ReversalProbe<T>::advance(PhasePoint<T>& z, LaneOf<T> h, int parts, bool is_projected) {
  for (int k = 0; k < parts; ++k)
    if (!all(map_.integrator->step(z, h / static_cast<LaneOf<T>>(parts)).ok)) return false;
  map_.projector->set_step(h);
  return !is_projected || all(map_.projector->project(z).ok);
}

template <class T>
double ReversalProbe<T>::relative_change(const PhasePoint<T>& z, const PhasePoint<T>& w, const Sizes& sizes) const {
  return std::max({in_units(largest_difference(z.q, w.q), sizes.q), in_units(largest_difference(z.p, w.p), sizes.p),
                   in_units(largest_difference(z.s, w.s, states()), sizes.s)});
}

template <class T>
double ReversalProbe<T>::condition(const MadeStep<T>& step, const Sizes& sizes) {
  return 1 + std::max(growth(step, sizes, 1), growth(step, sizes, -1));
}

// How much worse points are known than to epsilon: by what is rounded inside g and inside H, 1 if nothing is.
template <class T>
double ReversalProbe<T>::blur(const Sizes& sizes) {
  return 1 + blur_by_constraints(sizes) + (energy_blur_ ? (*energy_blur_)(end_, sizes.q, sizes.p) : 0);
}

template <class T>
double ReversalProbe<T>::blur_by_constraints(const Sizes& sizes) {
  if (!scales_ || !(sizes.q > 0)) return 0;
  scales_->evaluate(end_.q.data(), T(end_.t));
  if (!blur_of_positions(*scales_, sizes_, rows_, lengths_)) return 0;
  return static_cast<double>(largest_of(rows_)) / sizes.q;
}

// Points off the constraints will do, unless the method has none there. In some direction coordinates and momenta may
// cancel: they are moved in the same one and in opposite ones.
template <class T>
double ReversalProbe<T>::growth(const MadeStep<T>& step, const Sizes& sizes, double sign) {
  const double d = std::sqrt(static_cast<double>(epsilon<T>()));
  for (const bool is_consistent : {false, true}) {
    moved_ = end_;
    move(moved_.q, d * sizes.q);
    move(moved_.p, sign * d * sizes.p);
    move(moved_.s, d * sizes.s);
    moved_.touch();
    if (is_consistent) {
      if (!map_.manifold->project_position(moved_).converged) continue;
      if (!map_.manifold->project_momentum(moved_).converged) continue;
    }
    if (advance(moved_, -step.length, step.parts, step.is_projected)) return relative_change(back_, moved_, sizes) / d;
  }
  // Neighbours that cannot be followed are those of a point where nothing is known.
  return std::numeric_limits<double>::infinity();
}

template <class T>
void ReversalProbe<T>::follow(const MadeStep<T>& step) {
  if (begins_anywhere_ && step.begin.t == 0) return;
  if (!is_picked_()) return;
  ++count_;
  end_ = step.begin;
  if (!advance(end_, step.length, step.parts, step.is_projected)) {
    ++failed_;
    return;
  }
  back_ = end_;
  const std::int64_t charts = map_.integrator->chart_changes();
  const bool is_made = advance(back_, -step.length, step.parts, step.is_projected);
  const bool changes_charts = map_.integrator->chart_changes() != charts;
  const auto size = [](const std::vector<T>& x, const std::vector<T>& y) {
    return static_cast<double>(max(largest_of(x), largest_of(y)));
  };
  T of_states(0);
  for (std::size_t k = 0; k < states(); ++k) of_states = max(of_states, max(abs(step.begin.s[k]), abs(end_.s[k])));
  const Sizes sizes{size(step.begin.q, end_.q), size(step.begin.p, end_.p), static_cast<double>(of_states)};
  const double defect = relative_change(step.begin, back_, sizes);
  if (!is_made) {
    ++failed_;
    return;
  }
  const double level = static_cast<double>(epsilon<T>()) * condition(step, sizes) * blur(sizes);
  // Beyond this nothing of the step is left to go back to.
  if (!std::isfinite(defect) || !(level < kBlurred)) {
    ++blurred_;
    return;
  }
  if (changes_charts && defect > kElsewhere) {
    ++elsewhere_;
    return;
  }
  if (level_ == 0 || defect * level_ > defect_ * level) {
    defect_ = defect;
    level_ = level;
  }
}

COTANGENT_INSTANTIATE(PRECISIONS, ReversalProbe);

}  // namespace cotangent
