#include "cotangent/projection/scaling_projection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/base/magnitudes.hpp"
#include "cotangent/base/wording.hpp"
#include "cotangent/solve/iteration/stopping.hpp"

namespace cotangent {
namespace {

template <class X>
std::vector<X> zeros(std::size_t size) {
  return std::vector<X>(size, X(0));
}

// One lane of x, the others as they are.
template <class T>
void set_lane(T& x, int i, double value) {
  if constexpr (lane_count<T> == 1) {
    x = T(value);
  } else {
    x[i] = value;
  }
}

}  // namespace

template <class T>
ScalingProjection<T>::ScalingProjection(Manifold<T>& manifold, KeptInvariants<T>& invariants, const ScalingSets& sets)
    : system_(manifold.system()),
      I_at_(manifold, Metric::euclidean, {}, &invariants),
      n_(static_cast<std::size_t>(system_.n())),
      size_(2 * n_ + static_cast<std::size_t>(system_.elements().states)),
      count_(invariants.count()),
      is_given_(!sets.empty()),
      given_(system_.n(), system_.state_count()),
      x_(given_),
      member_(zeros<T>(count_ * size_)),
      centre_(zeros<T>(size_)),
      arm_(centre_),
      excess_(zeros<T>(count_)),
      d_(excess_),
      correction_(excess_),
      sizes_(excess_),
      J_(count_) {
  if (is_given_ && sets.size() != count_)
    throw std::invalid_argument(fmt::format("there are {} of variables for {}: each invariant needs a set of its own",
                                            plural(sets.size(), "set"), plural(count_, "invariant")));
  for (std::size_t i = 0; i < sets.size(); ++i)
    for (const ScaledVariable& variable : sets[i]) {
      member_[i * size_ + variable.at] = T(1);
      centre_[variable.at] = T(variable.centre);
    }
}

template <class T>
StepReport<T> ScalingProjection<T>::operator()(PhasePoint<T>& z) {
  given_.q = z.q;
  given_.p = z.p;
  given_.s = z.s;
  x_ = given_;
  x_.t = z.t;
  for (std::size_t j = 0; j < size_; ++j) arm_[j] = entry(given_, j) - centre_[j];
  std::fill(d_.begin(), d_.end(), T(0));
  condition_ = T(0);
  StepReport<T> report;
  const T level(kZeroUnits * epsilon<T>()), near(kNearUnits * epsilon<T>());
  RoundingStop<T> stop;
  T first(0);
  while (true) {
    I_at_.at(x_, excess_.data());
    const auto &scales = I_at_.invariant_scales(), &bounds = I_at_.invariant_bounds();
    const T own = ratio_of(excess_.data(), scales.data(), count_).each;
    const T widest = ratio_of(excess_.data(), bounds.data(), count_).each;
    if (!stop.update(own, own <= level, widest <= near)) break;
    const bool is_first = stop.iterations() == 1;
    if (is_first && !is_given_) find_sets();
    set_jacobian();
    if (!stop.fail(stop.active() & !J_.invert(sqrt(T(epsilon<T>()))))) break;
    for (std::size_t i = 0; i < count_; ++i) excess_[i] /= sizes_[i];
    J_.times(excess_.data(), correction_.data());
    const T longest = largest_of(correction_);
    if (is_first) {
      first = longest;
      for (std::size_t r = 0; r < count_; ++r) sizes_[r] = scales[r] / sizes_[r];
      condition_ = select(stop.active(), J_.norm(sizes_), T(0));
    }
    // No correction changes a length by more than half of it.
    const T part = T(1) / max(T(1), T(2) * longest);
    for (std::size_t i = 0; i < count_; ++i) d_[i] -= select(stop.active(), part * correction_[i], T(0));
    go_to_d();
  }
  report.iterations = stop.iterations() - 1;
  report.residual = stop.residual();
  report.tolerance = level;
  report.ok = stop.converged() & (largest_of(d_) <= T(2) * first + near * condition_);
  commit(report.ok, z);
  return report;
}

// By what is not zero of them at x~: other variables are not changed by a scaling either.
template <class T>
void ScalingProjection<T>::find_sets() {
  for (int l = 0; l < lane_count<T>; ++l) {
    w_.clear();
    for (std::size_t r = 0; r < count_; ++r)
      for (std::size_t j = 0; j < size_; ++j)
        w_.push_back(static_cast<double>(lane(I_at_.gradient(r)[j], l) * lane(arm_[j], l)));
    match_sets(w_, count_, size_, set_);
    for (std::size_t i = 0; i < count_; ++i)
      for (std::size_t j = 0; j < size_; ++j)
        set_lane(member_[i * size_ + j], l, set_[j] == static_cast<int>(i) ? 1 : 0);
  }
}

template <class T>
void ScalingProjection<T>::set_jacobian() {
  for (std::size_t r = 0; r < count_; ++r) {
    const std::vector<T>& gradient = I_at_.gradient(r);
    for (std::size_t i = 0; i < count_; ++i) J_(r, i) = T(0);
    sizes_[r] = T(0);
    for (std::size_t j = 0; j < size_; ++j) {
      const T share = gradient[j] * arm_[j];
      sizes_[r] += abs(share);
      for (std::size_t i = 0; i < count_; ++i) J_(r, i) += member_[i * size_ + j] * share;
    }
    sizes_[r] = select(sizes_[r] > T(0), sizes_[r], T(1));
    for (std::size_t i = 0; i < count_; ++i) J_(r, i) /= sizes_[r];
  }
}

template <class T>
void ScalingProjection<T>::go_to_d() {
  for (std::size_t j = 0; j < size_; ++j) {
    T factor(0);
    for (std::size_t i = 0; i < count_; ++i) factor += member_[i * size_ + j] * d_[i];
    entry(x_, j) = entry(given_, j) + factor * arm_[j];
  }
}

// Numbers that need no correction stay as they are, with what rounding has lost of them.
template <class T>
void ScalingProjection<T>::commit(const Mask<T>& found, PhasePoint<T>& z) const {
  const auto take = [&](const std::vector<T>& from, std::vector<T>& to, std::vector<T>& low, std::size_t count) {
    for (std::size_t j = 0; j < count; ++j) {
      low[j] = select(found & !(from[j] == to[j]), T(0), low[j]);
      to[j] = select(found, from[j], to[j]);
    }
  };
  take(x_.q, z.q, z.q_low, n_);
  take(x_.p, z.p, z.p_low, n_);
  take(x_.s, z.s, z.s_low, size_ - 2 * n_);
}

COTANGENT_INSTANTIATE(NUMBERS, ScalingProjection);

}  // namespace cotangent
