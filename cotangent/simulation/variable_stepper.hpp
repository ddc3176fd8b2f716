#pragma once

#include <limits>
#include <optional>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/manifold/manifold.hpp"
#include "cotangent/simulation/adaptive_options.hpp"
#include "cotangent/simulation/decimal.hpp"
#include "cotangent/simulation/dense_output.hpp"
#include "cotangent/simulation/stepper.hpp"

namespace cotangent {

/// Steps whose lengths are chosen as the run goes; how, is left to controllers.
///
/// A step that fails, or whose error is not tolerated, is made again, shorter, until it is
/// shorter than rounding errors of the time permit. Only the last step is cut, so that it ends where the run does;
/// samples are taken inside steps, see DenseOutput.
template <class T>
class VariableStepper : public Stepper<T> {
 public:
  void start(const Point<T>& z) final;
  bool is_done(const PhasePoint<T>& /*z*/, std::int64_t /*k*/) const final { return is_done_; }
  [[nodiscard]] Stride<T> advance(const Point<T>& z, std::int64_t k, Looks looks, Point<T>& end) final;
  bool is_recorded(const PhasePoint<T>& z, std::int64_t k) const final;
  const PhasePoint<T>* next_sample(Counts& counts) final;
  T usual_length() const final { return usual_; }
  T end() const final { return end_; }
  void finish(Summary& summary) const override;
  void state(Archive& archive, Point<T>& z, std::int64_t k) override;

 protected:
  /// All must outlive the stepper.
  VariableStepper(Integrator<T>& integrator, Manifold<T>& manifold, const AdaptiveOptions& options);

  /// The length of a first step to be tried, for a method whose error is O(h^k).
  T first_length(const PhasePoint<T>& z, int k);

  /// Chooses the first step.
  virtual void choose(const Point<T>& z) = 0;
  /// The length of the next step.
  virtual T propose() = 0;
  /// Like Integrator::step; report.error <= 1 if the step is good enough.
  [[nodiscard]] virtual StepReport<T> attempt(const Point<T>& z, T h, Point<T>& end) = 0;
  /// A step of length h from z was not good enough: what to try instead.
  virtual T shorter(const PhasePoint<T>& z, T h, const StepReport<T>& report) = 0;
  /// The step was made, to `end`. @param report of attempt().
  virtual void accept(const Point<T>& begin, T h, const StepReport<T>& report, const Point<T>& end) = 0;

  /// A step that is shorter makes no difference to the time.
  T shortest(const PhasePoint<T>& z) const;

  Integrator<T>& integrator_;
  Manifold<T>& manifold_;
  AdaptiveOptions options_;
  Counts pending_;  // what controllers have done and nobody has counted yet

 private:
  const T end_;
  bool is_done_;
  T begin_ = T(0), now_ = T(0);  // the times of the last step
  Point<T> last_;                // where the last one of the run begins
  std::optional<DenseOutput<T>> dense_;
  DecimalMultiples<T> sample_times_;
  std::int64_t next_sample_ = 1;
  T smallest_ = infinity<T>(), largest_ = T(0);
  // The shortest one after the first few, which find out how long steps are, and where it began.
  double briefest_ = std::numeric_limits<double>::infinity(), briefest_time_ = 0;
  T usual_ = T(0);
};

COTANGENT_DECLARE(PRECISIONS, VariableStepper);

}  // namespace cotangent
