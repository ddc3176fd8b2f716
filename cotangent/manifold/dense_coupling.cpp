#include "cotangent/manifold/dense_coupling.hpp"

#include <algorithm>
#include <numeric>

#include "cotangent/base/limits.hpp"

namespace cotangent {
namespace {

// Columns that are added to a row of R at once: it is read and written once for all of them.
constexpr std::size_t kColumns = 8;

// Products up to this are better listed; and a product in a list costs as much as so many in a dense loop.
constexpr double kListed = 1 << 20, kListedCost = 8;

}  // namespace

template <class T>
bool DenseCoupling<T>::suits(const System<T>& system) {
  const Elements& elements = system.elements();
  if (elements.declared || elements.m > kLimits.full) return false;
  std::vector<double> rows_of(static_cast<std::size_t>(elements.n), 0);  // rows that use a coordinate
  for (const Family& family : elements.constraints) {
    if (family.uses(Space::w)) return false;
    for (const auto& slot : family.slots) {
      if (slot.space != Space::q) continue;
      for (std::int64_t k = 0; k < family.count; ++k) rows_of[static_cast<std::size_t>(slot.at(k))] += 1;
    }
  }
  double products = 0;
  for (const double count : rows_of) products += count * count;
  const auto n = static_cast<double>(elements.n), m = static_cast<double>(elements.m);
  return products > kListed && n * m * m <= kListedCost * products;
}

template <class T>
DenseCoupling<T>::DenseCoupling(System<T>& system)
    : system_(system),
      n_(static_cast<std::size_t>(system.n())),
      m_(static_cast<std::size_t>(system.m())),
      G_(system),
      order_(G_.entries().size()),
      begin_(n_ + 1, 0),
      left_values_(order_.size(), T(0)),
      right_values_(left_values_),
      left_(kColumns * m_, T(0)),
      right_(left_),
      R_(m_ * m_, T(0)) {
  const auto column = [this](std::size_t e) { return G_.entries()[e].column; };
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  std::stable_sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) { return column(a) < column(b); });
  for (const std::size_t e : order_) ++begin_[static_cast<std::size_t>(column(e)) + 1];
  std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
}

template <class T>
void DenseCoupling<T>::take_columns(const std::vector<T>& values, std::size_t first, std::size_t count,
                                    Columns& columns) const {
  std::fill(columns.begin(), columns.end(), T(0));
  for (std::size_t c = 0; c < count; ++c)
    for (std::size_t k = begin_[first + c]; k < begin_[first + c + 1]; ++k)
      columns[c * m_ + static_cast<std::size_t>(G_.entries()[order_[k]].row)] += values[order_[k]];
}

template <class T>
void DenseCoupling<T>::symmetric(const T* q, const T& t, T* diagonal, T* lower) {
  const std::vector<T>& W = *system_.diagonal_mass();
  G_.evaluate(q, t, left_values_);
  std::fill(R_.begin(), R_.end(), T(0));
  for (std::size_t first = 0; first < n_; first += kColumns) {
    const std::size_t count = std::min(kColumns, n_ - first);
    take_columns(left_values_, first, count, left_);
    for (std::size_t i = 0; i < m_; ++i)
      for (std::size_t c = 0; c < count; ++c) {
        const T a = W[first + c] * left_[c * m_ + i];
        T* const row = &R_[i * m_];
        const T* const column = &left_[c * m_];
        for (std::size_t j = 0; j <= i; ++j) row[j] = fma(a, column[j], row[j]);
      }
  }
  for (std::size_t i = 0; i < m_; ++i) {
    lower = std::copy_n(&R_[i * m_], i, lower);
    diagonal[i] = R_[i * m_ + i];
  }
}

template <class T>
void DenseCoupling<T>::newton(const T* Q, const T& t_Q, const T* q, const T& t, T* diagonal, T* lower, T* upper) {
  const std::vector<T>& W = *system_.diagonal_mass();
  G_.evaluate(Q, t_Q, left_values_);
  G_.evaluate(q, t, right_values_);
  std::fill(R_.begin(), R_.end(), T(0));
  for (std::size_t first = 0; first < n_; first += kColumns) {
    const std::size_t count = std::min(kColumns, n_ - first);
    take_columns(left_values_, first, count, left_);
    take_columns(right_values_, first, count, right_);
    for (std::size_t i = 0; i < m_; ++i)
      for (std::size_t c = 0; c < count; ++c) {
        const T a = W[first + c] * left_[c * m_ + i];
        T* const row = &R_[i * m_];
        const T* const column = &right_[c * m_];
        for (std::size_t j = 0; j < m_; ++j) row[j] = fma(a, column[j], row[j]);
      }
  }
  for (std::size_t i = 0; i < m_; ++i) {
    lower = std::copy_n(&R_[i * m_], i, lower);
    diagonal[i] = R_[i * m_ + i];
    for (std::size_t j = 0; j < i; ++j) *upper++ = R_[j * m_ + i];
  }
}

COTANGENT_INSTANTIATE(NUMBERS, DenseCoupling);

}  // namespace cotangent
