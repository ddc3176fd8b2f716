#include "cotangent/solve/singular/dependent_rows.hpp"

#include <algorithm>
#include <cstddef>

#include "cotangent/base/dual.hpp"
#include "cotangent/base/instantiate.hpp"
#include "cotangent/base/limits.hpp"
#include "cotangent/solve/direct/sparse_ldl.hpp"

namespace cotangent {
namespace {

/// Rows in the order of elimination with diagonal pivoting; those without a pivot at the end.
template <class T>
std::vector<int> pivoted_order(int size, const OffDiagonal& off_diagonal, const T* diagonal, const T* lower) {
  const std::size_t m = size;
  std::vector<T> A(m * m, T(0));
  for (std::size_t i = 0; i < m; ++i) A[i * m + i] = diagonal[i];
  for (std::size_t e = 0; e < off_diagonal.size(); ++e) {
    const auto [i, j] = off_diagonal[e];
    A[i * m + j] = A[j * m + i] = lower[e];
  }
  const auto ratio = [&](int i) { return diagonal[i] > T(0) ? A[i * m + i] / diagonal[i] : T(0); };

  std::vector<int> order, rest = natural_order(size);
  while (!rest.empty()) {
    T largest = T(0);
    for (const int i : rest) largest = max(largest, ratio(i));
    if (!(largest > rank_tolerance<T>())) break;
    const auto chosen = std::find_if(rest.begin(), rest.end(), [&](int i) { return ratio(i) >= largest / 2; });
    const int k = *chosen;
    order.push_back(k);
    rest.erase(chosen);
    for (const int i : rest) {
      const T l = A[i * m + k] / A[k * m + k];
      for (const int j : rest) A[i * m + j] = fma(-l, A[k * m + j], A[i * m + j]);
    }
  }
  order.insert(order.end(), rest.begin(), rest.end());
  return order;
}

}  // namespace

template <class T>
std::vector<DependentRow<T>> dependent_rows(int size, const OffDiagonal& off_diagonal, const T* diagonal,
                                            const T* lower) {
  const PatternGraph graph(size, off_diagonal);
  SparseLdl<T> factors(graph, size <= kLimits.pivoted
                                  ? analyse(graph, pivoted_order(size, off_diagonal, diagonal, lower))
                                  : analyse_fill_reducing(graph));
  factors.factor_dropping(diagonal, lower, rank_tolerance<T>());

  std::vector<DependentRow<T>> dependent;
  std::vector<T> n(size);
  for (int k = 0; k < size; ++k) {
    if (factors.inverse_pivot(k) != T(0)) continue;
    const int r = factors.pivot_row(k);
    factors.null_vector(r, n.data());
    DependentRow<T> found{.row = r, .terms = {}};
    for (int j = 0; j < size; ++j) {
      // |n_j| sqrt(R(j,j)) > term_tolerance sqrt(R(r,r)), squared.
      if (j != r && n[j] * n[j] * diagonal[j] > rank_tolerance<T>() * diagonal[r]) found.terms.push_back({j, -n[j]});
    }
    dependent.push_back(std::move(found));
  }
  std::sort(dependent.begin(), dependent.end(), [](const auto& a, const auto& b) { return a.row < b.row; });
  return dependent;
}

#define COTANGENT_FUNCTIONS(T) \
  template std::vector<DependentRow<T>> dependent_rows(int, const OffDiagonal&, const T*, const T*);
COTANGENT_FOR_TRAJECTORIES(COTANGENT_FUNCTIONS)

}  // namespace cotangent
