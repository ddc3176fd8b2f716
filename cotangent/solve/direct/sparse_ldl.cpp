#include "cotangent/solve/direct/sparse_ldl.hpp"

#include <algorithm>
#include <numeric>

#include "cotangent/base/dual.hpp"
#include "cotangent/base/instantiate.hpp"
#include "cotangent/solve/direct/pivot.hpp"

namespace cotangent {

template <class T>
SparseLdl<T>::SparseLdl(const PatternGraph& graph, const SymbolicFactor& symbolic)
    : order_(symbolic.order),
      begin_(graph.size()),
      column_end_(graph.size()),
      row_(symbolic.entries),
      target_(symbolic.entries),
      inverse_(graph.size()),
      lower_(symbolic.entries),
      upper_(symbolic.entries),
      y_(graph.size()),
      z_(graph.size()) {
  const int size = graph.size();
  std::inclusive_scan(symbolic.count.begin(), symbolic.count.end(), column_end_.begin());
  for (int k = 0; k < size; ++k) begin_[order_[k]] = column_end_[k] - symbolic.count[k];

  // Columns: climbing the elimination tree from the earlier neighbours of a row finds its columns.
  std::vector<int> next = begin_, visited(size, -1), row_count(size, 0);
  for (int k = 0; k < size; ++k) {
    visited[k] = k;
    const int row = order_[k];
    for (int q = graph.start[row]; q < graph.start[row + 1]; ++q) {
      const int column = graph.neighbour[q];
      if (symbolic.place[column] > k) continue;
      input_.push_back({.column = column, .entry = graph.entry[q], .mirrored = column > row});
      for (int i = symbolic.place[column]; visited[i] != k; i = symbolic.parent[i]) {
        visited[i] = k;
        row_[next[order_[i]]++] = row;
        ++row_count[k];
      }
    }
    input_end_.push_back(static_cast<int>(input_.size()));
  }

  // Rows: reading the columns in order gives each row its entries in the order substitution needs.
  target_end_.resize(size);
  std::exclusive_scan(row_count.begin(), row_count.end(), target_end_.begin(), 0);
  for (int k = 0, slot = 0; k < size; ++k) {
    for (; slot < column_end_[k]; ++slot) {
      target_[target_end_[symbolic.place[row_[slot]]]++] = {.column = order_[k], .slot = slot};
    }
  }
}

template <class T>
T SparseLdl<T>::factor(const T* diagonal, const T* lower) {
  return eliminate<true>(diagonal, lower, lower, PositivePivots<T>{}).growth;
}

template <class T>
T SparseLdl<T>::factor(const T* diagonal, const T* lower, const T* upper) {
  return eliminate<false>(diagonal, lower, upper, PositivePivots<T>{}).growth;
}

template <class T>
T SparseLdl<T>::factor_signed(const T* diagonal, const T* lower, const T* upper, T* magnitude) {
  if (upper == lower) return eliminate<true>(diagonal, lower, lower, SignedPivots<T>{.magnitude = magnitude}).growth;
  return eliminate<false>(diagonal, lower, upper, SignedPivots<T>{.magnitude = magnitude}).growth;
}

template <class T>
void SparseLdl<T>::factor_dropping(const T* diagonal, const T* lower, const T& tolerance) {
  eliminate<true>(diagonal, lower, lower, DroppedPivots<T>{.tolerance = tolerance});
}

// With the leading block A_ = L_ D_ U_ known, the next row is  y U_ = A(k,.)  for y = L(k,.) D_  and the next
// column L_ z = A(.,k)  for z = D_ U(.,k); then d_k = A(k,k) - sum_i L(k,i) z_i.
template <class T>
template <bool kSymmetric, class Pivots>
Pivots SparseLdl<T>::eliminate(const T* diagonal, const T* lower, const T* upper, Pivots pivots) {
  symmetric_ = kSymmetric;
  T* const y = y_.data();
  T* const z = z_.data();
  T* const L = lower_.data();
  T* const U = kSymmetric ? L : upper_.data();
  const int* const row = row_.data();
  const int size = static_cast<int>(order_.size());

  for (int k = 0, in = 0, t = 0; k < size; ++k) {
    for (; in < input_end_[k]; ++in) {
      const auto [column, entry, mirrored] = input_[in];
      if (kSymmetric) {
        y[column] = lower[entry];
      } else {
        y[column] = mirrored ? upper[entry] : lower[entry];
        z[column] = mirrored ? lower[entry] : upper[entry];
      }
    }

    T pivot = diagonal[order_[k]];
    pivots.begin(pivot);
    for (; t < target_end_[k]; ++t) {
      const auto [column, slot] = target_[t];
      const T yi = y[column], zi = kSymmetric ? yi : z[column];
      y[column] = T(0);
      if (!kSymmetric) z[column] = T(0);
      // Slots of this column before `slot` are rows already known.
      for (int q = begin_[column]; q < slot; ++q) {
        y[row[q]] = fma(-U[q], yi, y[row[q]]);
        if (!kSymmetric) z[row[q]] = fma(-L[q], zi, z[row[q]]);
      }
      L[slot] = yi * inverse_[column];
      if (!kSymmetric) U[slot] = zi * inverse_[column];
      pivot = fma(-L[slot], zi, pivot);
      pivots.subtract(L[slot], zi);
    }
    inverse_[order_[k]] = pivots.inverse(order_[k], pivot);
  }
  return pivots;
}

template <class T>
void SparseLdl<T>::solve(T* x) const {
  forward_substitute(lower_.data(), x);
  back_substitute<true>(symmetric_ ? lower_.data() : upper_.data(), x);
}

// A' = U' D L'.
template <class T>
void SparseLdl<T>::solve_transposed(T* x) const {
  forward_substitute(symmetric_ ? lower_.data() : upper_.data(), x);
  back_substitute<true>(lower_.data(), x);
}

template <class T>
void SparseLdl<T>::null_vector(int row, T* x) const {
  std::fill_n(x, order_.size(), T(0));
  x[row] = T(1);
  back_substitute<false>(lower_.data(), x);
}

template <class T>
void SparseLdl<T>::forward_substitute(const T* L, T* __restrict x) const {
  const int size = static_cast<int>(order_.size());
  for (int k = 0, q = 0; k < size; ++k) {
    const T xi = x[order_[k]];
    for (; q < column_end_[k]; ++q) x[row_[q]] = fma(-L[q], xi, x[row_[q]]);
  }
}

template <class T>
template <bool kScaled>
void SparseLdl<T>::back_substitute(const T* U, T* __restrict x) const {
  for (int k = static_cast<int>(order_.size()) - 1; k >= 0; --k) {
    const int i = order_[k];
    T xi = kScaled ? x[i] * inverse_[i] : x[i];
    for (int q = begin_[i]; q < column_end_[k]; ++q) xi = fma(-U[q], x[row_[q]], xi);
    x[i] = xi;
  }
}

COTANGENT_INSTANTIATE(NUMBERS, SparseLdl);

}  // namespace cotangent
