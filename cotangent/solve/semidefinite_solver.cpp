#include "cotangent/solve/semidefinite_solver.hpp"

#include <algorithm>

#include "cotangent/base/dual.hpp"
#include "cotangent/base/instantiate.hpp"

namespace cotangent {

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
  if (!shifted_) {
    shifted_ = std::make_unique<ShiftedSolver<T>>(solver_.size(), off_diagonal_);
    shifted_->set_nullity(nullity_);
    y_.assign(size, T(0));
    z_ = y_;
  }
  FactorReport<T> shifted = upper ? shifted_->factor(diagonal, lower, upper) : shifted_->factor(diagonal, lower);
  signed_pivots_ = Mask<T>(false);
  Mask<T> solvable = isfinite(shifted.growth) | shifted.regular;
  if (upper && nullity_ == 0) {
    if (!signed_) {
      std::vector<MatrixEntry> entries;
      for (int i = 0; i < solver_.size(); ++i) entries.push_back({i, i});
      for (const auto& [i, j] : off_diagonal_) entries.push_back({i, j});
      for (const auto& [i, j] : off_diagonal_) entries.push_back({j, i});
      const PatternGraph graph(solver_.size(), off_diagonal_);
      signed_ = std::make_unique<SparseLu<T>>(solver_.size(), entries, analyse_fill_reducing(graph).order);
      values_.assign(entries.size(), T(0));
    }
    std::copy_n(diagonal, size, values_.begin());
    std::copy_n(lower, off_diagonal_.size(), values_.begin() + static_cast<std::ptrdiff_t>(size));
    std::copy_n(upper, off_diagonal_.size(),
                values_.begin() + static_cast<std::ptrdiff_t>(size + off_diagonal_.size()));
    signed_pivots_ = degenerate_ & (signed_->factor(values_.data()).growth < T(kLimit));
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
  if (!all(degenerate_)) {
    solver_.solve(x);
    for (std::size_t i = 0; i < size; ++i) y_[i] = select(degenerate_, y_[i], x[i]);
  }
  std::copy_n(y_.begin(), size, x);
  return solved;
}

COTANGENT_INSTANTIATE(NUMBERS, SemidefiniteSolver);

}  // namespace cotangent
