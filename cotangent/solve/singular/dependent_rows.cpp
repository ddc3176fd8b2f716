#include "cotangent/solve/singular/dependent_rows.hpp"

#include <algorithm>
#include <cstddef>

#include "cotangent/base/dual.hpp"
#include "cotangent/base/instantiate.hpp"
#include "cotangent/solve/direct/sparse_ldl.hpp"

namespace cotangent {
template <class T>
std::vector<DependentRow<T>> dependent_rows(int size, const OffDiagonal& off_diagonal, const T* diagonal,
                                            const T* lower) {
  const PatternGraph graph(size, off_diagonal);
  SparseLdl<T> factors(graph, analyse_fill_reducing(graph));
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

template <class T>
std::vector<DependentRow<T>> dependent_rows(const std::vector<std::vector<T>>& R) {
  OffDiagonal places;
  std::vector<T> diagonal, lower;
  for (std::size_t i = 0; i < R.size(); ++i) {
    diagonal.push_back(R[i][i]);
    for (std::size_t j = 0; j < i; ++j) {
      places.emplace_back(static_cast<int>(i), static_cast<int>(j));
      lower.push_back(R[i][j]);
    }
  }
  return dependent_rows<T>(static_cast<int>(R.size()), places, diagonal.data(), lower.data());
}

#define COTANGENT_FUNCTIONS(T)                                                                       \
  template std::vector<DependentRow<T>> dependent_rows(int, const OffDiagonal&, const T*, const T*); \
  template std::vector<DependentRow<T>> dependent_rows(const std::vector<std::vector<T>>&);
COTANGENT_FOR_TRAJECTORIES(COTANGENT_FUNCTIONS)

}  // namespace cotangent
