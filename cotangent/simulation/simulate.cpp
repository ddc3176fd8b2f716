#include "cotangent/simulation/simulate.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/base/interruptible.hpp"
#include "cotangent/base/interruption.hpp"
#include "cotangent/manifold/redundancy.hpp"
#include "cotangent/projection/projection.hpp"
#include "cotangent/simulation/pace/adaptive_stepper.hpp"
#include "cotangent/simulation/pace/fixed_stepper.hpp"
#include "cotangent/simulation/watch/condition_watch.hpp"
#include "cotangent/simulation/watch/energy_watch.hpp"

namespace cotangent {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// Looks at the clock rarely enough not to be noticed, and often enough for a bar that moves.
class ProgressTicker {
 public:
  explicit ProgressTicker(const std::function<void(const Progress&)>& report) : report_(report) {}

  template <class MakeProgress>
  void step(const MakeProgress& progress) {
    if (!report_ || --countdown_ > 0) return;
    const double seconds = seconds_since(last_);
    const bool is_early = seconds < kPeriod / 2;
    interval_ = is_early ? 2 * interval_ : std::max<std::int64_t>(1, interval_ / 2);
    if (!is_early) {
      last_ = Clock::now();
      report_(progress());
    }
    countdown_ = interval_;
  }

 private:
  static constexpr double kPeriod = 0.1;

  const std::function<void(const Progress&)>& report_;
  Clock::time_point last_ = Clock::now();
  std::int64_t interval_ = 1, countdown_ = 1;
};

// Written without branches, so that it is vector code: x - x is 0 where x is finite, and otherwise not a number.
template <class T>
bool is_finite(const std::vector<T>& x) {
  std::int64_t bad = 0;
  for (const T& entry : x) bad += entry - entry == T(0) ? 0 : 1;
  return bad == 0;
}

/// One run, from its first point to its summary.
template <class T>
class Run {
 public:
  Run(const Simulation<T>& simulation, Stepper<T>& stepper, Point<T>& z)
      : monitors_(simulation.monitors),
        simulation_(simulation),
        interruption_(simulation.interrupted),
        checkpoints_(simulation.checkpoints),
        stepper_(stepper),
        given_(z),
        z_(&z),
        next_(&other_),
        condition_(simulation.manifold),
        energy_(simulation.manifold.system(), simulation.monitors.find("energy")),
        is_watched_(stepper.expected_steps() >= kWorthWatching && !simulation.series &&
                    simulation.monitors.can_take_watch() && simulation.integrator.can_watch()) {}

  Summary operator()() {
    begin();
    start_ = Clock::now();
    ProgressTicker ticker(simulation_.progress);
    if (!checkpoints_.from) record();
    while (!stepper_.is_done(*z_, k_) && summary_.outcome == Outcome::done) {
      if (interruption_.is_requested()) {
        summary_.outcome = Outcome::interrupted;
        break;
      }
      if (!advance()) continue;
      condition_.observe(*z_);
      energy_.observe(*z_);
      record_samples();
      if (stepper_.is_recorded(*z_, k_)) record();
      if (!out_of_step_ && checkpoints_.every > 0 && k_ % checkpoints_.every == 0)
        attempt([this] { keep_checkpoint(); });
      ticker.step([this] { return progress(); });
    }
    keep_last_checkpoint();
    finish_records();
    summary_.wall_seconds = seconds_since(start_);
    condition_.finish(summary_.warnings);
    energy_.finish(*z_, summary_);
    summary_.time = time();
    summary_.steps = k_;
    simulation_.integrator.count_projections(nullptr);
    summary_.counts.projections = tally_.count;
    summary_.moved_most = moved(tally_.largest);
    summary_.moved_in_all = moved(tally_.total);
    summary_.scaling = tally_.scaling;
    const auto& relaxation = tally_.relaxation;
    summary_.relaxation = {relaxation.points, relaxation.fallbacks, relaxation.first_fallback,
                           static_cast<double>(max_over_lanes(relaxation.change))};
    stepper_.finish(summary_);
    for (const auto& monitor : monitors_.list()) {
      if (auto remark = monitor->remark(); !remark.empty())
        summary_.warnings.push_back({summary_.time, "monitor-lost", std::move(remark)});
      summary_.monitors.push_back({monitor->name(), monitor->group(), static_cast<double>(monitor->current()),
                                   static_cast<double>(monitor->largest())});
    }
    if (z_ != &given_) given_ = *z_;
    return std::move(summary_);
  }

 private:
  // To compile a kernel that watches takes about 5 ms, and saves 0.1 us in each step.
  static constexpr std::int64_t kWorthWatching = 50'000;

  // What is given up before the first step leaves nothing to tell.
  void begin() {
    const Interruptible rehearsals(&interruption_);
    stepper_.set_pause(checkpoints_.every);
    if (checkpoints_.from) {
      point_state(*checkpoints_.from);
    } else {
      z_->change().t = stepper_.start_time();
      z_->change().t_low = T(0);
      condition_.start(*z_, summary_.warnings);
      energy_.start(*z_);
      simulation_.integrator.begin(*z_);
    }
    stepper_.start(*z_);
    simulation_.integrator.count_projections(&tally_);
    monitors_.start(*z_, stepper_.usual_length());
    if (simulation_.series) simulation_.series->assign(monitors_.list().size(), Series());
    if (checkpoints_.from) {
      state(*checkpoints_.from);
      checkpoints_.from->expect_end();
      summary_.steps_before = k_;
    } else {
      add_to_series();
    }
  }

  // What everything else starts with.
  void point_state(Archive& archive) {
    Point<T>& z = *z_;
    const std::size_t n = z->q.size(), states = z->s.size();
    std::string method = simulation_.integrator.facts().name;
    archive("method", method, "point", z);
    if (method != simulation_.integrator.facts().name) archive.fail("the state is that of the method '" + method + "'");
    if (!is_finite<T>({z->t, z->t_low})) archive.fail("the time is not finite");
    for (const auto* x : {&z->q, &z->p, &z->s, &z->q_low, &z->p_low, &z->s_low})
      if (!is_finite(*x)) archive.fail("the point is not finite");
    for (const auto* x : {&z->q, &z->p, &z->q_low, &z->p_low})
      if (x->size() != n) archive.fail("the system has another size");
    if (z->s.size() != states || z->s_low.size() != states) archive.fail("the system has other states");
    const auto kept = simulation_.integrator.trajectory_size();
    if (z.trajectory().numbers.size() != kept.numbers || z.trajectory().counts.size() != kept.counts)
      archive.fail("the method keeps other values, such as those of invariants to return to");
    simulation_.manifold.matrix().state(archive);
  }

  void state(Archive& archive) {
    archive("steps", k_);
    archive("last_recorded", last_recorded_);
    archive("counts", summary_.counts);
    archive("warnings", summary_.warnings);
    archive("projections", tally_);
    archive.section("stepper", [&] { stepper_.state(archive, *z_, k_); });
    archive("condition", condition_);
    archive("energy", energy_);
    archive("monitors", monitors_);
    if (simulation_.series) archive("series", *simulation_.series);
  }

  void keep_checkpoint() {
    if (!checkpoints_.keep) return;
    // A record that cannot be written ends the run, but its checkpoint may be on another disk.
    if (simulation_.recorder) keep([this] { simulation_.recorder->flush(); });
    checkpoints_.keep(time(), [this](Archive& archive) {
      point_state(archive);
      state(archive);
    });
    last_kept_ = k_;
  }

  // Unless something is ahead of the point, or behind it: the last one before that stays.
  void keep_last_checkpoint() {
    if (!checkpoints_.keep || k_ == last_kept_) return;
    if (!out_of_step_ && attempt([this] { keep_checkpoint(); })) return;
    if (!out_of_step_) out_of_step_ = "it could not be written";
    summary_.warnings.push_back(
        {time(), "no-checkpoint", std::string("there is no checkpoint of the end: ") + out_of_step_});
  }

  // Makes one step, or several that nothing looks at: whether they count.
  bool advance() {
    const ProjectionTally<T> tally = tally_;
    Stride<T> stride{.is_whole = false};
    if (is_watched_) watch_ = monitors_.watch();
    try {
      const Interruptible steps(&interruption_);
      stride = stepper_.advance(*z_, k_, looks(), *next_, is_watched_ ? &watch_ : nullptr);
    } catch (const Interrupted&) {
      summary_.outcome = Outcome::interrupted;
    }
    if (stride.is_whole && observe(stride)) {
      std::swap(z_, next_);
      summary_.counts += stride.counts;
      k_ += stride.steps;
      add_to_series();
      keep([this] { monitors_.settle(); });
      return true;
    }
    // Nothing of a step that fails, or is given up, is counted.
    tally_ = tally;
    if (summary_.outcome == Outcome::interrupted) return false;
    // Of several steps the first bad one, or those that watches want to look at closely, are found by making them
    // again, one at a time.
    if (stride.steps > (stride.is_whole && !stride.is_watched ? 1 : 0)) {
      careful_until_ = k_ + stride.steps + 1;
      return false;
    }
    if (stride.is_whole && monitors_.follows()) out_of_step_ = "what follows the run has seen the failed step";
    fail(stride.is_whole ? Stride<T>{.report = {.status = StepStatus::not_finite, .residual = infinity<T>()},
                                     .length = stride.length}
                         : stride);
    return false;
  }

  // Whether the point and everything that is watched there is finite; if not, the monitors have not seen it.
  bool observe(const Stride<T>& stride) {
    const PhasePoint<T>& end = *next_;
    if (!is_finite(end.q) || !is_finite(end.p) || !is_finite(end.s)) return false;
    if (stride.is_watched) {
      if (!energy_.is_calm(watch_) || !condition_.is_calm(watch_)) return false;
      monitors_.take(watch_);
      if (monitors_.is_finite()) return true;
      monitors_.take_back();
      return false;
    }
    try {
      const Interruptible followers(&interruption_);
      monitors_.follow({*z_, *next_, stride.length, &interruption_});
    } catch (const Interrupted&) {
      summary_.outcome = Outcome::interrupted;
      out_of_step_ = "a long step was given up, and what follows the run has seen a part of it";
      return false;
    }
    if (monitors_.is_finite()) return true;
    monitors_.take_back();
    return false;
  }

  void add_to_series() {
    if (!simulation_.series) return;
    for (std::size_t k = 0; k < simulation_.series->size(); ++k) {
      const Monitor<T>& monitor = *monitors_.list()[k];
      if (k_ == 0 && simulation_.begins_after_step && simulation_.begins_after_step(monitor)) continue;
      (*simulation_.series)[k].add(elapsed(), static_cast<double>(monitor.signal()));
    }
  }

  Looks looks() const {
    const bool is_watched_otherwise = !is_watched_ && (!monitors_.list().empty() || monitors_.follows());
    if (k_ < careful_until_ || is_watched_otherwise) return Looks::at_every_step;
    return simulation_.recorder ? Looks::at_records : Looks::nowhere;
  }

  void record() {
    if (!simulation_.recorder) return;
    keep([this] { simulation_.recorder->record_step(*z_, monitors_); });
    last_recorded_ = k_;
  }

  // Monitors tell what they see at a sample, but watch the steps: their maxima are not those of an interpolant.
  void record_samples() {
    if (!simulation_.recorder) return;
    try {
      const Interruptible samples(&interruption_);
      while (const PhasePoint<T>* sample = next_sample()) {
        interruption_.check();
        monitors_.observe(*sample);
        keep([&] { simulation_.recorder->record(*sample, monitors_); });
        monitors_.take_back();
      }
    } catch (const Interrupted&) {
      summary_.outcome = Outcome::interrupted;
      out_of_step_ = "the samples of a long step were given up";
    }
  }

  // A null pointer also where it could not be found: then that is told.
  const PhasePoint<T>* next_sample() {
    const PhasePoint<T>* sample = nullptr;
    if (!attempt([&] { sample = stepper_.next_sample(summary_.counts); }))
      out_of_step_ = "a sample of the last step could not be found";
    return sample;
  }

  // The last point is recorded even if it is not its turn; but a run that is resumed later does without.
  void finish_records() {
    if (!simulation_.recorder) return;
    if (last_recorded_ != k_ && !is_recorder_broken_) record();
    keep([this] { simulation_.recorder->finish(); });
  }

  template <class F>
  void keep(const F& write) {
    if (!attempt(write)) is_recorder_broken_ = true;
  }

  // Whether it could be written. What failed first is told.
  template <class F>
  bool attempt(const F& write) {
    try {
      write();
      return true;
    } catch (const std::runtime_error& error) {
      if (summary_.failure) return false;
      summary_.outcome = Outcome::failed;
      summary_.failure =
          Failure{.during = Phase::recording, .step = k_, .time = time(), .length = 0, .message = error.what()};
      return false;
    }
  }

  // The step after k is the one that failed.
  void fail(const Stride<T>& stride) {
    const StepReport<T>& report = stride.report;
    summary_.outcome = Outcome::failed;
    summary_.failure = Failure{.during = report.in_projection ? Phase::projection : stride.during,
                               .status = reason(report.status, stride.length),
                               .step = k_ + 1,
                               .time = time(),
                               .length = static_cast<double>(stride.length),
                               .residual = static_cast<double>(report.residual),
                               .tolerance = static_cast<double>(report.tolerance),
                               .error = static_cast<double>(report.error),
                               .constraint = row_name(report, simulation_.manifold.system().elements())};
  }

  // A matrix that cannot be factored does not say whether constraints or H_pp are to blame; nor does a solve that
  // fails, or an error that stays.
  StepStatus reason(StepStatus status, const T& length) const {
    const bool is_mass = status == StepStatus::singular_constraints
                             ? is_mass_singular<T>(simulation_.manifold, *z_)
                             : is_mass_singular_ahead<T>(simulation_.manifold, *z_, length);
    return is_mass ? StepStatus::singular_mass : status;
  }

  double time() const { return static_cast<double>((*z_)->t); }
  double elapsed() const { return static_cast<double>(abs((*z_)->t - stepper_.start_time())); }

  static Moved moved(const Displacement<T>& by) {
    return {static_cast<double>(by.q), static_cast<double>(by.p), static_cast<double>(by.s)};
  }

  Progress progress() const {
    return {.step = k_,
            .steps = stepper_.expected_steps(),
            .start = static_cast<double>(stepper_.start_time()),
            .time = time(),
            .end = static_cast<double>(stepper_.end()),
            .seconds = seconds_since(start_)};
  }

  MonitorSet<T>& monitors_;
  const Simulation<T>& simulation_;
  Interruption interruption_;
  const Checkpoints& checkpoints_;
  Stepper<T>& stepper_;
  Point<T>& given_;
  Point<T> other_;
  Point<T>*z_, *next_;  // where the run is, and where a step leads to: these two

  ConditionWatch<T> condition_;
  EnergyWatch<T> energy_;
  bool is_watched_;  // the method itself looks at the points between which it makes many steps
  StepWatch<T> watch_;
  ProjectionTally<T> tally_;
  Summary summary_;
  Clock::time_point start_;
  std::int64_t k_ = 0;               // steps made
  std::int64_t last_recorded_ = -1;  // after this many steps
  std::int64_t last_kept_ = -1;      // checkpoint
  std::int64_t careful_until_ = 0;   // after this many steps several are made at once again
  bool is_recorder_broken_ = false;
  const char* out_of_step_ = nullptr;  // why there can be no checkpoint of the point, if there can be none
};

}  // namespace

template <class T>
Summary simulate(const Simulation<T>& simulation, const TimeGrid<T>& grid, Point<T>& z) {
  const bool is_autonomous = simulation.manifold.system().elements().is_autonomous();
  FixedStepper<T> stepper(simulation.integrator, grid, is_autonomous);
  return Run<T>(simulation, stepper, z)();
}

template <class T>
Summary simulate(const Simulation<T>& simulation, const AdaptiveOptions& options, Point<T>& z,
                 StepDensity<T>* density) {
  AdaptiveStepper<T> stepper(simulation.integrator, simulation.manifold, options, density);
  return Run<T>(simulation, stepper, z)();
}

#define COTANGENT_FUNCTIONS(T)                                                    \
  template Summary simulate(const Simulation<T>&, const TimeGrid<T>&, Point<T>&); \
  template Summary simulate(const Simulation<T>&, const AdaptiveOptions&, Point<T>&, StepDensity<T>*);
COTANGENT_FOR_PRECISIONS(COTANGENT_FUNCTIONS)

}  // namespace cotangent
