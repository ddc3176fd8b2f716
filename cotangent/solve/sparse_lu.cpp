#include "cotangent/solve/sparse_lu.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "cotangent/base/dual.hpp"
#include "cotangent/base/instantiate.hpp"

namespace cotangent {
namespace {

void check_entries(int size, std::span<const MatrixEntry> entries) {
  if (size < 0) throw std::invalid_argument("sparse LU: size = " + std::to_string(size) + ", must be >= 0");
  for (const auto& [row, column] : entries) {
    if (std::min(row, column) < 0 || std::max(row, column) >= size) {
      throw std::invalid_argument("sparse LU: entry (" + std::to_string(row) + ", " + std::to_string(column) +
                                  ") of a matrix with " + std::to_string(size) + " rows is out of range");
    }
  }
}

void check_order(int size, const std::vector<int>& order) {
  std::vector<char> seen(size, 0);
  bool valid = static_cast<int>(order.size()) == size;
  for (const int i : order) valid = valid && i >= 0 && i < size && !seen[i]++;
  if (!valid) throw std::invalid_argument("sparse LU: the order is no permutation of 0 .. size-1");
}

template <class T>
SparseLdl<T> analysed(int size, const OffDiagonal& off_diagonal, const std::vector<int>& order) {
  const PatternGraph graph(size, off_diagonal);
  return SparseLdl<T>(graph, analyse(graph, order));
}

}  // namespace

/// The pattern of A + A' below the diagonal, and where the caller's entries go.
template <class T>
struct SparseLu<T>::Pattern {
  Pattern(int rows, std::span<const MatrixEntry> entries, const std::vector<int>& order) : size(rows) {
    check_entries(size, entries);
    check_order(size, order);
    for (const auto& [row, column] : entries) {
      if (row != column) off_diagonal.emplace_back(std::max(row, column), std::min(row, column));
    }
    std::sort(off_diagonal.begin(), off_diagonal.end());
    off_diagonal.erase(std::unique(off_diagonal.begin(), off_diagonal.end()), off_diagonal.end());

    const int below = static_cast<int>(off_diagonal.size());
    slot.reserve(entries.size());
    for (const auto& [row, column] : entries) {
      const std::pair<int, int> position{std::max(row, column), std::min(row, column)};
      const auto found = std::lower_bound(off_diagonal.begin(), off_diagonal.end(), position);
      const int e = size + static_cast<int>(found - off_diagonal.begin());
      slot.push_back(row == column ? row : row > column ? e : e + below);
    }
  }

  int size;
  OffDiagonal off_diagonal;
  std::vector<int> slot;
};

template <class T>
SparseLu<T>::SparseLu(int size, std::span<const MatrixEntry> entries, const std::vector<int>& order)
    : SparseLu(Pattern(size, entries, order), order) {}

template <class T>
SparseLu<T>::SparseLu(const Pattern& pattern, const std::vector<int>& order)
    : size_(pattern.size),
      slot_(pattern.slot),
      values_(pattern.size + 2 * pattern.off_diagonal.size()),
      magnitude_(pattern.size),
      factors_(analysed<T>(pattern.size, pattern.off_diagonal, order)) {}

template <class T>
FactorReport<T> SparseLu<T>::factor(const T* values) {
  std::fill(values_.begin(), values_.end(), T(0));
  for (std::size_t e = 0; e < slot_.size(); ++e) values_[slot_[e]] += values[e];

  const T* const diagonal = values_.data();
  const T* const lower = diagonal + size_;
  const T* const upper = lower + (values_.size() - size_) / 2;
  return report_growth(factors_.factor_signed(diagonal, lower, upper, magnitude_.data()));
}

template <class T>
WorstPivot<T> SparseLu<T>::worst_pivot(int lane_index) const {
  WorstPivot<T> worst;
  for (int k = 0; k < size_; ++k) {
    const int row = factors_.pivot_row(k);
    worst.consider(row, signed_pivot_growth(magnitude_[row], factors_.inverse_pivot(k)), lane_index);
  }
  return worst;
}

COTANGENT_INSTANTIATE(NUMBERS, SparseLu);

}  // namespace cotangent
