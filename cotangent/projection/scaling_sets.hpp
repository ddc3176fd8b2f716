#pragma once

#include <cstddef>
#include <vector>

namespace cotangent {

/// A variable that a scaling changes: an entry of (q, p, s), one after the other, and the centre it is scaled about.
struct ScaledVariable {
  std::size_t at;
  double centre = 0;

  bool operator==(const ScaledVariable&) const = default;
};

/// The variables that are scaled by the same factor, one set for each invariant; variables in none of them stay as they
/// are. Nothing: sets are found.
using ScalingSets = std::vector<std::vector<ScaledVariable>>;

/// Divides variables among sets, one for each invariant, by W with the entries w_ij = x_j dI_i/dx_j, which say how much
/// of I_i follows when x_j is scaled. Rows are divided by the sum of their |w_ij|; elimination with complete pivoting
/// then finds one variable for each set, the columns W_P. With v = W_P^-1 w_j for another variable, it joins set i if
///
///   v_i > 0,   v_i >= sum of |v_l| over l != i,
///
/// that is, if it does the same for the invariants as the first variable of the set does. The sums of the columns of
/// sets are W_P B then, where each column of B has 1 + sum v_i on its diagonal, and less by 1 than that beside it: so
/// |B^-1| <= 1, and the sets are as well conditioned as their first variables.
///
/// Pivots of sqrt(epsilon) are none: what is left of W then is made of rounding errors. Invariants without a pivot
/// follow from the others, as far as scalings see them, and have no set.
struct SetMatching {
  struct Pivot {
    std::size_t invariant, variable;
  };
  std::vector<int> set;       ///< of each variable, or -1
  std::vector<Pivot> pivots;  ///< of each set: its first variable, and the invariant that it is for
  std::vector<std::size_t> order = {};
};

/// @param w row by row; destroyed.
void match_sets(std::vector<double>& w, std::size_t invariants, std::size_t size, SetMatching& found);

}  // namespace cotangent
