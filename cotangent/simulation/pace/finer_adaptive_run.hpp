#pragma once

#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/integrator/step_map.hpp"
#include "cotangent/monitor/reference/reference.hpp"
#include "cotangent/simulation/pace/adaptive_stepper.hpp"

namespace cotangent {

/// The same run with steps that are K + 0.618 times as short as its controller chooses, for runs with adaptive steps:
/// no whole number, for the same reason as that of StepParts.
///
/// It has a controller of its own, because its motion has another phase after some time: lengths that were chosen for
/// the run, long at the aphelion and short at the perihelion, would meet it at the wrong places. So its steps do not
/// end where those of the run do. With b the last of its points that is not later than the end t of a step of the run,
///
///   z(t) = Phi_(t - b.t)(b):
///
/// one more step, shorter than its own, on a copy. It adds an error of O(h^(r+1)) K^-(r+1), which the next one does not
/// inherit. Nothing is interpolated, and what the method keeps is kept there, too.
template <class T>
class FinerAdaptiveRun final : public Reference<T> {
 public:
  /// @param map that of the run, but made of other objects. @param options of the run. @param K at least 2.
  /// @param density one of its own for Controller::reversible; FrequencyDensity if there is none.
  FinerAdaptiveRun(StepMap<T> map, const AdaptiveOptions& options, int K,
                   std::unique_ptr<StepDensity<T>> density = nullptr)
      : map_(std::move(map)), options_(options), density_(std::move(density)) {
    options_.refinement = refinement(K);
    options_.sample.reset();
  }

  /// K + 0.618.
  static double refinement(int K) { return K + (std::sqrt(5.0) - 1) / 2; }

  void start(const PhasePoint<T>& z, LaneOf<T> h) override;
  void follow(const MadeStep<T>& step) override;
  std::optional<SolutionError<T>> error(const PhasePoint<T>& z) override;
  std::string remark() const override;
  void state(Archive& archive) override;

  /// How many steps it has made for each one of the run.
  double refinement() const {
    return run_steps_ > 0 ? static_cast<double>(steps_) / static_cast<double>(run_steps_) : 1;
  }
  double error_left(int order) const override { return std::pow(refinement(), -order); }

 private:
  bool reach(const MadeStep<T>& step);
  bool land(const PhasePoint<T>& end);

  StepMap<T> map_;
  AdaptiveOptions options_;
  std::unique_ptr<StepDensity<T>> density_;
  std::optional<AdaptiveStepper<T>> stepper_;  // of its own
  Point<T> begin_, z_;                         // of its last step
  std::int64_t steps_ = 0, run_steps_ = 0;
  Point<T> there_;  // at the time of the run
  bool is_there_ = false, is_lost_ = false;
};

COTANGENT_DECLARE(PRECISIONS, FinerAdaptiveRun);

}  // namespace cotangent
