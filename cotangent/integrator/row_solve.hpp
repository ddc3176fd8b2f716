#pragma once

#include <cstdint>
#include <vector>

#include "cotangent/manifold/lane_failure.hpp"
#include "cotangent/manifold/manifold.hpp"
#include "cotangent/manifold/row_scales.hpp"
#include "cotangent/solve/stopping.hpp"

namespace cotangent {

/// g and psi, held row by row against what is added up in them. A point may be much smaller than what it is the sum of:
/// its rounding errors are those of the summands.
template <class T>
class RowResiduals {
 public:
  /// @param manifold must outlive this.
  explicit RowResiduals(Manifold<T>& manifold)
      : manifold_(manifold),
        v_(static_cast<std::size_t>(manifold.system().n()), T(0)),
        y_(v_),
        scale_(static_cast<std::size_t>(manifold.system().m()), T(0)),
        scales_(manifold.system()) {}

  /// Takes G at (q, t), from which sizes are found.
  void take_gradients(const T* q, const T& t) { scales_.evaluate(q, t); }

  /// rows = g(q, t).
  /// @param sizes of the summands of q.
  Ratio<T> position(const T* q, const T& t, const T* sizes, T* rows) {
    manifold_.system().at(q, t).g(rows);
    scales_.of_positions(sizes, t, scale_.data());
    return ratio_of(rows, scale_.data(), scale_.size());
  }

  /// rows = psi(z).
  /// @param sizes of the summands of p.
  /// @param m multipliers of R in p, with R as it was factored last.
  Ratio<T> momentum(const PointRef<T>& z, const T* sizes, const T* m, T* rows) {
    const At<T> at = manifold_.system().at(z);
    at.psi(v_, rows);
    at.H_pp_times(sizes, y_);
    for (std::size_t j = 0; j < v_.size(); ++j) y_[j] = abs(y_[j]) + abs(v_[j]);
    scales_.along_rows(y_.data(), T(1), scale_.data());
    for (std::size_t r = 0; r < scale_.size(); ++r) scale_[r] += manifold_.matrix().diagonal_scale(r, m[r]);
    return ratio_of(rows, scale_.data(), scale_.size());
  }

 private:
  Manifold<T>& manifold_;
  std::vector<T> v_, y_, scale_;
  RowScales<T> scales_;
};

/// Improves something until every row of its residual is at its own rounding level.
/// @param evaluate() gives the residual, as a Ratio.
/// @param improve(active) makes it smaller in these lanes.
/// @param failure what has happened where that does not succeed.
/// @return whether some lane is left.
template <class T, class Evaluate, class Improve>
[[nodiscard]] bool solve_rows(const Evaluate& evaluate, const Improve& improve, StepStatus failure,
                              StepReport<T>& report) {
  // A residual within so many rounding units of what it is summed up from is zero; within so many times more of them
  // an iteration that no longer shrinks has converged.
  constexpr double kLevel = 4, kNear = 32;
  RoundingStop<T> stop;
  if (!any(report.ok) || !stop.fail(!report.ok)) return any(report.ok);
  while (true) {
    const Ratio<T> ratio = evaluate();
    report.tolerance = T(kLevel * epsilon<T>());
    if (!stop.update(ratio.each, ratio.each <= report.tolerance, ratio.overall <= T(kNear) * report.tolerance)) break;
    improve(stop.active());
  }
  report.iterations += stop.iterations();
  fail_lanes(report, stop.failed(), all(isfinite(stop.residual())) ? failure : StepStatus::not_finite, stop.residual());
  return any(report.ok);
}

}  // namespace cotangent
