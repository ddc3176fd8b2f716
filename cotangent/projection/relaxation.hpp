#pragma once

#include <vector>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/base/step_report.hpp"
#include "cotangent/manifold/row_scales.hpp"
#include "cotangent/projection/kept_invariants.hpp"
#include "cotangent/solve/direct/row_basis.hpp"

namespace cotangent {

/// Relaxation: invariants return to their first values after a step from z, along the step itself,
///
///   Z = z + d_0 + sum_k gamma_k d_k,   I(Z) = I(0),   the time t + (1 + gamma_0) h,
///
/// where d_0 is what the step has added, and d_1, d_2, ... what embedded results of lower order add to that. Of one
/// invariant there is d_0 only, and 1 + gamma_0 is the relaxation parameter gamma of [ketcheson19]; several take
/// embedded results as well [biswas-ketcheson23], and where there are more of these than are needed the smallest change
/// is made: of d_0 what the time does not take up, d_0 - h f(Z) = -h^2/2 f'f + O(h^3). The root is the one that
/// Newton's method finds from gamma = 0, as long as no |gamma_k| is larger than 1/2, and the point at its own time is
/// not moved by more than ten times of the way to the invariants, C'(CC')^-1 (I - I(0)) with C = I': what goes beyond
/// that way is an error of the step, which is of the size of that way. Otherwise there is no root, and the point stays
/// as it is: d_0 does not reach an invariant where I'f'f changes its sign, the others reach some hardly, or are as
/// small as rounding errors in a short step.
///
/// Order. For invariants that are not linear I'(Z) d_0 is about h^2 I'f'f/2, and what the step has lost is O(h^(r+1)):
/// so gamma_0 = O(h^(r-1)), by which the time moves along. Z is a point of order r at that time. A d_k = O(h^(j+1)) has
/// gamma_k = O(h^(r-j)): its product is O(h^(r+1)) as well.
template <class T>
class Relaxation {
 public:
  /// @param invariants must outlive this. @param count of the directions, of this size.
  Relaxation(KeptInvariants<T>& invariants, std::size_t count, std::size_t size);

  /// d_k as one vector (q, p, s), to be written before.
  T* direction(std::size_t k) { return d_.data() + k * size_; }
  /// h^2/2 f'f, where it is known.
  T* bend() { return bend_.data(); }

  /// @param Z = z + d_0. Is moved, with its time, or stays where there is no root nearby. Does not allocate.
  [[nodiscard]] StepReport<T> operator()(LaneOf<T> h, PhasePoint<T>& Z);

  /// Of a point without a root: whether it meets the invariants but for a few units of rounding.
  bool is_rounding() const { return is_rounding_; }

  /// The largest |gamma_k| of the last point; 0 if it stayed as it was.
  T change() const;

 private:
  Ratio<T> residual(bool is_first);
  T way();
  Mask<T> is_detour();
  void correct();
  void go(const PhasePoint<T>& Z);

  KeptInvariants<T>& invariants_;
  const std::size_t rows_ = invariants_.count(), count_, size_;
  RowBasis<T> J_, normals_;
  std::vector<T> d_, bend_, gamma_, dgamma_, lengths_, excess_, scale_, bound_, excess_of_Z_, gradient_, way_;
  T steepness_ = T(0);  // sum_k |I_k'|^2, in the units of rows
  T length_ = T(0);     // |d_0|
  T way_at_least_ = T(0);
  bool is_rounding_ = false;
  PhasePoint<T> x_;
};

COTANGENT_DECLARE(NUMBERS, Relaxation);

}  // namespace cotangent
