#include "cotangent/manifold/saddle_matrix.hpp"

#include <algorithm>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/solve/direct/saddle_order.hpp"

namespace cotangent {

template <class T>
SaddleMatrix<T>::SaddleMatrix(System<T>& system)
    : legendre_(*system.legendre()),
      G_(system),
      response_(system),
      n_(static_cast<std::size_t>(system.n())),
      m_(static_cast<std::size_t>(system.m())),
      masses_(legendre_.mass_entries().size()),
      gradients_(G_.entries().size()),
      smallest_(m_),
      values_(masses_ + 2 * gradients_ + m_, T(0)),
      inverse_mass_sums_(n_, T(0)),
      diagonal_(m_, T(0)),
      right_(n_ + m_, T(0)),
      augmented_right_(right_),
      x_(m_, T(0)),
      u_(x_),
      Q_(n_, T(0)),
      q_(Q_),
      p_(Q_) {
  SaddlePattern pattern{static_cast<int>(n_), static_cast<int>(m_), {}, {}};
  for (const auto& e : legendre_.mass_entries()) {
    entries_.push_back({static_cast<int>(e.row), static_cast<int>(e.column)});
    if (e.row != e.column) pattern.couplings.emplace_back(e.row, e.column);
  }
  const int n = pattern.n;
  for (const auto& e : G_.entries()) entries_.push_back({static_cast<int>(e.column), n + static_cast<int>(e.row)});
  for (const auto& e : G_.entries()) {
    entries_.push_back({n + static_cast<int>(e.row), static_cast<int>(e.column)});
    pattern.incidences.emplace_back(e.row, e.column);
  }
  for (int r = 0; r < pattern.m; ++r) entries_.push_back({n + r, n + r});
  lu_ = std::make_unique<SparseLu<T>>(pattern.n + pattern.m, entries_, saddle_order(pattern));
}

template <class T>
FactorReport<T> SaddleMatrix<T>::factor(const T* Q, const T& t_Q, const PointRef<T>& z) {
  std::copy_n(Q, n_, Q_.begin());
  t_Q_ = t_Q;
  t_ = z.t;
  std::copy_n(z.q, n_, q_.begin());
  std::copy_n(z.p, n_, p_.begin());
  T *mass = values_.data(), *right = mass + masses_, *left = right + gradients_, *shifts = left + gradients_;
  legendre_.mass(z.q, z.p, z.t, mass);
  G_.evaluate(z.q, z.t, right);
  G_.evaluate(Q, t_Q, left);
  std::fill_n(shifts, m_, T(0));
  FactorReport<T> report = lu_->factor(values_.data());

  estimate_diagonal();
  indefinite_ = legendre_.indefinite(z.q, z.p, z.t);
  if (any(indefinite_)) factor_indefinite(report);
  degenerate_ = (!indefinite_) & ((!(report.growth < T(1 / rank_tolerance<T>()))) | Mask<T>(smallest_.nullity() > 0));
  if (any(degenerate_)) shift(report);
  return report;
}

template <class T>
void SaddleMatrix<T>::estimate_diagonal() {
  const T *mass = values_.data(), *right = mass + masses_;
  std::fill(inverse_mass_sums_.begin(), inverse_mass_sums_.end(), T(0));
  std::fill(diagonal_.begin(), diagonal_.end(), T(0));
  for (std::size_t e = 0; e < masses_; ++e) inverse_mass_sums_[legendre_.mass_entries()[e].row] += abs(mass[e]);
  for (T& sum : inverse_mass_sums_) sum = T(1) / sum;
  for (std::size_t e = 0; e < gradients_; ++e) {
    const auto& entry = G_.entries()[e];
    diagonal_[entry.row] += right[e] * right[e] * inverse_mass_sums_[entry.column];
  }
}

template <class T>
void SaddleMatrix<T>::factor_indefinite(FactorReport<T>& report) {
  // Few systems need it, and those that do need it from the first call.
  if (!augmented_) augmented_ = std::make_unique<AugmentedSolver<T>>(static_cast<int>(n_ + m_), entries_);
  const FactorReport<T> augmented = augmented_->factor(values_.data());
  report.regular = (indefinite_ & augmented.regular) | (report.regular & !indefinite_);
  report.growth = select(indefinite_, augmented.growth, report.growth);
}

template <class T>
void SaddleMatrix<T>::shift(FactorReport<T>& report) {
  T largest(0);
  for (const T& d : diagonal_) largest = max(largest, d);
  const T delta = select(degenerate_, T(rank_tolerance<T>()) * largest, T(0));
  T* shifts = values_.data() + masses_ + 2 * gradients_;
  for (std::size_t r = 0; r < m_; ++r) shifts[r] = -delta;
  Mask<T> regular = lu_->factor(values_.data()).regular;
  // A constraint without a gradient is no matter of rank: nothing can be done about its residual.
  for (const T& d : diagonal_) regular = regular & (d > T(0));
  smallest_.find_null_space([this](T* x) { solve_shifted(x); });
  report.regular = (degenerate_ & regular) | (report.regular & !degenerate_);
}

template <class T>
Mask<T> SaddleMatrix<T>::solve_shifted(T* x) {
  std::fill_n(right_.begin(), n_, T(0));
  for (std::size_t r = 0; r < m_; ++r) right_[n_ + r] = -x[r];
  Mask<T> converged(true);
  if (any(indefinite_)) {
    augmented_right_ = right_;
    converged = augmented_->solve(augmented_right_.data()).converged | !indefinite_;
  }
  lu_->solve(right_.data());
  for (std::size_t r = 0; r < m_; ++r) x[r] = select(indefinite_, augmented_right_[n_ + r], right_[n_ + r]);
  return converged;
}

template <class T>
Mask<T> SaddleMatrix<T>::solve(T* x) {
  if (!any(degenerate_)) return solve_shifted(x);
  std::copy_n(x, m_, x_.begin());
  const Mask<T> converged = solve_shifted(x);  // where nothing was shifted, this is the solution
  const auto residual = [&](const T* b, const T* y, T* r, T* magnitude) {
    multiply(y, u_.data());
    for (std::size_t k = 0; k < m_; ++k) {
      r[k] = b[k] - u_[k];
      magnitude[k] = abs(b[k]) + abs(u_[k]) + diagonal_[k] * abs(y[k]);
    }
  };
  const Refinement<T> smallest = smallest_(
      x_.data(), [this](T* a) { solve_shifted(a); }, [this](const T* a, T* y) { multiply(a, y); }, residual);
  for (std::size_t r = 0; r < m_; ++r) x[r] = select(degenerate_, x_[r], x[r]);
  return (degenerate_ & smallest.converged) | (converged & !degenerate_);
}

template <class T>
std::int64_t SaddleMatrix<T>::worst_row(int lane_index) const {
  const int row = lane(indefinite_, lane_index) ? augmented_->worst_row(lane_index) : lu_->worst_pivot(lane_index).row;
  return row < static_cast<int>(n_) ? -1 : row - static_cast<int>(n_);
}

COTANGENT_INSTANTIATE(NUMBERS, SaddleMatrix);

}  // namespace cotangent
