#pragma once

#include <vector>

#include "cotangent/base/scalar.hpp"
#include "cotangent/solve/direct/ordering.hpp"
#include "cotangent/solve/direct/pivot.hpp"

namespace cotangent {

/// Row r of R = sum_j c_j (row j of R).
template <class T>
struct DependentRow {
  struct Term {
    int row;
    T coefficient;
  };

  int row;
  std::vector<Term> terms;  ///< in the order of rows; none of these rows is dependent. Empty if R(r,r) = 0.
};

/// The rows of a symmetric positive semidefinite R that are combinations of others, up to rounding; the rest are
/// independent. For R = G W G' with W positive definite the same combinations hold between the rows of G.
///
/// R = L D L' is computed with rows left out whose pivot is no more than rank_tolerance<T>() times what was added up in
/// it (see pivot.hpp). The null vector of such a row r solves L'n = e_r, and
///
///   R n = 0,   n = e_r - sum_j c_j e_j,   j independent.
///
/// Terms are listed where |c_j| sqrt(R(j,j)) > term_tolerance<T>() sqrt(R(r,r)): what a constraint is measured in does
/// not matter here, nor for the choice of rows.
///
/// Of several rows that depend on each other any one could go. Up to kLimits.pivoted rows, elimination takes those with
/// a large remaining pivot first, which makes the decision as reliable as it can be [higham90]: always the first row
/// whose d_i / R(i,i) is at least half of the largest. So, where rounding leaves the choice, the row stated last goes.
/// Larger matrices are eliminated in a fill-reducing order.
///
/// @param lower lower[e] = R(i,j) at off_diagonal[e] = (i, j), i > j.
/// @pre off_diagonal is as for LinearSolver, and all values are finite.
template <class T>
std::vector<DependentRow<T>> dependent_rows(int size, const OffDiagonal& off_diagonal, const T* diagonal,
                                            const T* lower);

/// epsilon^(1/3): to that the coefficients c_j are known where the pivots of independent rows are as small as
/// rank_tolerance.
template <class T>
LaneOf<T> term_tolerance() {
  return sqrt(rank_tolerance<T>());
}

}  // namespace cotangent
