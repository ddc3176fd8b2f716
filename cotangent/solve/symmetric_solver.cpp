#include "cotangent/solve/symmetric_solver.hpp"

#include <algorithm>

#include "cotangent/base/dual.hpp"
#include "cotangent/base/instantiate.hpp"

namespace cotangent {

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

COTANGENT_INSTANTIATE(NUMBERS, SymmetricSolver);

}  // namespace cotangent
