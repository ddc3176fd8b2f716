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
      J_(count_),
      left_out_(zeros<T>(count_ * count_)) {
  if (sets.size() > count_)
    throw std::invalid_argument(fmt::format("there are {} of variables for {}: each set needs an invariant of its own",
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
    if (is_first) leaves_out_ = false;
    if (is_first && !is_given_) find_sets();
    const auto invert = [&] {
      set_jacobian();
      return stop.active() & !J_.invert(sqrt(T(epsilon<T>())));
    };
    Mask<T> singular = invert();
    if (is_first && is_given_ && any(singular)) {
      leave_out(singular);
      singular = invert();
    }
    if (!stop.fail(singular)) break;
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
    match_sets(w_, count_, size_, matching_);
    for (std::size_t i = 0; i < count_; ++i)
      for (std::size_t j = 0; j < size_; ++j)
        set_lane(member_[i * size_ + j], l, matching_.set[j] == static_cast<int>(i) ? 1 : 0);
    set_left_out(l, false);
  }
}

// The same of sets that are given, in lanes where J is singular: they stand for variables.
template <class T>
void ScalingProjection<T>::leave_out(const Mask<T>& lanes) {
  set_jacobian();
  std::fill(left_out_.begin(), left_out_.end(), T(0));
  for (int l = 0; l < lane_count<T>; ++l) {
    if (!lane(lanes, l)) continue;
    w_.clear();
    for (std::size_t r = 0; r < count_; ++r)
      for (std::size_t i = 0; i < count_; ++i) w_.push_back(static_cast<double>(lane(J_(r, i), l)));
    match_sets(w_, count_, count_, matching_);
    set_left_out(l, true);
  }
}

// Invariants without a pivot, in their order, beside sets without one.
template <class T>
void ScalingProjection<T>::set_left_out(int at_lane, bool by_variables) {
  const auto& pivots = matching_.pivots;
  leaves_out_ = leaves_out_ || pivots.size() < count_;
  std::size_t i = 0;
  const auto is_taken = [&](std::size_t set) {
    if (!by_variables) return set < pivots.size();
    return std::ranges::find(pivots, set, &SetMatching::Pivot::variable) != pivots.end();
  };
  for (std::size_t r = 0; r < count_; ++r) {
    for (std::size_t k = 0; k < count_; ++k) set_lane(left_out_[r * count_ + k], at_lane, 0);
    if (std::ranges::find(pivots, r, &SetMatching::Pivot::invariant) != pivots.end()) continue;
    while (is_taken(i)) ++i;
    set_lane(left_out_[r * count_ + i++], at_lane, 1);
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
    for (std::size_t k = 0; k < count_ && leaves_out_; ++k) {
      const Mask<T> is_out = left_out_[r * count_ + k] > T(0);
      for (std::size_t i = 0; i < count_; ++i) J_(r, i) = select(is_out, T(i == k ? 1 : 0), J_(r, i));
      sizes_[r] = select(is_out, T(infinity<T>()), sizes_[r]);  // of what it says nothing counts
    }
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
