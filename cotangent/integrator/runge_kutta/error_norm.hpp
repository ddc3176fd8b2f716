#pragma once

#include <algorithm>
#include <array>
#include <limits>
#include <span>

#include "cotangent/base/for_packs.hpp"
#include "cotangent/integrator/integrator.hpp"
#include "cotangent/solve/iteration/stopping.hpp"

namespace cotangent {

/// How large an estimated error is in units of what is tolerated, for the components of one kind (coordinates, momenta
/// or states; of a formulation in variables of its own, those), which go from x to X in a step:
///
///   |e| = sqrt(mean_k (e_k / d_k)^2),   d_k = absolute + relative max(|x_k|, |X_k|)
///
/// with relative max_k max(|x_k|, |X_k|) for an absolute tolerance of 0, or relative alone where all x_k = 0; a largest
/// component may count as more than it is (Tolerance::size), where what is known of the motion says so. A mean,
/// so that it does not depend on the number of components; StepReport::error is that of the worst kind. What is not
/// finite counts as infinite. Reference: [hnw93, II.4].
///
/// An estimate sees rounding errors, too. Those of momenta at rest are as large as cancelled forces make them, however
/// small the momenta are, and no shorter step would do better: of |e_k| only what exceeds kNearUnits times what
/// rounding makes of the step (StepNoiseOf) is an error.
template <class T>
class ErrorNorm {
 public:
  ErrorNorm() = default;
  explicit ErrorNorm(const Tolerance& tolerance, const StepNoiseOf<T>& noise = {})
      : relative_(static_cast<LaneOf<T>>(tolerance.relative)),
        absolute_(static_cast<LaneOf<T>>(tolerance.absolute)),
        states_(tolerance.states),
        size_(tolerance.size),
        noise_(noise) {}

  /// @param kind 0 of coordinates, 1 of momenta, 2 of states, of which only those that count.
  T operator()(std::size_t kind, std::span<const T> e, std::span<const T> x, std::span<const T> X) const {
    const std::size_t count = kind == 2 ? std::min(states_, e.size()) : e.size();
    if (count == 0) return T(0);
    T absolute(absolute_);
    if (absolute_ == 0) {
      T begin(static_cast<LaneOf<T>>(size_[kind])), largest = begin;
      for (std::size_t k = 0; k < count; ++k) {
        begin = max(begin, magnitude(x[k]));
        largest = max(largest, max(magnitude(x[k]), magnitude(X[k])));
      }
      absolute = T(relative_) * select(begin > T(0), largest, T(1));
    }
    const T noise(static_cast<LaneOf<T>>(kNearUnits) * noise_[kind]);
    T sum(0);
    for (std::size_t k = 0; k < count; ++k) {
      const T whole = magnitude(e[k]), size = select(whole <= noise, T(0), whole - noise);
      const T ratio = size / (absolute + T(relative_) * max(magnitude(x[k]), magnitude(X[k])));
      sum += select(size == T(0), T(0), ratio * ratio);
    }
    const T norm = sqrt(sum / T(static_cast<LaneOf<T>>(count)));
    return select(isfinite(norm), norm, T(infinity<T>()));
  }

  /// |e|^2 of N errors at once, e_i h_i, added up in whatever order suits the machine.
  template <std::size_t N>
  std::array<T, N> squares(std::size_t kind, const std::array<const T*, N>& e, const std::array<T, N>& h,
                           std::span<const T> x, std::span<const T> X) const {
    const std::size_t count = kind == 2 ? std::min(states_, x.size()) : x.size();
    std::array<T, N> sum;
    sum.fill(T(0));
    if (count == 0) return sum;
    T absolute(absolute_);
    if (absolute_ == 0) {
      const auto largest_of = [&](std::span<const T> y, const T& least) {
        return largest_of_packs<T>(count, least, [&]<class V>(V, std::size_t k) { return cotangent::load<V>(&y[k]); });
      };
      const T begin = largest_of(x, T(static_cast<LaneOf<T>>(size_[kind])));
      absolute = T(relative_) * select(begin > T(0), largest_of(X, begin), T(1));
    }
    const T noise(static_cast<LaneOf<T>>(kNearUnits) * noise_[kind]);
    const auto square = [&]<class V>(std::size_t i, std::size_t k, const V& per_unit) {
      const V size = max(magnitude(V(cotangent::load<V>(e[i] + k) * V(h[i]))) - V(noise), V(0));
      return select(size == V(0), V(0), V((size * per_unit) * (size * per_unit)));
    };
    const auto unit = [&]<class V>(V one, std::size_t k) {
      const V larger = max(magnitude(cotangent::load<V>(&x[k])), magnitude(cotangent::load<V>(&X[k])));
      return V(one / (V(absolute) + V(T(relative_)) * larger));
    };
    std::size_t k = 0;
    if constexpr (std::is_same_v<T, double>) {
      using Four = Pack<kSimdWidth>;
      std::array<Four, N> sums;
      sums.fill(Four(0));
      for (; k + kSimdWidth <= count; k += kSimdWidth) {
        const Four per_unit = unit(Four(1), k);
        for (std::size_t i = 0; i < N; ++i) sums[i] = sums[i] + square(i, k, per_unit);
      }
      for (std::size_t i = 0; i < N; ++i)
        for (int l = 0; l < kSimdWidth; ++l) sum[i] += sums[i][l];
    }
    for (; k < count; ++k) {
      const T per_unit = unit(T(1), k);
      for (std::size_t i = 0; i < N; ++i) sum[i] += square(i, k, per_unit);
    }
    const T part(1 / static_cast<LaneOf<T>>(count));
    for (T& each : sum) each = select(isfinite(each), each * part, T(infinity<T>()));
    return sum;
  }

 private:
  LaneOf<T> relative_ = 0, absolute_ = 0;
  std::size_t states_ = std::numeric_limits<std::size_t>::max();
  std::array<double, 3> size_{};
  StepNoiseOf<T> noise_{};
};

}  // namespace cotangent
