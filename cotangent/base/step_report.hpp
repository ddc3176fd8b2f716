#pragma once

#include <cstdint>

#include "cotangent/base/scalar.hpp"
#include "cotangent/base/step_status.hpp"

namespace cotangent {

/// The outcome of a step. In a batch each lane has its own fate; status is that of the worst one.
template <class T>
struct StepReport {
  StepStatus status = StepStatus::ok;
  Mask<T> ok = Mask<T>(true);    ///< lanes that advanced; the others were left as they were
  std::int64_t iterations = 0;   ///< of the nonlinear solves, all together
  std::int64_t evaluations = 0;  ///< of H_q or of a formulation's field
  std::int64_t charts = 0;       ///< changes of the chart
  T error = T(0);                ///< estimated, in units of what is tolerated; see Integrator::tolerate
  T residual = T(0);             ///< of the solve that failed
  T tolerance = T(0);            ///< the rounding level that the residual was held against
  std::int64_t row = -1;         ///< the constraint behind a singular matrix, if known
  bool in_projection = false;    ///< what failed is the projection after the step
};

}  // namespace cotangent
