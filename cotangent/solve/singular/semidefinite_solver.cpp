#include "cotangent/solve/singular/semidefinite_solver.hpp"

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
      smallest_(diagonal_.size()) {}

template <class T>
FactorReport<T> ShiftedSolver<T>::factor(const T* diagonal, const T* lower, const T* upper) {
  std::copy_n(diagonal, diagonal_.size(), diagonal_.begin());
  std::copy_n(lower, lower_.size(), lower_.begin());
  std::copy_n(upper ? upper : lower, upper_.size(), upper_.begin());

  T largest = T(0);
  for (const T& a : diagonal_) largest = max(largest, a);
  // R = 0 has a shift, too, and x = 0.
  const T delta = T(rank_tolerance<T>()) * select(largest > T(0), largest, T(1));
  for (std::size_t i = 0; i < shifted_.size(); ++i) shifted_[i] = diagonal_[i] + delta;
  const FactorReport<T> report =
      upper ? solver_.factor(shifted_.data(), lower, upper) : solver_.factor(shifted_.data(), lower);
  smallest_.find_null_space([this](T* x) { solver_.solve(x); });
  return report;
}

template <class T>
Refinement<T> ShiftedSolver<T>::solve(T* x) const {
  const auto multiply = [this](const T* a, T* y) {
    for (std::size_t i = 0; i < diagonal_.size(); ++i) y[i] = diagonal_[i] * a[i];
    for (std::size_t e = 0; e < lower_.size(); ++e) {
      const auto [i, j] = off_diagonal_[e];
      y[i] = fma(lower_[e], a[j], y[i]);
      y[j] = fma(upper_[e], a[i], y[j]);
    }
  };
  const auto residual = [this](const T* b, const T* a, T* r, T* magnitude) {
    for (std::size_t i = 0; i < diagonal_.size(); ++i) {
      r[i] = fma(-diagonal_[i], a[i], b[i]);
      magnitude[i] = abs(b[i]) + abs(diagonal_[i] * a[i]);
    }
    for (std::size_t e = 0; e < lower_.size(); ++e) {
      const auto [i, j] = off_diagonal_[e];
      r[i] = fma(-lower_[e], a[j], r[i]);
      r[j] = fma(-upper_[e], a[i], r[j]);
      magnitude[i] += abs(lower_[e] * a[j]);
      magnitude[j] += abs(upper_[e] * a[i]);
    }
  };
  return smallest_(
      x, [this](T* a) { solver_.solve(a); }, multiply, residual);
}

template <class T>
SemidefiniteSolver<T>::SemidefiniteSolver(int size, OffDiagonal off_diagonal)
    : off_diagonal_(std::move(off_diagonal)), solver_(size, off_diagonal_) {}

template <class T>
void SemidefiniteSolver<T>::set_nullity(std::size_t nullity) {
  nullity_ = nullity;
  if (shifted_) shifted_->set_nullity(nullity);
}

template <class T>
void SemidefiniteSolver<T>::fall_back(const T* diagonal, const T* lower, const T* upper, FactorReport<T>& report) {
  const auto size = static_cast<std::size_t>(solver_.size());
  indefinite_ = signed_pivots_ = Mask<T>(false);
  if (nullity_ == 0) degenerate_ = degenerate_ & !solver_.pivots_are_known(diagonal);
  is_degenerate_ = any(degenerate_);
  if (!is_degenerate_) return;
  if (!shifted_) {
    shifted_ = std::make_unique<ShiftedSolver<T>>(solver_.size(), off_diagonal_);
    shifted_->set_nullity(nullity_);
    y_.assign(size, T(0));
    z_ = y_;
  }
  const FactorReport<T> shifted = shifted_->factor(diagonal, lower, upper);
  Mask<T> solvable = isfinite(shifted.growth) | shifted.regular;
  if (upper && nullity_ == 0) {
    if (!signed_) {
      const PatternGraph graph(solver_.size(), off_diagonal_);
      signed_ = std::make_unique<SparseLdl<T>>(graph, analyse_fill_reducing(graph));
    }
    signed_pivots_ = degenerate_ & (signed_->factor_signed(diagonal, lower, upper, y_.data()) < T(kLimit));
    solvable = solvable | signed_pivots_;
  }
  // Rows that are eliminated first may be dependent in some configurations, in which others are not. Where a path
  // passes one, pivots of an unsymmetric matrix are of either sign. What counts is that the factors solve A x = A (1,
  // .., 1)'.
  if (upper && nullity_ > 0 && !all(solvable | !degenerate_)) {
    std::copy_n(diagonal, size, y_.begin());
    for (std::size_t e = 0; e < off_diagonal_.size(); ++e) {
      y_[static_cast<std::size_t>(off_diagonal_[e].first)] += lower[e];
      y_[static_cast<std::size_t>(off_diagonal_[e].second)] += upper[e];
    }
    solvable = solvable | shifted_->solve(y_.data()).converged;
  }
  // A constraint without a gradient is no matter of rank: nothing can be done about its residual.
  for (std::size_t i = 0; i < size; ++i) solvable = solvable & (abs(diagonal[i]) > T(0)) & isfinite(diagonal[i]);
  report.regular = (degenerate_ & solvable) | (report.regular & !degenerate_);
  if (nullity_ == 0 && !all(report.regular)) factor_indefinite(diagonal, lower, upper, !report.regular, report);
}

template <class T>
void SemidefiniteSolver<T>::factor_indefinite(const T* diagonal, const T* lower, const T* upper, const Mask<T>& lanes,
                                              FactorReport<T>& report) {
  const auto size = static_cast<std::size_t>(solver_.size()), count = off_diagonal_.size();
  if (!augmented_) {
    std::vector<MatrixEntry> entries;
    for (int i = 0; i < solver_.size(); ++i) entries.push_back({i, i});
    for (const auto& [i, j] : off_diagonal_) entries.push_back({i, j});
    for (const auto& [i, j] : off_diagonal_) entries.push_back({j, i});
    values_.assign(entries.size(), T(0));
    augmented_ = std::make_unique<AugmentedSolver<T>>(solver_.size(), std::move(entries));
  }
  std::copy_n(diagonal, size, values_.begin());
  std::copy_n(lower, count, values_.data() + size);
  std::copy_n(upper ? upper : lower, count, values_.data() + size + count);
  const FactorReport<T> augmented = augmented_->factor(values_.data());
  indefinite_ = lanes & augmented.regular;
  report.regular = report.regular | indefinite_;
  report.growth = select(indefinite_, augmented.growth, report.growth);
}

template <class T>
Mask<T> SemidefiniteSolver<T>::solve_degenerate(T* x) const {
  const std::size_t size = y_.size();
  std::copy_n(x, size, y_.begin());
  Mask<T> solved = shifted_->solve(y_.data()).converged | !degenerate_;
  if (signed_ && any(signed_pivots_)) {
    std::copy_n(x, size, z_.begin());
    signed_->solve(z_.data());
    for (std::size_t i = 0; i < size; ++i) y_[i] = select(signed_pivots_, z_[i], y_[i]);
    solved = solved | signed_pivots_;
  }
  if (augmented_ && any(indefinite_)) {
    std::copy_n(x, size, z_.begin());
    const Mask<T> converged = augmented_->solve(z_.data()).converged;
    for (std::size_t i = 0; i < size; ++i) y_[i] = select(indefinite_, z_[i], y_[i]);
    solved = (solved & !indefinite_) | (converged & indefinite_);
  }
  if (!all(degenerate_)) {
    solver_.solve(x);
    for (std::size_t i = 0; i < size; ++i) y_[i] = select(degenerate_, y_[i], x[i]);
  }
  std::copy_n(y_.begin(), size, x);
  return solved;
}

COTANGENT_INSTANTIATE(NUMBERS, ShiftedSolver);
COTANGENT_INSTANTIATE(NUMBERS, SemidefiniteSolver);

}  // namespace cotangent
