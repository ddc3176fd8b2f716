#include "cotangent/solve/shifted_solver.hpp"

#include <algorithm>
#include <cstddef>

#include "cotangent/base/dual.hpp"
#include "cotangent/base/instantiate.hpp"

namespace cotangent {

template <class T>
ShiftedSolver<T>::ShiftedSolver(int size, OffDiagonal off_diagonal)
    : off_diagonal_(std::move(off_diagonal)),
      solver_(size, off_diagonal_),
      diagonal_(size),
      lower_(off_diagonal_.size()),
      upper_(off_diagonal_.size()),
      shifted_(size),
      null_space_(diagonal_.size(), 0),
      b_(size),
      r_(size),
      y_(size) {}

template <class T>
FactorReport<T> ShiftedSolver<T>::factor(const T* diagonal, const T* lower) {
  keep(diagonal, lower, lower);
  return find_null_space(solver_.factor(shifted_.data(), lower));
}

template <class T>
FactorReport<T> ShiftedSolver<T>::factor(const T* diagonal, const T* lower, const T* upper) {
  keep(diagonal, lower, upper);
  return find_null_space(solver_.factor(shifted_.data(), lower, upper));
}

template <class T>
FactorReport<T> ShiftedSolver<T>::find_null_space(const FactorReport<T>& report) {
  if (!null_space_.is_empty()) null_space_.find([this](T* x) { solver_.solve(x); });
  return report;
}

template <class T>
void ShiftedSolver<T>::keep(const T* diagonal, const T* lower, const T* upper) {
  std::copy_n(diagonal, diagonal_.size(), diagonal_.begin());
  std::copy_n(lower, lower_.size(), lower_.begin());
  std::copy_n(upper, upper_.size(), upper_.begin());

  T largest = T(0);
  for (const T& a : diagonal_) largest = max(largest, a);
  // R = 0 has a shift, too, and x = 0.
  const T delta = T(rank_tolerance<T>()) * select(largest > T(0), largest, T(1));
  for (std::size_t i = 0; i < shifted_.size(); ++i) shifted_[i] = diagonal_[i] + delta;
}

template <class T>
void ShiftedSolver<T>::multiply(const T* x, T* y) const {
  for (std::size_t i = 0; i < diagonal_.size(); ++i) y[i] = diagonal_[i] * x[i];
  for (std::size_t e = 0; e < lower_.size(); ++e) {
    const auto [i, j] = off_diagonal_[e];
    y[i] = fma(lower_[e], x[j], y[i]);
    y[j] = fma(upper_[e], x[i], y[j]);
  }
}

template <class T>
RefinementResidual<T> ShiftedSolver<T>::residual(const T* b, const T* x, T* r) const {
  T* const magnitude = y_.data();
  for (std::size_t i = 0; i < diagonal_.size(); ++i) {
    r[i] = fma(-diagonal_[i], x[i], b[i]);
    magnitude[i] = abs(b[i]) + abs(diagonal_[i] * x[i]);
  }
  for (std::size_t e = 0; e < lower_.size(); ++e) {
    const auto [i, j] = off_diagonal_[e];
    r[i] = fma(-lower_[e], x[j], r[i]);
    r[j] = fma(-upper_[e], x[i], r[j]);
    magnitude[i] += abs(lower_[e] * x[j]);
    magnitude[j] += abs(upper_[e] * x[i]);
  }
  return measure_residual(r, magnitude, diagonal_.size());
}

template <class T>
Refinement<T> ShiftedSolver<T>::solve(T* x, const T& level) const {
  const std::size_t m = diagonal_.size();
  const bool projects = !null_space_.is_empty();
  if (projects) null_space_.remove_from(x);
  std::copy_n(x, m, b_.begin());
  std::copy_n(x, m, r_.begin());
  if (projects) {
    solver_.solve(x);
    null_space_.remove_from(x);
  } else {
    solver_.solve(r_.data());
    solver_.solve(r_.data());
    multiply(r_.data(), x);
  }
  const auto residual_at = [&](const T* at, T* r) {
    RefinementResidual<T> found = residual(b_.data(), at, r);
    if (projects) {
      null_space_.remove_from(r);
      found.norm = T(0);
      for (std::size_t i = 0; i < m; ++i)
        found.norm = max(found.norm, select(isfinite(r[i]), abs(r[i]), T(infinity<T>())));
    }
    found.floor = max(found.floor, level);
    return found;
  };
  // r <- K R K r
  const auto correct = [&](T* r) {
    solver_.solve(r);
    if (projects) return null_space_.remove_from(r);
    multiply(r, y_.data());
    solver_.solve(y_.data());
    std::copy_n(y_.begin(), m, r);
  };
  return refine(x, r_.data(), m, kMaxSweeps, residual_at, correct);
}

COTANGENT_INSTANTIATE(NUMBERS, ShiftedSolver);

}  // namespace cotangent
