#pragma once

#include "cotangent/base/step_report.hpp"
#include "cotangent/manifold/constraint_matrix.hpp"

namespace cotangent {

/// Lanes that cannot go on stay where they were, for that reason; the others do not notice.
template <class T>
void fail_lanes(StepReport<T>& report, const Mask<T>& lanes, StepStatus status, const T& residual) {
  if (!any(report.ok & lanes)) return;
  report.status = status;
  report.ok = report.ok & !lanes;
  report.residual = residual;
}

/// The same for lanes in which the matrix that was factored last is singular, with the constraint to blame.
template <class T>
void fail_singular_lanes(StepReport<T>& report, const Mask<T>& lanes, const ConstraintMatrix<T>& matrix,
                         const T& residual) {
  for (int i = 0; i < lane_count<T> && report.row < 0; ++i)
    if (lane(lanes, i)) report.row = matrix.worst_row(i);
  fail_lanes(report, lanes, StepStatus::singular_constraints, residual);
}

}  // namespace cotangent
