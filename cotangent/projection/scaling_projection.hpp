#pragma once

#include <vector>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/base/step_report.hpp"
#include "cotangent/manifold/manifold.hpp"
#include "cotangent/projection/normal_rows.hpp"
#include "cotangent/projection/scaling_sets.hpp"
#include "cotangent/solve/direct/lane_inverse.hpp"

namespace cotangent {

/// Returns to k invariants by scaling k sets of variables S_1, ..., S_k, each by one factor about a centre c:
///
///   x_j = x~_j + d_i (x~_j - c_j)  for j in S_i,   d from   I(x) = I(0)
///
/// Newton's method starts at the point x~ that the method has led to, d = 0, with
///
///   J_ri = sum of dI_r/dx_j (x~_j - c_j) over j in S_i,
///
/// and goes on to rounding. The root continues the method if it is at most twice as far as the first correction d_1
/// leads: Kantorovich's theorem has its root there, and for a quadratic equation there is none that continues d = 0
/// elsewhere (equations with a double root have it just there). Otherwise, and where J is singular, as if the invariant
/// does not feel a scaling, invariants depend on each other or a set is at its centre, there is no such root: the point
/// stays as it is.
///
/// Invariants that follow from others, of which match_sets() says which they are, are left out of the equations and met
/// with these.
///
/// J, in units of sum_j |dI_r/dx_j (x~_j - c_j)|, counts as singular from pivots of sqrt(epsilon) on: what a correction
/// takes from the second order of the errors would be larger than what it mends.
///
/// The condition says how much of a relative error of the invariants, in units of what is added up in them, becomes one
/// of lengths: |J^-1| at x~, the largest sum of a row. It is 1 + 1/n for one invariant that is homogeneous of degree n.
///
/// Sets that are not given are found anew at every point, by match_sets(): the step remains a function of its
/// beginning.
///
/// Reference: [liu06], with the root that continues the method found to rounding.
template <class T>
class ScalingProjection {
 public:
  /// @param manifold and invariants must outlive this.
  /// @throws std::invalid_argument if there are more sets than invariants. Fewer do if so many are independent.
  ScalingProjection(Manifold<T>& manifold, KeptInvariants<T>& invariants, const ScalingSets& sets);

  /// Scales z in the lanes that are ok. Does not allocate after the first call.
  [[nodiscard]] StepReport<T> operator()(PhasePoint<T>& z);

  /// Of the last point; 0 if it met the invariants as it was.
  const T& condition() const { return condition_; }

 private:
  void find_sets();
  void leave_out(const Mask<T>& lanes);
  void set_left_out(int at_lane, bool by_variables);
  void set_jacobian();
  void go_to_d();
  void commit(const Mask<T>& found, PhasePoint<T>& z) const;
  T& entry(PhasePoint<T>& x, std::size_t j) const {
    return j < n_ ? x.q[j] : j < 2 * n_ ? x.p[j - n_] : x.s[j - 2 * n_];
  }

  System<T>& system_;
  NormalRows<T> I_at_;
  const std::size_t n_, size_, count_;
  const bool is_given_;
  PhasePoint<T> given_, x_;
  std::vector<T> member_;        // of each set and variable: 1 if the set has it
  std::vector<T> centre_, arm_;  // c and x~ - c
  std::vector<T> excess_, d_, correction_, sizes_;
  LaneInverse<T> J_;  // its rows in units of sizes_
  std::vector<double> w_;
  SetMatching matching_;
  std::vector<T>
      left_out_;  // of each invariant and set: 1 if the set has nothing to do, and the invariant no part in J
  bool leaves_out_ = false;
  T condition_ = T(0);
};

COTANGENT_DECLARE(NUMBERS, ScalingProjection);

}  // namespace cotangent
