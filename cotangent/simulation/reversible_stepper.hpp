#pragma once

#include <optional>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/integrator/doubled.hpp"
#include "cotangent/simulation/density_control.hpp"
#include "cotangent/simulation/variable_stepper.hpp"

namespace cotangent {

/// Steps by DensityControl: symmetric methods stay symmetric maps, and keep their long-time behaviour.
///
/// The tolerance is met once, at the start: there the error of a step is estimated by doubling it, and eps is chosen so
/// that it is what is tolerated; but where Q is a frequency h Q is at most 5 tolerance^(1/(p+1)). Afterwards steps are
/// proportional to 1/Q, whatever the errors are: to look at them would be to tell the future from the past. Only a step
/// that fails, or leads to where it is much too long, makes eps smaller, which is warned of. A density of the user's
/// that is not a positive number ends the run. Errors are looked at now and then, only to warn where they exceed what
/// is tolerated.
template <class T>
class ReversibleStepper final : public VariableStepper<T> {
 public:
  ReversibleStepper(Integrator<T>& integrator, Manifold<T>& manifold, const AdaptiveOptions& options,
                    StepDensity<T>& density);

  void finish(Summary& summary) const override;
  void state(Archive& archive, Point<T>& z, std::int64_t k) override;

 private:
  void choose(const Point<T>& z) override;
  T propose() override { return control_.length(); }
  [[nodiscard]] StepReport<T> attempt(const Point<T>& z, T h, Point<T>& end) override;
  T shorter(const PhasePoint<T>& z, T h, const StepReport<T>& report) override;
  void accept(const Point<T>& begin, T h, const StepReport<T>& report, const Point<T>& end) override;

  void note(const PhasePoint<T>& z, std::int64_t evaluations_before);
  void check(const Point<T>& begin, T h);

  StepDensity<T>& density_;
  DensityControl<T> control_;
  StepDoubling<T> doubled_;
  Point<T> checked_;
  double whole_ = 1;  // from the error of two half steps to that of the whole
  std::int64_t accepted_ = 0;
  double worst_error_ = 0, worst_time_ = 0;
  std::optional<double> adjusted_;  // when that was first necessary
  std::optional<double> lost_;      // when steps first did not follow their density
};

COTANGENT_DECLARE(PRECISIONS, ReversibleStepper);

}  // namespace cotangent
