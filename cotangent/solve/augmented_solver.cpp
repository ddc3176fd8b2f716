#include "cotangent/solve/augmented_solver.hpp"

#include <algorithm>

#include "cotangent/base/dual.hpp"
#include "cotangent/base/instantiate.hpp"
#include "cotangent/solve/saddle_order.hpp"

namespace cotangent {
namespace {

// The unknowns are r, then x.
std::vector<MatrixEntry> augmented_entries(int size, const std::vector<MatrixEntry>& entries) {
  std::vector<MatrixEntry> all;
  for (int i = 0; i < size; ++i) all.push_back({i, i});
  for (const auto& [row, column] : entries) all.push_back({row, size + column});
  for (const auto& [row, column] : entries) all.push_back({size + column, row});
  return all;
}

std::vector<int> augmented_order(int size, const std::vector<MatrixEntry>& entries) {
  SaddlePattern pattern{size, size, {}, {}};
  for (const auto& [row, column] : entries) pattern.incidences.emplace_back(column, row);
  std::vector<int> order;
  for (const SaddleUnknown& unknown : saddle_order(pattern))
    order.push_back(unknown.index + (unknown.is_row ? size : 0));
  return order;
}

// Factors that bring what has the given largest entries to 1; what is zero stays so.
template <class T>
void invert(std::vector<T>& largest) {
  for (T& x : largest) x = select(x > T(0), T(1) / x, T(1));
}

}  // namespace

template <class T>
AugmentedSolver<T>::AugmentedSolver(int size, std::vector<MatrixEntry> entries)
    : size_(size),
      entries_(std::move(entries)),
      lu_(2 * size, augmented_entries(size, entries_), augmented_order(size, entries_)),
      values_(entries_.size()),
      scaled_(static_cast<std::size_t>(size) + 2 * entries_.size()),
      D_(static_cast<std::size_t>(size)),
      E_(D_),
      b_(D_),
      r_(D_),
      magnitude_(D_),
      right_(2 * D_.size()) {}

template <class T>
FactorReport<T> AugmentedSolver<T>::factor(const T* values) {
  std::copy_n(values, values_.size(), values_.begin());
  scale_matrix();
  const FactorReport<T> report = lu_.factor(scaled_.data());
  return {report.regular, sqrt(report.growth)};
}

template <class T>
void AugmentedSolver<T>::scale_matrix() {
  std::fill(D_.begin(), D_.end(), T(0));
  std::fill(E_.begin(), E_.end(), T(0));
  for (std::size_t e = 0; e < values_.size(); ++e) D_[entries_[e].row] = max(D_[entries_[e].row], abs(values_[e]));
  invert(D_);
  for (std::size_t e = 0; e < values_.size(); ++e) {
    const auto& [row, column] = entries_[e];
    E_[column] = max(E_[column], abs(D_[row] * values_[e]));
  }
  invert(E_);
  std::fill_n(scaled_.begin(), size_, T(1));
  T *const A = scaled_.data() + size_, *const A_transposed = A + values_.size();
  for (std::size_t e = 0; e < values_.size(); ++e)
    A[e] = A_transposed[e] = D_[entries_[e].row] * values_[e] * E_[entries_[e].column];
}

template <class T>
void AugmentedSolver<T>::solve_scaled(T* x) const {
  const std::size_t n = D_.size();
  for (std::size_t i = 0; i < n; ++i) right_[i] = D_[i] * x[i];
  std::fill(right_.begin() + size_, right_.end(), T(0));
  lu_.solve(right_.data());
  for (std::size_t j = 0; j < n; ++j) x[j] = E_[j] * right_[n + j];
}

template <class T>
Refinement<T> AugmentedSolver<T>::solve(T* x) const {
  const std::size_t n = D_.size();
  std::copy_n(x, n, b_.begin());
  solve_scaled(x);
  const auto residual = [&](const T* y, T* r) {
    for (std::size_t i = 0; i < n; ++i) {
      r[i] = b_[i];
      magnitude_[i] = abs(b_[i]);
    }
    for (std::size_t e = 0; e < values_.size(); ++e) {
      const auto& [row, column] = entries_[e];
      r[row] = fma(-values_[e], y[column], r[row]);
      magnitude_[row] += abs(values_[e] * y[column]);
    }
    return measure_residual(r, magnitude_.data(), n);
  };
  return refine(x, r_.data(), n, kMaxSweeps, residual, [&](T* r) { solve_scaled(r); });
}

COTANGENT_INSTANTIATE(NUMBERS, AugmentedSolver);

}  // namespace cotangent
