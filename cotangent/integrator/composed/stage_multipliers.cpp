#include "cotangent/integrator/composed/stage_multipliers.hpp"

#include <array>
#include <utility>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/integrator/take_lanes.hpp"

namespace cotangent {

template <class T>
StepReport<T> StageMultipliers<T>::make_step(const Point<T>& z, LaneOf<T> h, Point<T>& end) {
  StepReport<T> report = midpoint_->step(z, h, end);
  if (!any(report.ok)) return report;
  PhasePoint<T>& Z = end.change();
  const std::array parts{std::pair{&PhasePoint<T>::q, &PhasePoint<T>::q_low},
                         std::pair{&PhasePoint<T>::p, &PhasePoint<T>::p_low},
                         std::pair{&PhasePoint<T>::s, &PhasePoint<T>::s_low}};
  middle_ = z;
  for (const auto& each : parts)
    for (std::size_t j = 0; j < (Z.*each.first).size(); ++j) {
      T& x = (middle_.*each.first)[j];
      x += ((Z.*each.first)[j] - x) / T(2);
    }
  middle_.advance_time(h / 2);
  stage_.start(z);
  stage_.set_step(h);
  const ProjectionReport<T> projection = stage_.project(middle_, report.ok);
  for (const auto& [part, low] : parts)
    for (std::size_t j = 0; j < (Z.*part).size(); ++j)
      (Z.*part)[j] =
          add_compensated((Z.*part)[j], T(2) * ((middle_.*part)[j] - (stage_.before().*part)[j]), (Z.*low)[j]);
  report.iterations += projection.iterations;
  if (any(report.ok & !projection.ok)) {
    report.status = projection.status;
    report.residual = projection.residual;
    report.tolerance = projection.tolerance;
    report.row = projection.row;
    report.ok = report.ok & projection.ok;
  }
  if (!all(report.ok)) take_lanes(!report.ok, z.state(), Z);
  return report;
}

COTANGENT_INSTANTIATE(NUMBERS, StageMultipliers);

}  // namespace cotangent
