#include "cotangent/monitor/reversal_probe.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "cotangent/manifold/redundancy.hpp"
#include "cotangent/monitor/reference.hpp"

namespace cotangent {
namespace {

template <class T>
double relative_change(const std::vector<T>& x, const std::vector<T>& y) {
  T size(0);
  for (const T& entry : x) size = max(size, abs(entry));
  const auto change = static_cast<double>(largest_difference(x, y));
  // A comparison with what is no number would lose it.
  if (!std::isfinite(change)) return std::numeric_limits<double>::infinity();
  return size > T(0) ? change / static_cast<double>(size) : change;
}

}  // namespace

template <class T>
void ReversalProbe<T>::start(const PhasePoint<T>& z, LaneOf<T> h) {
  is_picked_ = {};
  count_ = failed_ = 0;
  largest_ = 0;
  settle_redundancy(*map_.manifold, z);
  map_.projector->start(z);
  // What is compiled when it is first used belongs to the set-up.
  z_ = z;
  static_cast<void>(advance(z_, h, 1, map_.projector->is_active()));
}

template <class T>
bool ReversalProbe<T>::advance(PhasePoint<T>& z, LaneOf<T> h, int parts, bool is_projected) {
  for (int k = 0; k < parts; ++k)
    if (!all(map_.integrator->step(z, h / static_cast<LaneOf<T>>(parts)).ok)) return false;
  return !is_projected || all(map_.projector->project(z).ok);
}

template <class T>
void ReversalProbe<T>::follow(const MadeStep<T>& step) {
  if (!is_picked_()) return;
  ++count_;
  z_ = step.begin;
  const bool is_made = advance(z_, step.length, step.parts, step.is_projected) &&
                       advance(z_, -step.length, step.parts, step.is_projected);
  const double defect = std::max(
      {relative_change(step.begin.q, z_.q), relative_change(step.begin.p, z_.p), relative_change(step.begin.s, z_.s)});
  if (is_made && std::isfinite(defect)) {
    largest_ = std::max(largest_, defect);
  } else {
    ++failed_;
  }
}

template class ReversalProbe<double>;
template class ReversalProbe<long double>;
template class ReversalProbe<Quad>;

}  // namespace cotangent
