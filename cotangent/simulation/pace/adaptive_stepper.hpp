#pragma once

#include <limits>
#include <memory>
#include <optional>

#include "cotangent/simulation/dense_output.hpp"
#include "cotangent/simulation/pace/decimal.hpp"
#include "cotangent/simulation/pace/step_control.hpp"

namespace cotangent {

/// Steps whose lengths are chosen as the run goes, by a StepControl.
///
/// A step that fails, or whose error is not tolerated, is made again, shorter, until it makes no difference to the
/// time. The last step is cut, so that it ends where the run does. Samples are taken inside steps, see DenseOutput; but
/// implicit methods under the PI controller end steps at them: they are for stiff systems, whose field multiplies
/// the errors of a point inside a step by more than interpolation gains.
///
/// Where the model has pieces and the motion slides along the border of two, every step crosses it, and only steps that
/// hardly get on are good enough: the run ends there.
template <class T>
class AdaptiveStepper final : public Stepper<T> {
 public:
  /// All must outlive the stepper. @param density see make_step_control.
  AdaptiveStepper(Integrator<T>& integrator, Manifold<T>& manifold, const AdaptiveOptions& options,
                  StepDensity<T>* density = nullptr);

  void start(const Point<T>& z) override;
  bool is_done(const PhasePoint<T>& /*z*/, std::int64_t /*k*/) const override { return is_done_; }
  [[nodiscard]] Stride<T> advance(const Point<T>& z, std::int64_t k, Looks looks, Point<T>& end,
                                  StepWatch<T>* watch) override;
  bool is_recorded(const PhasePoint<T>& z, std::int64_t k) const override;
  const PhasePoint<T>* next_sample(Counts& counts) override;
  T usual_length() const override { return usual_; }
  T start_time() const override { return start_; }
  T end() const override { return end_; }
  void finish(Summary& summary) const override;
  void state(Archive& archive, Point<T>& z, std::int64_t k) override;

 private:
  T next_target(const T& t);
  void note_length(const PhasePoint<T>& z, std::int64_t k, const T& h);

  const AdaptiveOptions options_;
  const TimeSpan span_;
  const bool moves_time_;  // the method does
  const bool ends_at_samples_;
  const bool has_pieces_;  // the model has
  const std::unique_ptr<StepControl<T>> control_;
  const T start_, end_;
  bool is_done_;
  T begin_ = T(0), now_ = T(0);  // the times of the last step
  Point<T> last_;                // where the last one of the run begins
  std::optional<DenseOutput<T>> dense_;
  DecimalMultiples<T> sample_times_;
  std::int64_t next_sample_ = 1;
  T usual_ = T(0);  // the step before
  T smallest_ = infinity<T>(), largest_ = T(0);
  StepStatus reason_ = StepStatus::ok;  // why a step could not be made, the last time
  double briefest_ = std::numeric_limits<double>::infinity(), briefest_part_ = 0,
         briefest_time_ = 0;      // of very short steps
  std::int64_t crept_since_ = 0;  // the steps after this one have come no further than a part of a usual one before
  double crept_from_ = 0, usual_before_ = 0;  // and after this time
};

COTANGENT_DECLARE(PRECISIONS, AdaptiveStepper);

}  // namespace cotangent
