#include "cotangent/analyze/dirac/dense.hpp"

#include <algorithm>
#include <utility>

#include "cotangent/base/scalar.hpp"

namespace cotangent {
namespace {

// In Quad rounding is 2e-34; what cancels to less than this is zero, and what is more than kNonzero is not.
constexpr Quad kZero = 1e-24Q, kNonzero = 1e-12Q;

Quad largest(const std::vector<Quad>& row) {
  Quad most = 0;
  for (const Quad x : row) most = max(most, abs(x));
  return most;
}

void subtract(std::vector<Quad>& row, Quad factor, const std::vector<Quad>& pivot) {
  if (factor == 0) return;
  for (std::size_t k = 0; k < row.size(); ++k) row[k] -= factor * pivot[k];
}

}  // namespace

bool NumericRank::is_clear() const { return smallest_kept >= kNonzero && largest_dropped <= kZero; }

NumericRank numeric_rank(DenseMatrix a) {
  NumericRank result;
  std::vector<std::size_t> left;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const Quad size = largest(a[i]);
    if (size > 0)
      for (Quad& x : a[i]) x /= size;
    left.push_back(i);
  }
  while (!left.empty()) {
    const auto at = std::max_element(left.begin(), left.end(),
                                     [&](std::size_t i, std::size_t j) { return largest(a[i]) < largest(a[j]); });
    const auto& pivot = a[*at];
    const Quad size = largest(pivot);
    if (!(size > sqrt(kZero * kNonzero))) {
      result.largest_dropped = size;
      break;
    }
    result.smallest_kept = min(result.smallest_kept, size);
    const auto column = static_cast<std::size_t>(
        std::max_element(pivot.begin(), pivot.end(), [](Quad x, Quad y) { return abs(x) < abs(y); }) - pivot.begin());
    for (const std::size_t i : left)
      if (i != *at) subtract(a[i], a[i][column] / pivot[column], pivot);
    result.rows.push_back(*at);
    ++result.rank;
    left.erase(at);
  }
  return result;
}

std::vector<Quad> solve_dense(DenseMatrix a, std::vector<Quad> b) {
  const std::size_t n = b.size();
  for (std::size_t i = 0; i < n; ++i) a[i].push_back(b[i]);
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t best = k;
    for (std::size_t i = k; i < n; ++i)
      if (abs(a[i][k]) > abs(a[best][k])) best = i;
    std::swap(a[k], a[best]);
    if (!(abs(a[k][k]) > 0)) return {};
    for (std::size_t i = 0; i < n; ++i)
      if (i != k) subtract(a[i], a[i][k] / a[k][k], a[k]);
  }
  for (std::size_t i = 0; i < n; ++i) b[i] = a[i][n] / a[i][i];
  return b;
}

}  // namespace cotangent
