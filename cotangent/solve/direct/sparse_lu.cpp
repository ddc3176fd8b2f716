#include "cotangent/solve/direct/sparse_lu.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "cotangent/base/dual.hpp"
#include "cotangent/base/instantiate.hpp"

namespace cotangent {
namespace {

void check(int size, std::span<const MatrixEntry> entries, const std::vector<int>& order) {
  const auto complain = [](const std::string& what) { throw std::invalid_argument("sparse LU: " + what); };
  if (size < 0) complain("size = " + std::to_string(size) + ", must be >= 0");
  for (const auto& [row, column] : entries)
    if (std::min(row, column) < 0 || std::max(row, column) >= size)
      complain("entry (" + std::to_string(row) + ", " + std::to_string(column) + ") of a matrix with " +
               std::to_string(size) + " rows is out of range");
  std::vector<int> sorted = order;
  std::sort(sorted.begin(), sorted.end());
  if (sorted != natural_order(size)) complain("the order is no permutation of 0 .. size-1");
}

/// Where an entry, or its mirror image, is below the diagonal.
std::pair<int, int> below(const MatrixEntry& entry) {
  return {std::max(entry.row, entry.column), std::min(entry.row, entry.column)};
}

/// Whether these are the same numbers in all lanes. Of numbers that carry more than a value nobody asks: not even a
/// comparison would be free there.
template <class T>
bool are_equal(const T* a, const T* b, std::size_t size) {
  if constexpr (std::is_same_v<T, double> || lane_count < T >> 1) {
    for (std::size_t k = 0; k < size; ++k)
      if (!all(a[k] == b[k])) return false;
    return true;
  } else {
    return false;
  }
}

}  // namespace

template <class T>
SparseLu<T>::SparseLu(int size, std::span<const MatrixEntry> entries, const std::vector<int>& order) : size_(size) {
  check(size, entries, order);
  OffDiagonal pattern;  // of A + A'
  for (const MatrixEntry& entry : entries)
    if (entry.row != entry.column) pattern.push_back(below(entry));
  std::sort(pattern.begin(), pattern.end());
  pattern.erase(std::unique(pattern.begin(), pattern.end()), pattern.end());

  slot_.reserve(entries.size());
  for (const MatrixEntry& entry : entries) {
    const auto found = std::lower_bound(pattern.begin(), pattern.end(), below(entry));
    const int e = size + static_cast<int>(found - pattern.begin());
    slot_.push_back(entry.row == entry.column  ? entry.row
                    : entry.row > entry.column ? e
                                               : e + static_cast<int>(pattern.size()));
  }
  values_.resize(size + 2 * pattern.size());
  magnitude_.resize(size);
  const PatternGraph graph(size, pattern);
  factors_.emplace(graph, analyse(graph, order));
}

template <class T>
FactorReport<T> SparseLu<T>::factor(const T* values) {
  std::fill(values_.begin(), values_.end(), T(0));
  for (std::size_t e = 0; e < slot_.size(); ++e) values_[slot_[e]] += values[e];

  const T* const diagonal = values_.data();
  const T* const lower = diagonal + size_;
  const std::size_t below = (values_.size() - size_) / 2;
  const T* const upper = are_equal(lower, lower + below, below) ? lower : lower + below;
  return report_growth(factors_->factor_signed(diagonal, lower, upper, magnitude_.data()));
}

template <class T>
WorstPivot<T> SparseLu<T>::worst_pivot(int lane_index) const {
  WorstPivot<T> worst;
  for (int k = 0; k < size_; ++k) {
    const int row = factors_->pivot_row(k);
    worst.consider(row, pivot_growth(magnitude_[row], abs(factors_->inverse_pivot(k))), lane_index);
  }
  return worst;
}

COTANGENT_INSTANTIATE(NUMBERS, SparseLu);

}  // namespace cotangent
