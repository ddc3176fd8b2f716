#pragma once

#include <cstdint>

#include "cotangent/base/archive.hpp"
#include "cotangent/integrator/integrator.hpp"
#include "cotangent/simulation/summary.hpp"

namespace cotangent {

/// Which points of a run are looked at, beside the last one.
enum class Looks : std::uint8_t { at_every_step, at_records, nowhere };

/// What a stepper did, and why it did not do more.
template <class T>
struct Stride {
  std::int64_t steps = 0;  ///< made
  Counts counts = {};      ///< of everything that was tried, without `projections`
  bool is_whole = true;    ///< false: the step after them could not be made, for the reason below

  Phase during = Phase::step;
  StepReport<T> report = {};
  T length = T(0);          ///< of that step or, if it is whole, of the last one
  bool is_watched = false;  ///< the method has looked at all points between: see Stepper::advance()
};

template <class T>
void add(Counts& counts, const StepReport<T>& report) {
  counts.newton += report.iterations;
  counts.rhs += report.evaluations;
  counts.charts += report.charts;
}

/// Where the time loop gets its steps from.
///
/// Of a trajectory it keeps at most what it needs to choose the next step. Does not allocate after start().
template <class T>
class Stepper {
 public:
  virtual ~Stepper() = default;

  /// Everything that comes before the first step; nothing is compiled later.
  virtual void start(const Point<T>& z) = 0;

  virtual bool is_done(const PhasePoint<T>& z, std::int64_t k) const = 0;

  /// Makes step k + 1 from z, or several at once if nobody looks at what is between them, to `end`. Both stay as they
  /// are until the next call, if it is whole; otherwise `end` is of no use.
  /// @param watch where somebody looks at all points that lead there, unless the method itself does: several steps are
  ///        made only if it does, and then it tells what it saw. A null pointer: nobody does.
  [[nodiscard]] virtual Stride<T> advance(const Point<T>& z, std::int64_t k, Looks looks, Point<T>& end,
                                          StepWatch<T>* watch) = 0;

  /// Whether the point after step k is to be recorded.
  virtual bool is_recorded(const PhasePoint<T>& z, std::int64_t k) const = 0;

  /// The next point inside the last step that is to be recorded; a null pointer if there is none.
  /// @throws std::runtime_error if it could not be found.
  virtual const PhasePoint<T>* next_sample(Counts& /*counts*/) { return nullptr; }

  /// About how long steps are, with the sign of the way.
  virtual T usual_length() const = 0;

  virtual T start_time() const = 0;
  virtual T end() const = 0;
  virtual std::int64_t expected_steps() const { return 0; }  ///< 0: not known

  /// What there is to tell about the steps.
  virtual void finish(Summary& summary) const = 0;

  /// What it remembers of the run, for a checkpoint at z after k steps. Is read after start(): the end of the run may
  /// be another one then.
  virtual void state(Archive& archive, Point<T>& z, std::int64_t k) = 0;

  /// Somebody has to be asked after every so many steps; 0: never.
  void set_pause(std::int64_t every) { pause_ = every; }

 protected:
  bool is_pause(std::int64_t k) const { return pause_ > 0 && k % pause_ == 0; }

 private:
  std::int64_t pause_ = 0;
};

}  // namespace cotangent
