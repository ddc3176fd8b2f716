#include "cotangent/simulation/simulate.hpp"

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <utility>
#include <vector>

#include "cotangent/manifold/redundancy.hpp"
#include "cotangent/simulation/condition_watch.hpp"

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
    if (seconds < kPeriod / 2) {
      interval_ = std::min<std::int64_t>(2 * interval_, 1'000'000);
    } else {
      interval_ =
          std::max<std::int64_t>(1, static_cast<std::int64_t>(static_cast<double>(interval_) * kPeriod / seconds));
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
  Run(const Simulation<T>& simulation, const TimeGrid<T>& grid, PhasePoint<T>& z)
      : integrator_(simulation.integrator),
        projector_(simulation.projector),
        monitors_(simulation.monitors),
        simulation_(simulation),
        grid_(grid),
        z_(z),
        projects_(projector_.is_active()),
        is_autonomous_(simulation.manifold.system().elements().is_autonomous()),
        condition_(simulation.manifold) {}

  Summary operator()() {
    summary_.step = static_cast<double>(grid_.step());
    set_time(T(0));
    monitors_.start(z_);
    settle_redundancy(simulation_.manifold, z_);
    condition_.start(z_, summary_.warnings);
    rehearse();

    const std::int64_t projected_before = projector_.count();
    start_ = Clock::now();
    ProgressTicker ticker(simulation_.progress);
    record();
    while (k_ < grid_.steps() && summary_.outcome == Outcome::done) {
      if (simulation_.interrupted && *simulation_.interrupted) {
        summary_.outcome = Outcome::interrupted;
        break;
      }
      if (!advance()) continue;
      condition_.observe(z_);
      if (grid_.is_recorded(k_)) record();
      ticker.step([this] { return progress(); });
    }
    finish_records();
    summary_.wall_seconds = seconds_since(start_);
    condition_.finish(summary_.warnings);
    summary_.time = static_cast<double>(z_.t);
    summary_.steps = k_;
    summary_.counts.projections = projector_.count() - projected_before;
    for (const auto& monitor : monitors_.list())
      summary_.monitors.push_back({monitor->name(), monitor->group(), static_cast<double>(monitor->current()),
                                   static_cast<double>(monitor->largest())});
    return std::move(summary_);
  }

 private:
  // What is compiled when it is first used belongs to the set-up.
  void rehearse() {
    if (grid_.steps() == 0) return;
    before_ = z_;
    static_cast<void>(integrator_.step(before_, grid_.length(1)));
    if (projects_) static_cast<void>(projector_.after_step(before_, projector_.policy().every));
  }

  // Makes one step, or several that nothing looks at: whether they count.
  bool advance() {
    before_ = z_;
    const Counts counts_before = summary_.counts;
    std::int64_t made = 0;
    StepReport<T> report = integrator_.advance(z_, length(), steps_at_once(), made);
    count(report);
    const bool is_whole = report.status == StepStatus::ok;
    if (is_whole && projects_) {
      const StepReport<T> projection = projector_.after_step(z_, k_ + made);
      count(projection);
      if (projection.status != StepStatus::ok) {
        z_ = before_;
        fail(Phase::projection, projection);
        return false;
      }
    }
    if (is_autonomous_) set_time(grid_.time(k_ + made));
    if (made > 0 && !observe()) {
      z_ = before_;
      // Of several steps the first bad one is found by making them again, one at a time.
      is_careful_ = made > 1;
      if (is_careful_) {
        summary_.counts = counts_before;
      } else {
        fail(Phase::step, {.status = StepStatus::not_finite, .residual = infinity<T>()});
      }
      return false;
    }
    k_ += made;
    if (!is_whole) fail(Phase::step, report);
    return is_whole;
  }

  // Whether the point and everything that is watched there is finite; if not, the monitors have not seen it.
  bool observe() {
    monitors_.observe(z_);
    if (is_finite(z_.q) && is_finite(z_.p) && is_finite(z_.s) && monitors_.is_finite()) return true;
    monitors_.take_back();
    return false;
  }

  // Times are those of the grid. But a constraint that moves is kept at the time that the step itself has computed:
  // there it is the step that is adjusted, by a rounding error of the time, so that both are the same. (t' <= 2 t, so
  // t' - t is exact, and t + (t' - t) = t'.)
  T length() const { return is_autonomous_ ? grid_.length(k_ + 1) : grid_.time(k_ + 1) - z_.t; }

  // Steps that nothing looks at are made together, up to the next record and few enough to stay responsive.
  std::int64_t steps_at_once() const {
    constexpr std::int64_t kMost = 1000;
    if (projects_ || is_careful_ || !is_autonomous_ || !monitors_.list().empty()) return 1;
    std::int64_t count = 1;
    while (count < kMost && k_ + count + 1 < grid_.steps() && !(simulation_.recorder && grid_.is_recorded(k_ + count)))
      ++count;
    return count;
  }

  void set_time(T t) {
    z_.t = t;
    z_.t_low = T(0);
  }

  void count(const StepReport<T>& report) {
    summary_.counts.newton += report.iterations;
    summary_.counts.rhs += report.evaluations;
    summary_.counts.charts += report.charts;
  }

  void record() {
    if (!simulation_.recorder) return;
    keep([this] { simulation_.recorder->record(z_, monitors_); });
    last_recorded_ = k_;
  }

  // The last point is recorded even if it is not its turn.
  void finish_records() {
    if (!simulation_.recorder || is_recorder_broken_) return;
    if (last_recorded_ != k_) record();
    if (!is_recorder_broken_) keep([this] { simulation_.recorder->finish(); });
  }

  template <class F>
  void keep(const F& write) {
    try {
      write();
    } catch (const std::runtime_error& error) {
      is_recorder_broken_ = true;
      summary_.outcome = Outcome::failed;
      summary_.failure = Failure{.during = Phase::recording,
                                 .step = k_,
                                 .time = static_cast<double>(z_.t),
                                 .length = static_cast<double>(grid_.step()),
                                 .message = error.what()};
    }
  }

  // The step after k is the one that failed.
  void fail(Phase during, const StepReport<T>& report) {
    summary_.outcome = Outcome::failed;
    summary_.failure = Failure{
        .during = during,
        .status = report.status,
        .step = k_ + 1,
        .time = static_cast<double>(grid_.time(k_)),
        .length = static_cast<double>(grid_.length(k_ + 1)),
        .residual = static_cast<double>(report.residual),
        .tolerance = static_cast<double>(report.tolerance),
        .constraint = report.row >= 0 ? simulation_.manifold.system().elements().row_name(report.row) : std::string()};
  }

  Progress progress() const {
    return {k_, grid_.steps(), static_cast<double>(z_.t), static_cast<double>(grid_.end()), seconds_since(start_)};
  }

  Integrator<T>& integrator_;
  Projector<T>& projector_;
  MonitorSet<T>& monitors_;
  const Simulation<T>& simulation_;
  const TimeGrid<T>& grid_;
  PhasePoint<T>& z_;
  const bool projects_, is_autonomous_;

  ConditionWatch<T> condition_;
  PhasePoint<T> before_;
  Summary summary_;
  Clock::time_point start_;
  std::int64_t k_ = 0;               // steps made
  std::int64_t last_recorded_ = -1;  // after this many steps
  bool is_careful_ = false, is_recorder_broken_ = false;
};

}  // namespace

const char* describe(Outcome outcome) {
  switch (outcome) {
    case Outcome::done:
      return "done";
    case Outcome::failed:
      return "failed";
    case Outcome::interrupted:
      return "interrupted";
  }
  return "";
}

const char* describe(Phase phase) {
  switch (phase) {
    case Phase::step:
      return "step";
    case Phase::projection:
      return "projection";
    case Phase::recording:
      return "recording";
  }
  return "";
}

template <class T>
Summary simulate(const Simulation<T>& simulation, const TimeGrid<T>& grid, PhasePoint<T>& z) {
  return Run<T>(simulation, grid, z)();
}

template Summary simulate(const Simulation<double>&, const TimeGrid<double>&, PhasePoint<double>&);
template Summary simulate(const Simulation<long double>&, const TimeGrid<long double>&, PhasePoint<long double>&);
template Summary simulate(const Simulation<Quad>&, const TimeGrid<Quad>&, PhasePoint<Quad>&);

}  // namespace cotangent
