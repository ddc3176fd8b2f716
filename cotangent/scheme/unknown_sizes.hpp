#pragma once

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "cotangent/base/dual.hpp"
#include "cotangent/base/for_packs.hpp"
#include "cotangent/scheme/scheme.hpp"

namespace cotangent {

/// What the unknowns of a solve are measured by: each by the largest of its kind, at the beginning of the step or now,
/// and by what rounding leaves of it; those of a kind without a beginning, as multipliers are, by themselves.
///
/// Where a kind begins at zero, or at a rounding error, its size is not known: at rest the momenta, for instance. For
/// x = Phi(x) it is then at least Phi, and what a relative change of everything makes of that: with q = 1, p = 0 and
/// the force 0 there, p is no better known than h f' q. Since Phi may be much larger at a guess than at the solution
/// that counts for less and less.
///
/// Where a kind becomes small little by little, as momenta do on the way to rest, the solver finds out: sizes are so
/// large that what rounding leaves of a kind is no more than kMostUnits of epsilon.
template <class T>
class UnknownSizes {
 public:
  /// @param size of the unknown, in which the kinds repeat themselves.
  UnknownSizes(const std::vector<Scheme::Solve::Kind>& kinds, std::size_t size)
      : noise_(size, T(0)), sizes_(kinds.size(), T(0)), least_(sizes_), moved_(noise_), moved_r_(noise_) {
    for (const auto& kind : kinds) {
      ranges_.push_back({period_, kind.size, kind.base >= 0});
      period_ += kind.size;
    }
  }

  /// @param base(k) the vector that kind k begins with, as a pair of pointers.
  template <class Base>
  void begin(const Base& base) {
    std::fill(noise_.begin(), noise_.end(), T(0));
    weight_of_least_ = 1;
    for (std::size_t k = 0; k < ranges_.size(); ++k) {
      sizes_[k] = least_[k] = T(0);
      if (!ranges_[k].has_base) continue;
      sizes_[k] = largest_finite(base(k), T(0));
    }
  }

  /// @param left what rounding leaves of the equations, as the solver has measured it in these lanes.
  void take_noise(const T* left, const Mask<T>& lanes) {
    for (std::size_t k = 0; k < ranges_.size(); ++k) {
      if (!ranges_[k].has_base) continue;
      const T most = largest_of(k, T(0), [&]<class V>(V /*zero*/, std::size_t j) { return load<V>(left + j); });
      sizes_[k] = select(lanes, max(sizes_[k], most / (T(kMostUnits) * T(epsilon<T>()))), sizes_[k]);
    }
  }

  /// What rounding leaves of each unknown, in units of epsilon.
  std::vector<T>& noise() { return noise_; }
  void take_noise() {
    for (std::size_t k = 0; k < ranges_.size(); ++k) {
      T most(0);
      each_of(k, [&](std::size_t j) { most = max(most, noise_[j]); });
      sizes_[k] += most;
    }
  }

  /// At the first x, with r = x - Phi(x). @param residual(x, r) finds r elsewhere; where it can, it says.
  template <class Residual>
  void look(const T* x, const T* r, const Mask<T>& active, const Residual& residual) {
    Mask<T> asks(false);
    std::size_t sign = 0;
    for (std::size_t k = 0; k < ranges_.size(); ++k) {
      const T change =
          largest_of(k, T(0), [&]<class V>(V /*zero*/, std::size_t j) { return load<V>(x + j) - load<V>(r + j); });
      const T most = largest_of(k, sizes_[k], [&]<class V>(V /*zero*/, std::size_t j) { return load<V>(x + j); });
      const Mask<T> is_unknown = most <= T(kMove * kMove) * change;
      least_[k] = select(is_unknown, change, T(0));
      if (ranges_[k].size > 0) asks = asks | (active & is_unknown);
      const T move = T(kMove) * max(most, change);
      each_of(k, [&](std::size_t j) { moved_[j] = x[j] + (++sign % 3 == 0 ? -move : move); });
    }
    if (!any(asks)) return;
    const Mask<T> found = residual(moved_.data(), moved_r_.data());
    for (std::size_t k = 0; k < ranges_.size(); ++k) {
      const T change = largest_of(k, T(0), [&]<class V>(V /*zero*/, std::size_t j) {
        return (load<V>(&moved_[j]) - load<V>(&moved_r_[j])) - (load<V>(x + j) - load<V>(r + j));
      });
      least_[k] = select((least_[k] > T(0)) & found, max(least_[k], change / T(kMove)), least_[k]);
    }
  }

  /// @param noise(k) what rounding leaves of kind k at this x, in units of epsilon, as a pair of pointers.
  /// @param weights 1 / size.
  template <class Noise>
  void weigh(const T* x, const Noise& noise, std::vector<T>& weights) {
    const auto weight = [](const T& size) {
      return select(size > T(0), T(1) / max(size, T(std::numeric_limits<double>::min())), T(1));
    };
    for (std::size_t k = 0; k < ranges_.size(); ++k) {
      if (!ranges_[k].has_base) {
        each_of(k, [&](std::size_t j) {
          weights[j] = weight(magnitude(select(isfinite(x[j]), larger_parts(noise_[j], x[j]), noise_[j])));
        });
        continue;
      }
      const T least = largest_finite(noise(k), max(sizes_[k], T(weight_of_least_) * least_[k]));
      const T common = weight(largest_of(k, least, [&]<class V>(V /*zero*/, std::size_t j) { return load<V>(x + j); }));
      each_of(k, [&](std::size_t j) { weights[j] = common; });
    }
  }
  void forget() {
    if (weight_of_least_ > kRemembered) weight_of_least_ *= kForget;
  }

 private:
  // Sizes are found from changes of so much, and count less in every iteration, down to that last part of them. What is
  // the square of kMove beside a change is nothing to measure the change by.
  static constexpr double kMove = 1.0 / 1024, kForget = 0.1, kRemembered = 1e-4, kMostUnits = 1e4;

  struct Range {
    std::size_t first, size;
    bool has_base;
  };

  // The largest of `most` and the magnitudes of those of a vector, given by a pair of pointers, that are finite.
  static T largest_finite(const std::pair<const T*, const T*>& x, const T& most) {
    return largest_of_packs(static_cast<std::size_t>(x.second - x.first), most, [&]<class V>(V zero, std::size_t k) {
      const V number = load<V>(x.first + k);
      return select(isfinite(number), number, zero);
    });
  }
  // The same of number(V(0), j) for all unknowns of a kind: see largest_of_packs.
  template <class Number>
  T largest_of(std::size_t kind, T most, const Number& number) const {
    const Range& range = ranges_[kind];
    for (std::size_t begin = range.first; begin < noise_.size(); begin += period_)
      most = largest_of_packs(range.size, most, [&]<class V>(V zero, std::size_t k) {
        const V x = number(zero, begin + k);
        return select(isfinite(x), x, zero);
      });
    return most;
  }
  template <class Visit>
  void each_of(std::size_t kind, const Visit& visit) const {
    const Range& range = ranges_[kind];
    for (std::size_t begin = range.first; begin < noise_.size(); begin += period_)
      for (std::size_t j = begin; j < begin + range.size; ++j) visit(j);
  }

  std::vector<Range> ranges_;
  std::size_t period_ = 0;
  std::vector<T> noise_, sizes_, least_, moved_, moved_r_;  // sizes by kind
  double weight_of_least_ = 1;
};

}  // namespace cotangent
