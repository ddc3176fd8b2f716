#pragma once

#include <cstdint>
#include <vector>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/system/matrix/jacobian.hpp"
#include "cotangent/system/system.hpp"

namespace cotangent {

/// R = G W G' with a constant diagonal W, for constraints that nearly all share nearly all coordinates: a sum over the
/// columns of G,
///
///   R = sum_j W_j G_j G_j',      G(Q) W G(q)' = sum_j W_j G_j(Q) G_j(q)',
///
/// each of them a full vector. CouplingPlan lists every product G_rj G_sj instead, which is what sparse constraints
/// need: for 450 constraints on 1000 coordinates it has 10^8 of them.
///
/// Terms are added in the order of columns, whatever the number type. Owns workspace: use one per thread.
template <class T>
class DenseCoupling {
 public:
  /// Whether the lists of CouplingPlan were long, and dense columns have few zeros.
  static bool suits(const System<T>& system);

  /// @param system whose H_pp is constant and diagonal; must outlive this.
  explicit DenseCoupling(System<T>& system);

  /// diagonal[i] = R(i, i), and lower of i > j in the order (1, 0), (2, 0), (2, 1), ...
  void symmetric(const T* q, const T& t, T* diagonal, T* lower);
  /// The same for G(Q, t_Q) W G(q, t)', with upper[e] at (j, i).
  void newton(const T* Q, const T& t_Q, const T* q, const T& t, T* diagonal, T* lower, T* upper);

 private:
  using Columns = std::vector<T>;  // several columns of G, one after the other

  void take_columns(const std::vector<T>& values, std::size_t first, std::size_t count, Columns& columns) const;

  System<T>& system_;
  std::size_t n_, m_;
  Jacobian<T> G_;
  std::vector<std::size_t> order_, begin_;  // entries of G by columns, and where columns begin among them
  std::vector<T> left_values_, right_values_;
  Columns left_, right_;
  std::vector<T> R_;  // by rows
};

COTANGENT_DECLARE(NUMBERS, DenseCoupling);

}  // namespace cotangent
