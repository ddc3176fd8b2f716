#pragma once

#include <memory>

#include "cotangent/simulation/pi_stepper.hpp"
#include "cotangent/simulation/reversible_stepper.hpp"

namespace cotangent {

/// The controller that options ask for, with what belongs to it.
template <class T>
class ChosenSteps {
 public:
  /// All must outlive this. @param density for Controller::reversible; FrequencyDensity if there is none.
  ChosenSteps(Integrator<T>& integrator, Manifold<T>& manifold, const AdaptiveOptions& options,
              StepDensity<T>* density) {
    if (options.controller == Controller::pi) {
      stepper_ = std::make_unique<PiStepper<T>>(integrator, manifold, options);
      return;
    }
    if (!density) made_ = std::make_unique<FrequencyDensity<T>>(manifold, options.end);
    stepper_ = std::make_unique<ReversibleStepper<T>>(integrator, manifold, options, density ? *density : *made_);
  }

  Stepper<T>& stepper() { return *stepper_; }

 private:
  std::unique_ptr<StepDensity<T>> made_;
  std::unique_ptr<Stepper<T>> stepper_;
};

}  // namespace cotangent
