#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "cotangent/system/matrix/jacobian.hpp"
#include "cotangent/system/operation/evaluation_errors.hpp"
#include "cotangent/system/operation/sum_rounding.hpp"

namespace cotangent {

/// Sums of magnitudes along the rows and columns of G(q, t): to what sizes the numbers are added up that make g, G a
/// and G'u. A rounding error of one ulp in each summand changes the sum by at most epsilon times that, row by row,
/// whatever the units of other rows are.
template <class T>
class RowScales {
 public:
  /// @param system must outlive this.
  explicit RowScales(System<T>& system)
      : system_(system),
        G_(system),
        errors_(system, Contraction::Of::g),
        values_(G_.entries().size()),
        zero_(static_cast<std::size_t>(system.n()), T(0)),
        g_t_(static_cast<std::size_t>(system.m()), T(0)),
        inside_(g_t_),
        squares_(g_t_),
        sums_(g_t_),
        moves_(!system.elements().is_autonomous()) {
    const std::vector<double> sums = row_sum_rounding(system.elements());
    for (std::size_t r = 0; r < sums.size(); ++r) sums_[r] = T(static_cast<LaneOf<T>>(sums[r]));
    has_sums_ = std::ranges::any_of(sums, [](double factor) { return factor > 1; });
  }

  /// Takes G at (q, t).
  void evaluate(const T* q, const T& t) {
    G_.evaluate(q, t, values_.data());
    const At<T> at = system_.at(q, t);
    if (!errors_.vanish()) {
      for (T& error : inside_) error = T(0);
      errors_.add_to(at, inside_);
    }
    if (moves_) at.g_rate(zero_, g_t_);
  }

  /// out_r = sum_j |G_rj x_j| + |g_t|_r |time|, as often as a sum of so many terms rounds.
  void along_rows(const T* x, const T& time, T* out) const {
    for (std::size_t r = 0; r < g_t_.size(); ++r) out[r] = abs(g_t_[r] * time);
    for (std::size_t e = 0; e < values_.size(); ++e) {
      const auto& entry = G_.entries()[e];
      out[entry.row] += abs(values_[e] * x[entry.column]);
    }
    for (std::size_t r = 0; has_sums_ && r < sums_.size(); ++r) out[r] *= sums_[r];
  }

  /// The same with what is rounded inside g: to what sizes numbers are added up in g where q is as large as x.
  void of_positions(const T* x, const T& time, T* out) const {
    along_rows(x, time, out);
    if (errors_.vanish()) return;
    for (std::size_t r = 0; r < g_t_.size(); ++r) out[r] += inside_[r];
  }

  /// out_j += sum_r |G_rj u_r|.
  void add_along_columns(const T* u, T* out) const {
    for (std::size_t e = 0; e < values_.size(); ++e) {
      const auto& entry = G_.entries()[e];
      out[entry.column] += abs(values_[e] * u[entry.row]);
    }
  }

  /// out_r = sum_j |G_rj| x_j / sum_j G_rj^2: what a multiplier must be to balance forces of the sizes x_j.
  void balance(const T* x, T* out) {
    for (std::size_t r = 0; r < g_t_.size(); ++r) out[r] = T(0);
    for (T& square : squares_) square = T(0);
    for (std::size_t e = 0; e < values_.size(); ++e) {
      const auto& entry = G_.entries()[e];
      out[entry.row] += abs(values_[e]) * x[entry.column];
      squares_[static_cast<std::size_t>(entry.row)] += values_[e] * values_[e];
    }
    for (std::size_t r = 0; r < g_t_.size(); ++r) out[r] = select(squares_[r] > T(0), out[r] / squares_[r], T(0));
  }

 private:
  System<T>& system_;
  Jacobian<T> G_;
  EvaluationErrors<T> errors_;
  std::vector<T> values_, zero_, g_t_, inside_, squares_, sums_;
  bool moves_, has_sums_ = false;
};

/// A residual in units of what is added up in it.
template <class T>
struct Ratio {
  T each = T(0);  ///< max_k |x_k| / scale_k: every component in its own units
  T overall =
      T(0);  ///< max_k |x_k| / max_k scale_k: an iteration that no longer shrinks has converged if this is small,
             ///< for what was added up to zeros (cancelled forces on a massless point) has no units of its own

  void include(const Ratio& other) {
    each = max(each, other.each);
    overall = max(overall, other.overall);
  }
};

/// Nothing counts as smaller than epsilon times the largest scale. Dual numbers count by their values.
template <class T>
Ratio<T> ratio_of(const T* x, const T* scale, std::size_t count) {
  const auto include = [](T& largest, const T& own) {  // NaN counts as infinite
    largest = select(own <= T(infinity<T>()), max(largest, own), T(infinity<T>()));
  };
  T most(0), largest(0);
  for (std::size_t k = 0; k < count; ++k) {
    most = max(most, value_of(scale[k]));
    include(largest, value_of(abs(x[k])));
  }
  Ratio<T> ratio;
  for (std::size_t k = 0; k < count; ++k) {
    const T size = value_of(abs(x[k]));
    include(ratio.each, select(size == T(0), T(0), size / (value_of(scale[k]) + T(epsilon<T>()) * most)));
  }
  include(ratio.overall, select(largest == T(0), T(0), largest / most));
  return ratio;
}

/// Gives rows that are sizes of rounding errors signs without a pattern, always the same ones: what a solve makes of
/// them is what it makes of rounding errors.
template <class T>
void scatter_signs(std::vector<T>& rows) {
  std::uint32_t state = 1;
  for (T& row : rows) {
    state = 1664525U * state + 1013904223U;
    if ((state & 0x80000000U) != 0) row = -row;
  }
}

}  // namespace cotangent
