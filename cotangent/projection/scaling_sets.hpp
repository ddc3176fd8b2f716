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

/// Divides `size` variables among sets, one for each invariant, by w_ij = x_j dI_i/dx_j, which says how much of I_i
/// follows when x_j is scaled. Each set begins with one variable: those with which the w of all invariants are the
/// farthest from being dependent, by elimination with complete pivoting. Every other variable joins the invariant of
/// which it is the largest share, |w_ij| / sum_j |w_ij|. Sets are called like the invariants that they are found for.
///
/// @param w row by row; destroyed. @param set the set of each variable, or -1 for those that no invariant feels.
void match_sets(std::vector<double>& w, std::size_t invariants, std::size_t size, std::vector<int>& set);

}  // namespace cotangent
