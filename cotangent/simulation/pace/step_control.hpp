#pragma once

#include <memory>
#include <utility>

#include "cotangent/manifold/manifold.hpp"
#include "cotangent/simulation/pace/adaptive_options.hpp"
#include "cotangent/simulation/pace/step_density.hpp"
#include "cotangent/simulation/pace/stepper.hpp"

namespace cotangent {

/// Chooses the lengths of steps, and what counts as a step that is good enough. It keeps numbers about steps, never a
/// point of the trajectory.
template <class T>
class StepControl {
 public:
  virtual ~StepControl() = default;

  /// Chooses the first step.
  virtual void start(const Point<T>& z) = 0;
  /// The next step, with the sign of the way.
  virtual T propose() = 0;
  /// Like Integrator::step; report.error <= 1 if the step is good enough.
  [[nodiscard]] virtual StepReport<T> attempt(const Point<T>& z, T h, Point<T>& end) = 0;
  /// A step of length h from z was not good enough: the next one is shorter.
  virtual void reject(const PhasePoint<T>& z, T h, const StepReport<T>& report) = 0;
  /// The step was made, to `end`. @param report of attempt().
  virtual void accept(const Point<T>& begin, T h, const StepReport<T>& report, const Point<T>& end) = 0;

  /// What there is to tell about the steps.
  virtual void finish(Summary& summary) const = 0;
  virtual void state(Archive& archive) { archive("uncounted", uncounted_); }

  /// What it has done and nobody has counted yet.
  Counts take_counts() { return std::exchange(uncounted_, {}); }

 protected:
  /// All must outlive this.
  StepControl(Integrator<T>& integrator, Manifold<T>& manifold, const AdaptiveOptions& options);

  /// The length of a first step to be tried, for a method whose error is O(h^k): positive.
  T first_length(const PhasePoint<T>& z, int k);

  Integrator<T>& integrator_;
  Manifold<T>& manifold_;
  /// With the sign of the way.
  T along(const T& length) const { return T(options_.span().sign()) * length; }

  AdaptiveOptions options_;
  Counts uncounted_;
};

/// The controller that options ask for; under Controller::pi a method that has a series proposes its steps itself.
/// @param density for Controller::reversible; FrequencyDensity if there is none.
/// @throws std::invalid_argument for Controller::pi and a method that does not estimate its errors.
template <class T>
std::unique_ptr<StepControl<T>> make_step_control(Integrator<T>& integrator, Manifold<T>& manifold,
                                                  const AdaptiveOptions& options, StepDensity<T>* density);

/// How many times as long a step should be as one whose error, O(h^k), was so large in units of what is tolerated.
double step_factor(double error, int k);

/// The length of a first step for a method whose error is O(h^k), from the sizes of z' and z'' = f'f in units of the
/// tolerance:
///
///   h0 |f| = |z|/100,   |z''| = |f(z + h0 f) - f(z)| / h0,   h1^k max(|f|, |z''|) = 1/100,   h = min(100 h0, h1)
///
/// with -h0 in the place of h0 where time goes backwards.
/// It may be wrong by far, as every guess from one point; it is there to be tried.
/// Reference: [hnw93, II.4].
template <class T>
T first_step(Manifold<T>& manifold, const PhasePoint<T>& z, const Tolerance& tolerance, int k, const TimeSpan& span);

COTANGENT_DECLARE(PRECISIONS, StepControl);

}  // namespace cotangent
