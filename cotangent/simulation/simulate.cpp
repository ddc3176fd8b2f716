#include "cotangent/simulation/simulate.hpp"

#include <algorithm>
#include <chrono>

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

template <class T>
Failure make_failure(const Simulation<T>& simulation, const StepReport<T>& report) {
  Failure failure;
  failure.status = report.status;
  failure.residual = static_cast<double>(report.residual);
  failure.tolerance = static_cast<double>(report.tolerance);
  if (report.row >= 0) failure.constraint = simulation.elements.row_name(report.row);
  return failure;
}

template <class T>
bool is_finite(const PhasePoint<T>& z) {
  const auto finite = [](const T& x) { return isfinite(x); };
  return std::all_of(z.q.begin(), z.q.end(), finite) && std::all_of(z.p.begin(), z.p.end(), finite);
}

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

template <class T>
Summary simulate(const Simulation<T>& simulation, const TimeGrid<T>& grid, PhasePoint<T>& z) {
  auto& [integrator, projector, monitors, elements, recorder, progress, interrupted] = simulation;
  Summary summary;
  summary.step = static_cast<double>(grid.step());
  const bool projects = projector.is_active();
  PhasePoint<T> before = z;
  z.t = T(0);
  monitors.start(z);
  if (recorder) recorder->record(z, monitors);
  if (grid.steps() > 0) {
    // A rehearsal: what is compiled when it is first used belongs to the set-up.
    static_cast<void>(integrator.step(before, grid.length(1)));
    if (projects) static_cast<void>(projector.after_step(before, projector.policy().every));
  }

  const std::int64_t projected_before = projector.count();
  const auto start = Clock::now();
  ProgressTicker ticker(progress);
  std::int64_t k = 0;
  bool is_recorded = true;
  const auto fail = [&](const StepReport<T>& report, bool in_projection) {
    summary.outcome = Outcome::failed;
    summary.failure = make_failure(simulation, report);
    summary.failure->in_projection = in_projection;
    summary.failure->step = k + 1;
    summary.failure->time = static_cast<double>(grid.time(k));
    summary.failure->length = static_cast<double>(grid.length(k + 1));
  };

  // The grid has the better times, but a constraint that moves is kept at the time that the step has computed.
  const bool is_autonomous = elements.is_autonomous();

  // Steps that nothing looks at are made together, up to the next record and few enough to stay responsive.
  const bool is_watched = projects || !monitors.list().empty();
  const auto steps_at_once = [&](std::int64_t first) {
    constexpr std::int64_t kMost = 1000;
    std::int64_t count = 1;
    while (!is_watched && count < kMost && first + count + 1 < grid.steps() &&
           !(recorder && grid.is_recorded(first + count)))
      ++count;
    return count;
  };

  for (; k < grid.steps(); ++k) {
    if (interrupted && *interrupted) {
      summary.outcome = Outcome::interrupted;
      break;
    }
    if (projects) before = z;
    std::int64_t made = 0;
    auto report = integrator.advance(z, grid.length(k + 1), steps_at_once(k), made);
    summary.counts.newton += report.iterations;
    summary.counts.rhs += report.evaluations;
    if (report.status != StepStatus::ok) {
      k += made;
      z.t = grid.time(k);
      fail(report, false);
      break;
    }
    k += made - 1;
    if (projects) {
      report = projector.after_step(z, k + 1);
      summary.counts.newton += report.iterations;
      if (report.status != StepStatus::ok) {
        z = before;
        fail(report, true);
        break;
      }
    }
    if (is_autonomous) z.t = grid.time(k + 1);
    monitors.observe(z);
    if (!monitors.is_finite()) {
      fail({.status = StepStatus::not_finite, .residual = infinity<T>()}, false);
      is_recorded = true;  // there is no point to record
      ++k;
      break;
    }
    if (recorder) {
      is_recorded = grid.is_recorded(k + 1);
      if (is_recorded) recorder->record(z, monitors);
    }
    ticker.step([&] {
      return Progress{k + 1, grid.steps(), static_cast<double>(z.t), static_cast<double>(grid.end()),
                      seconds_since(start)};
    });
  }

  if (summary.outcome == Outcome::done && !is_finite(z)) {
    --k;
    fail({.status = StepStatus::not_finite, .residual = infinity<T>()}, false);
    ++k;
  }
  if (!is_recorded) recorder->record(z, monitors);
  summary.wall_seconds = seconds_since(start);
  summary.time = static_cast<double>(z.t);
  summary.steps = k;
  summary.counts.projections = projector.count() - projected_before;
  for (const auto& monitor : monitors.list())
    summary.monitors.push_back(
        {monitor->name(), static_cast<double>(monitor->current()), static_cast<double>(monitor->largest())});
  return summary;
}

template Summary simulate(const Simulation<double>&, const TimeGrid<double>&, PhasePoint<double>&);
template Summary simulate(const Simulation<long double>&, const TimeGrid<long double>&, PhasePoint<long double>&);
template Summary simulate(const Simulation<Quad>&, const TimeGrid<Quad>&, PhasePoint<Quad>&);

}  // namespace cotangent
