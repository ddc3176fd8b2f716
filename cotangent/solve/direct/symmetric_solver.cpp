#include "cotangent/solve/direct/symmetric_solver.hpp"

#include <algorithm>

#include "cotangent/base/dual.hpp"
#include "cotangent/base/instantiate.hpp"
#include "cotangent/solve/direct/saddle_order.hpp"

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
  return saddle_order(pattern);
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
  const auto residual = [&](const T* y, T* r, T* magnitude) {
    for (std::size_t i = 0; i < n; ++i) {
      r[i] = b_[i];
      magnitude[i] = abs(b_[i]);
    }
    for (std::size_t e = 0; e < values_.size(); ++e) {
      const auto& [row, column] = entries_[e];
      r[row] = fma(-values_[e], y[column], r[row]);
      magnitude[row] += abs(values_[e] * y[column]);
    }
  };
  return refine(x, r_, magnitude_, residual, [&](T* r) { solve_scaled(r); });
}

template <class T>
SymmetricSolver<T>::SymmetricSolver(int size, OffDiagonal off_diagonal)
    : off_diagonal_(std::move(off_diagonal)), solver_(size, off_diagonal_) {}

template <class T>
FactorReport<T> SymmetricSolver<T>::factor(const T* diagonal, const T* lower) {
  FactorReport<T> report = solver_.factor(diagonal, lower);
  indefinite_ = !(report.growth < T(1 / rank_tolerance<T>()));
  if (!any(indefinite_)) return report;
  const auto size = static_cast<std::size_t>(solver_.size());
  if (!augmented_) {
    std::vector<MatrixEntry> entries;
    for (int i = 0; i < solver_.size(); ++i) entries.push_back({i, i});
    for (const auto& [i, j] : off_diagonal_) entries.push_back({i, j});
    for (const auto& [i, j] : off_diagonal_) entries.push_back({j, i});
    values_.assign(entries.size(), T(0));
    y_.assign(size, T(0));
    augmented_ = std::make_unique<AugmentedSolver<T>>(solver_.size(), std::move(entries));
  }
  std::copy_n(diagonal, size, values_.begin());
  T* const below = values_.data() + size;
  std::copy_n(lower, off_diagonal_.size(), below);
  std::copy_n(lower, off_diagonal_.size(), below + off_diagonal_.size());
  const FactorReport<T> augmented = augmented_->factor(values_.data());
  indefinite_ = indefinite_ & augmented.regular;
  report.regular = report.regular | indefinite_;
  report.growth = select(indefinite_, augmented.growth, report.growth);
  return report;
}

template <class T>
Mask<T> SymmetricSolver<T>::solve(T* x) const {
  if (!any(indefinite_)) {
    solver_.solve(x);
    return Mask<T>(true);
  }
  std::copy_n(x, y_.size(), y_.begin());
  const Mask<T> converged = augmented_->solve(y_.data()).converged;
  solver_.solve(x);
  for (std::size_t i = 0; i < y_.size(); ++i) x[i] = select(indefinite_, y_[i], x[i]);
  return converged | !indefinite_;
}

COTANGENT_INSTANTIATE(NUMBERS, AugmentedSolver);
COTANGENT_INSTANTIATE(NUMBERS, SymmetricSolver);

}  // namespace cotangent
