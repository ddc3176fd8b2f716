#pragma once

#include <algorithm>
#include <vector>

#include "cotangent/manifold/row_scales.hpp"

namespace cotangent {

/// How far each constraint leaves positions open, in units of epsilon, by what is rounded inside it and no argument is
/// to blame for, as in x^2 + (y - R)^2 = R^2: rows_r = e_r / sum_j |G_rj|, where `scales` was evaluated.
/// @param sizes of all coordinates, @param lengths of all constraints: scratch, left as 1 and sum_j |G_rj|.
/// @return whether there is anything of that.
template <class T>
bool blur_of_positions(const RowScales<T>& scales, std::vector<T>& sizes, std::vector<T>& rows,
                       std::vector<T>& lengths) {
  std::fill(sizes.begin(), sizes.end(), T(0));
  scales.of_positions(sizes.data(), T(0), rows.data());
  if (std::all_of(rows.begin(), rows.end(), [](const T& row) { return row == T(0); })) return false;
  std::fill(sizes.begin(), sizes.end(), T(1));
  scales.along_rows(sizes.data(), T(0), lengths.data());
  for (std::size_t r = 0; r < rows.size(); ++r) rows[r] = lengths[r] > T(0) ? rows[r] / lengths[r] : T(0);
  return true;
}

}  // namespace cotangent
