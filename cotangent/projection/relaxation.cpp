#include "cotangent/projection/relaxation.hpp"

#include <algorithm>
#include <cmath>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/base/magnitudes.hpp"
#include "cotangent/solve/iteration/stopping.hpp"

namespace cotangent {

template <class T>
Relaxation<T>::Relaxation(KeptInvariants<T>& invariants, std::size_t count, std::size_t size)
    : invariants_(invariants),
      count_(count),
      size_(size),
      J_(rows_, count, std::pow(static_cast<double>(epsilon<T>()), 2.0 / 3)),
      normals_(rows_, size, std::pow(static_cast<double>(epsilon<T>()), 2.0 / 3)),
      d_(count * size, T(0)),
      bend_(size, T(0)),
      gamma_(count, T(0)),
      dgamma_(gamma_),
      lengths_(gamma_),
      excess_(rows_, T(0)),
      scale_(excess_),
      bound_(excess_),
      excess_of_Z_(excess_),
      gradient_(size, T(0)),
      way_(gradient_) {}

// x = Z + sum_k gamma_k d_k, compensated.
template <class T>
void Relaxation<T>::go(const PhasePoint<T>& Z) {
  x_ = Z;
  std::size_t first = 0;
  for (const auto& [part, lost] : {std::pair{&PhasePoint<T>::q, &PhasePoint<T>::q_low},
                                   {&PhasePoint<T>::p, &PhasePoint<T>::p_low},
                                   {&PhasePoint<T>::s, &PhasePoint<T>::s_low}}) {
    std::vector<T>&x = x_.*part, &low = x_.*lost;
    for (std::size_t j = 0; j < x.size(); ++j) {
      T change(0);
      for (std::size_t k = 0; k < count_; ++k) change += gamma_[k] * direction(k)[first + j];
      x[j] = add_compensated(x[j], change, low[j]);
    }
    first += x.size();
  }
}

// What is left of I(x) - I(0), in units of what is added up in it, and of what would be if all numbers were as large as
// the largest of their kind; and its derivatives along the directions. A row that is made of rounding errors, that of a
// linear invariant, has no part in it.
template <class T>
Ratio<T> Relaxation<T>::residual(bool is_first) {
  invariants_.excess(x_, excess_.data());
  const std::size_t n = x_.q.size();
  steepness_ = T(0);
  for (std::size_t k = 0; k < rows_; ++k) {
    T* const I = gradient_.data();
    invariants_.gradient(x_, k, I, I + n, I + 2 * n);
    scale_[k] = bound_[k] = abs(invariants_.targets()[k]);
    const auto add = [&](const std::vector<T>& x, std::size_t first) {
      const T most = largest_of(x);
      for (std::size_t j = 0; j < x.size(); ++j) {
        scale_[k] += abs(I[first + j] * x[j]);
        bound_[k] += abs(I[first + j]) * most;
      }
    };
    add(x_.q, 0);
    add(x_.p, n);
    add(x_.s, 2 * n);
    T squared(0);
    for (std::size_t j = 0; j < size_; ++j) squared += I[j] * I[j];
    steepness_ += squared / (scale_[k] * scale_[k]);
    if (is_first) std::copy_n(I, size_, normals_.row(k));
    // Embedded results are small differences of stages.
    const T noise = sqrt(squared) * length_;
    Mask<T> is_seen(false);
    for (std::size_t i = 0; i < count_; ++i) {
      const T* const d = direction(i);
      T sum(0), size = i == 0 ? T(0) : noise;
      for (std::size_t j = 0; j < size_; ++j) {
        sum += I[j] * d[j];
        size += abs(I[j] * d[j]);
      }
      J_.row(k)[i] = sum / scale_[k];
      is_seen = is_seen | (abs(sum) > T(kNearUnits * epsilon<T>()) * size);
    }
    excess_[k] = select(is_seen, excess_[k], T(0));
    if (is_first) {
      excess_of_Z_[k] = excess_[k];
      way_at_least_ = max(way_at_least_, select(squared > T(0), excess_[k] * excess_[k] / squared, T(0)));
    }
    for (std::size_t i = 0; i < count_; ++i) J_.row(k)[i] = select(is_seen, J_.row(k)[i], T(0));
  }
  return {ratio_of(excess_.data(), scale_.data(), rows_).each, ratio_of(excess_.data(), bound_.data(), rows_).each};
}

// Newton's method for gamma: the smallest change of the point.
template <class T>
void Relaxation<T>::correct() {
  for (std::size_t i = 0; i < count_; ++i) {
    const T* const moved = i == 0 ? bend() : direction(i);
    T length(0);
    for (std::size_t j = 0; j < size_ && count_ > 1; ++j) length += moved[j] * moved[j];
    length *= steepness_;
    for (std::size_t k = 0; k < rows_ && count_ == 1; ++k) length += J_.row(k)[i] * J_.row(k)[i];  // any unit would do
    lengths_[i] = select(length > T(0), sqrt(length), T(1));
    for (std::size_t k = 0; k < rows_; ++k) J_.row(k)[i] = J_.row(k)[i] / lengths_[i];
  }
  for (std::size_t k = 0; k < rows_; ++k) excess_[k] = excess_[k] / scale_[k];
  J_.factor();
  J_.solve(excess_.data(), dgamma_.data());
  for (std::size_t i = 0; i < count_; ++i) gamma_[i] -= dgamma_[i] / lengths_[i];
}

// The square of the way from Z to the invariants, to first order.
template <class T>
T Relaxation<T>::way() {
  normals_.factor();
  normals_.solve(excess_of_Z_.data(), way_.data());
  T squared(0);
  for (const T& x : way_) squared += x * x;
  return squared;
}

// Whether the point, at its own time, is moved by much more than that: beyond ten times a step would lose more than a
// digit. The way is at least that to the farthest of the invariants, which mostly tells.
template <class T>
Mask<T> Relaxation<T>::is_detour() {
  constexpr int kDetour = 10;
  T squared(0);
  for (std::size_t j = 0; j < size_; ++j) {
    T change = -gamma_[0] * bend_[j];
    for (std::size_t k = 1; k < count_; ++k) change += gamma_[k] * direction(k)[j];
    squared += change * change;
  }
  squared /= T(kDetour * kDetour);
  const Mask<T> may_be = !(squared <= way_at_least_);
  return any(may_be) ? !(squared <= way()) : may_be;
}

template <class T>
T Relaxation<T>::change() const {
  T most(0);
  for (const T& gamma : gamma_) most = max(most, abs(gamma));
  return most;
}

template <class T>
StepReport<T> Relaxation<T>::operator()(LaneOf<T> h, PhasePoint<T>& Z) {
  StepReport<T> report;
  std::fill(gamma_.begin(), gamma_.end(), T(0));
  length_ = T(0);
  for (std::size_t j = 0; j < size_; ++j) length_ += d_[j] * d_[j];
  length_ = sqrt(length_);
  const T level(kZeroUnits * epsilon<T>()), near(kNearUnits * epsilon<T>());
  report.tolerance = level;
  RoundingStop<T> stop;
  Mask<T> is_near_at_first(false);
  way_at_least_ = T(0);
  while (true) {
    go(Z);
    const bool is_first = stop.iterations() == 0;
    const Ratio<T> ratio = residual(is_first);
    if (!stop.update(ratio.each, ratio.each <= level, ratio.overall <= near)) break;
    if (is_first) is_near_at_first = ratio.overall <= near;
    correct();
    if (!stop.fail(!(T(2) * change() <= T(1)))) break;
  }
  report.iterations = stop.iterations() - 1;
  report.residual = stop.residual();
  report.ok = stop.converged() & !is_detour();
  if (all(report.ok)) {
    x_.advance_time(lane(gamma_[0], 0) * h);
    std::swap(Z, x_);
    return report;
  }
  std::fill(gamma_.begin(), gamma_.end(), T(0));
  is_rounding_ = all(is_near_at_first);
  report.status = StepStatus::dependent_invariant;
  std::size_t worst = 0;
  for (std::size_t k = 1; k < rows_; ++k)
    if (lane(abs(excess_[k]) > abs(excess_[worst]), 0)) worst = k;
  report.row = invariants_.row(worst);
  return report;
}

COTANGENT_INSTANTIATE(NUMBERS, Relaxation);

}  // namespace cotangent
