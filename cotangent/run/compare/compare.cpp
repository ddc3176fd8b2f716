#include "cotangent/run/compare/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <exception>
#include <limits>
#include <mutex>
#include <numeric>
#include <tuple>
#include <utility>

#include "cotangent/analysis/fit_growth.hpp"
#include "cotangent/base/limits.hpp"
#include "cotangent/integrator/registry/registry.hpp"
#include "cotangent/model/source/source.hpp"
#include "cotangent/monitor/point_entries.hpp"
#include "cotangent/run/options/option_table.hpp"
#include "cotangent/run/run.hpp"
#include "cotangent/run/side_by_side.hpp"

namespace cotangent {
namespace {

// Where nobody says more: a structure-preserving method of low order and its composition, implicit ones of higher
// order, and explicit ones with fixed and with adaptive steps.
constexpr std::array kMechanicalMethods{
    "rattle", "compose:4(rattle)", "compose:6(rattle)", "gauss:2", "gauss:3", "lobatto:3", "rk4", "dop853"};
constexpr std::array kOdeMethods{"rk4", "dopri5", "dop853", "vern9", "odex:6", "gauss:2", "radau-iia:3"};
// Errors are looked at at so many times, in runs whose steps do not say more.
constexpr double kTimes = 100;
// Of the reference: a hundred rounding units, and a run that tells how good it is.
constexpr double kReferenceTolerance = 2e-14, kSecondTolerance = 1e-11;
// Factors between the steps, and between the tolerances, that are tried.
constexpr double kStepFactor = 2, kToleranceFactor = 10;
// No choice is tried with more steps or tolerances than these.
constexpr int kMostTries = 12;
// A loop is timed as often as fits into that many seconds; the shortest time counts. At least so many times, of which
// the first may compile steps, unless that takes longer than the last figure.
constexpr double kTimingSeconds = 0.02, kLongTiming = 1;
constexpr int kTimings = 3;

// Times are the same if they differ by less, in parts of the run: rounding of sums of steps.
constexpr double kSameTime = 1e-12;

struct Record {
  double t;
  std::vector<double> values;
};
using Records = std::vector<Record>;

// The entries of samples that belong to the solution, and their kind.
struct Entries {
  std::vector<std::size_t> columns;
  std::vector<PointPart> parts;
};

Entries entries_of(const Model& model, const std::vector<std::string>& names) {
  const auto known = point_entries(model);
  Entries entries;
  for (std::size_t k = 0; k < names.size(); ++k)
    if (const auto found = known.find(names[k]); found != known.end()) {
      entries.columns.push_back(k);
      entries.parts.push_back(found->second.part);
    }
  return entries;
}

// The largest number of each kind.
SolutionError<double> sizes(const Entries& entries, const Records& records) {
  SolutionError<double> size;
  for (const Record& record : records)
    for (std::size_t k = 0; k < entries.parts.size(); ++k)
      size[entries.parts[k]] = std::max(size[entries.parts[k]], std::abs(record.values[entries.columns[k]]));
  return size;
}

double relative(const SolutionError<double>& error, const SolutionError<double>& size) {
  double largest = 0;
  for (const PointPart part : kPointParts)
    if (size[part] > 0) largest = larger(largest, error[part] / size[part]);
  return largest;
}

// A solution in records, at times that all runs share.
struct Solution {
  Entries entries;
  Records records;
  SolutionError<double> size;

  // Of a run with the same times, or some of them, along it and at its end; nothing if it has other times.
  // @param series of the error, if it is wanted
  std::optional<std::pair<double, double>> error(const Records& other, Series* series = nullptr) const {
    double largest = 0, last = 0;
    std::size_t k = 0;
    const double same = kSameTime * std::abs(records.back().t - records.front().t);
    const auto since = [&](double t) { return std::abs(t - records.front().t); };
    for (const Record& record : other) {
      while (k < records.size() && since(records[k].t) < since(record.t) - same) ++k;
      if (k == records.size() || std::abs(records[k].t - record.t) > same) return std::nullopt;
      SolutionError<double> error;
      for (std::size_t j = 0; j < entries.parts.size(); ++j) {
        const std::size_t column = entries.columns[j];
        const double difference = std::abs(records[k].values[column] - record.values[column]);
        error[entries.parts[j]] = larger(error[entries.parts[j]], difference);
      }
      last = relative(error, size);
      if (series) series->add(since(record.t), last);
      largest = larger(largest, last);
    }
    return std::pair(largest, last);
  }
};

// A run to its end, with all records, the last point among them.
struct Made {
  RunPlan plan;
  Summary summary;
  std::string json;
  Records records;
  std::vector<std::string> names;
};

Made make(const Model& model, const RunPlan& plan, const volatile std::sig_atomic_t* stop) {
  Run run(model, plan);
  run.stop_if(stop);
  Made made;
  const auto take = [&](const Sample& sample) {
    if (!made.records.empty() && made.records.back().t == sample.t) return;
    made.names = *sample.names;
    made.records.push_back({sample.t, sample.values});
  };
  run.on_sample(take);
  made.summary = run();
  take(run.now());
  made.plan = run.plan();
  made.json = run.json();
  return made;
}

// One method with what belongs to it, and the steps or tolerances that it is tried with.
struct Line {
  RunPlan plan;
  bool is_adaptive = false;
  bool is_given = false;                                     // the pace is: there is nothing to look for
  std::vector<double> still_to_try;                          // paces
  std::vector<std::pair<double, bool>> tried;                // pace, accurate enough
  double seconds = std::numeric_limits<double>::infinity();  // of the cheapest that is accurate enough
  double last_seconds = 0;
};

RunPlan at_pace(const Line& line, double pace) {
  RunPlan plan = line.plan;
  (line.is_adaptive ? plan.tolerance : plan.step) = pace;
  return plan;
}

Model without_records(const Model& model) {
  Model result = branch(model);
  std::vector<std::string> keys = options_of_one_run();
  keys.insert(keys.end(), {"report", "json"});  // those are of the comparison, and of its command line
  for (const std::string& key : keys) {
    result.run.erase(key);
    result.run_places.erase(key);
  }
  return result;
}

class Comparer {
 public:
  Comparer(const Model& model, const Choices& choices, RunPlan common, const CompareProgress& progress,
           const volatile std::sig_atomic_t* stop)
      : model_(without_records(model)),
        choices_(choices),
        common_(std::move(common)),
        progress_(progress),
        stop_(stop) {
    result_.accuracy = choices.accuracy;
  }

  Comparison operator()() {
    settle_common();
    find_reference();
    std::vector<Line> lines = make_lines();
    while (const auto tasks = next_tasks(lines)) make_all(lines, *tasks);
    sort_runs();
    measure_times();
    recommend();
    result_.is_interrupted = is_stopped();
    return std::move(result_);
  }

 private:
  struct Task {
    std::size_t line;
    double pace;
  };

  bool is_stopped() const { return stop_ && *stop_ != 0; }

  // What the model says of steps is where a search begins. Its monitors are those of all runs.
  void settle_common() {
    const auto of_model = [&](const char* key) -> std::optional<double> {
      const auto found = model_.run.find(key);
      if (found == model_.run.end()) return std::nullopt;
      return std::get<double>(found->second);
    };
    if (!common_.end) common_.end = of_model("end");
    if (!common_.end) throw OptionError("the end is not given: use `end = T`, or end = T in [run] of the model");
    first_step_ = of_model("step");
    span_ = std::abs(*common_.end - common_.start);
    if (!common_.monitor && model_.dynamics != Dynamics::equations && model_.dimension() <= kLimits.full)
      common_.monitor = {"energy", "position", "momentum", "wedge"};
    double longest = first_step_.value_or(span_ / kTimes);
    for (const double step : choices_.steps) longest = std::max(longest, std::abs(step));
    interval_ = longest * largest_power(std::max(1.0, span_ / (longest * kTimes)));
  }

  // Steps that are looked for are the interval between the times at which errors are looked at, times a power of this
  // factor: then no step is shortened to meet a time.
  static double largest_power(double most) {
    return std::pow(kStepFactor, std::floor(std::log(most) / std::log(kStepFactor) + 1e-9));
  }

  // An exact solution, what was asked for, or a run that is much more accurate than all others.
  void find_reference() {
    if (common_.reference.empty() && !model_.exact.empty()) common_.reference = "exact";
    if (!common_.reference.empty()) {
      result_.reference.by = common_.reference == "exact" ? "the exact solution" : common_.reference;
      return;
    }
    // What [run] of the model says of methods does not matter here.
    Model free = branch(model_);
    free.run.clear();
    free.run_places.clear();
    RunPlan plan = common_;
    plan.sample = interval_;
    plan.monitor.emplace();
    plan.method.clear();
    plan.tolerance = kReferenceTolerance;
    if (progress_) progress_(0, "a reference");
    const Made first = make(free, plan, stop_);
    plan.tolerance = kSecondTolerance;
    const Made second = make(free, plan, stop_);
    if (first.summary.outcome != Outcome::done || is_stopped()) return;
    Solution solution{entries_of(model_, first.names), first.records, {}};
    solution.size = sizes(solution.entries, solution.records);
    const auto error = solution.error(second.records);
    result_.reference = {fmt::format("{} with a tolerance of {:g}", first.plan.method, kReferenceTolerance),
                         error ? error->first : std::numeric_limits<double>::infinity()};
    if (!first_step_) first_step_ = interval_ * largest_power(first.summary.step / interval_);
    solution_ = std::move(solution);
  }

  std::vector<std::string> methods() const {
    if (!choices_.methods.empty()) return choices_.methods;
    if (model_.dynamics == Dynamics::equations) return {kOdeMethods.begin(), kOdeMethods.end()};
    return {kMechanicalMethods.begin(), kMechanicalMethods.end()};
  }

  std::vector<Line> make_lines() const {
    std::vector<Line> lines;
    for (const std::string& name : methods()) {
      const MethodFacts facts = find_method<double>(name).facts;
      auto formulations = choices_.formulations;
      if (formulations == std::vector<std::string>{"all"}) formulations = facts.formulations;
      if (formulations.empty()) formulations.push_back(common_.formulation);
      std::vector<std::optional<Projection>> projections(choices_.projections.begin(), choices_.projections.end());
      if (projections.empty()) projections.push_back(common_.projection);
      for (const auto& formulation : formulations)
        for (const auto& projection : projections) {
          Line line;
          line.plan = common_;
          line.plan.method = name;
          line.plan.formulation = formulation;
          line.plan.projection = projection;
          add_paces(line, facts, lines);
        }
    }
    return lines;
  }

  // A line with the steps that were given, and one with the tolerances. Without either the program looks for them.
  void add_paces(Line line, const MethodFacts& facts, std::vector<Line>& lines) const {
    const auto add = [&](bool is_adaptive, const std::vector<double>& paces, bool is_given) {
      line.is_adaptive = is_adaptive;
      line.is_given = is_given;
      line.still_to_try = paces;
      lines.push_back(line);
    };
    if (!choices_.steps.empty()) add(false, choices_.steps, true);
    if (!choices_.tolerances.empty()) add(true, choices_.tolerances, true);
    if (!choices_.steps.empty() || !choices_.tolerances.empty()) return;
    if (facts.error_order > 0) {
      add(true, {choices_.accuracy}, false);
    } else {
      add(false, {first_step_.value_or(span_ / kTimes)}, false);
    }
  }

  // The next runs of all lines. A line without given paces goes on to finer ones until one is accurate enough, and to
  // coarser ones while they are; not beyond what costs more than the cheapest of all.
  std::optional<std::vector<Task>> next_tasks(std::vector<Line>& lines) const {
    double cheapest = std::numeric_limits<double>::infinity();
    for (const Line& line : lines) cheapest = std::min(cheapest, line.seconds);
    std::vector<Task> tasks;
    for (std::size_t k = 0; k < lines.size(); ++k) {
      Line& line = lines[k];
      if (!line.is_given && line.still_to_try.empty()) look_further(line, cheapest);
      for (const double pace : line.still_to_try) tasks.push_back({k, pace});
      line.still_to_try.clear();
    }
    if (tasks.empty() || is_stopped()) return std::nullopt;
    return tasks;
  }

  void look_further(Line& line, double cheapest) const {
    const auto& tried = line.tried;
    if (tried.empty() || tried.size() >= kMostTries) return;
    const auto [pace, is_accurate] = tried.back();
    if (tried.size() > 1 && is_accurate != tried[tried.size() - 2].second) return;  // the accuracy lies between both
    if (!is_accurate && line.last_seconds > cheapest) return;
    const double factor = line.is_adaptive ? kToleranceFactor : kStepFactor;
    const double next = is_accurate ? pace * factor : pace / factor;
    const double most = line.is_adaptive ? 0.1 : span_ / 2;
    const double least = line.is_adaptive ? 1e-13 : 0;
    if (next <= most && next >= least) line.still_to_try = {next};
  }

  // Several at a time, in the order of the tasks.
  void make_all(std::vector<Line>& lines, const std::vector<Task>& tasks) {
    const std::size_t first = result_.runs.size();
    result_.runs.resize(first + tasks.size());
    std::mutex said;
    side_by_side(tasks.size(), choices_.threads, stop_, [&](std::size_t k) {
      const RunPlan plan = at_pace(lines[tasks[k].line], tasks[k].pace);
      if (progress_) {
        const std::scoped_lock lock(said);
        progress_(static_cast<std::int64_t>(first + k), plan.method);
      }
      result_.runs[first + k] = run_of(plan);
    });
    for (std::size_t k = 0; k < tasks.size(); ++k) learn(lines[tasks[k].line], tasks[k].pace, result_.runs[first + k]);
    tasks_.insert(tasks_.end(), tasks.begin(), tasks.end());
  }

  // Line by line, from the longest steps to the shortest.
  void sort_runs() {
    std::vector<std::size_t> order(tasks_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return std::pair(tasks_[a].line, -tasks_[a].pace) < std::pair(tasks_[b].line, -tasks_[b].pace);
    });
    std::vector<ComparedRun> sorted;
    for (const std::size_t k : order) sorted.push_back(std::move(result_.runs[k]));
    result_.runs = std::move(sorted);
  }

  void learn(Line& line, double pace, const ComparedRun& run) const {
    line.is_given = line.is_given || !run.refusal.empty();  // of no pace
    const bool is_accurate = run.is_accurate(choices_.accuracy);
    line.tried.emplace_back(pace, is_accurate);
    line.last_seconds = run.summary.wall_seconds;
    if (is_accurate) line.seconds = std::min(line.seconds, line.last_seconds);
  }

  ComparedRun run_of(RunPlan plan) const {
    ComparedRun run{.plan = plan};
    if (solution_) plan.sample = plan.is_adaptive() ? interval_ : std::max(interval_, std::abs(*plan.step));
    try {
      Made made = make(model_, plan, stop_);
      run.plan = std::move(made.plan);
      if (!run.plan.is_adaptive()) run.plan.step = made.summary.step;  // shorter, where a given one meets no time
      run.summary = std::move(made.summary);
      run.json = std::move(made.json);
      if (run.summary.outcome != Outcome::done) return run;
      Series series;
      const auto error = solution_ ? solution_->error(made.records, &series) : watched_error(run.summary, made);
      if (!error || !std::isfinite(error->first)) return run;
      std::tie(run.error, run.end_error) = *error;
      if (solution_)
        run.error_growth = fit_growth(series, {.levels = Levels(result_.reference.known_to.value_or(0)), .most = 1});
    } catch (const ModelError& error) {
      run.refusal = error.message();
    } catch (const std::exception& error) {
      run.refusal = error.what();
    }
    return run;
  }

  // Of the monitor `error`, whose reference is the user's.
  std::optional<std::pair<double, double>> watched_error(const Summary& summary, const Made& made) const {
    const auto size = sizes(entries_of(model_, made.names), made.records);
    SolutionError<double> largest, last;
    bool is_known = false;
    for (const MonitorResult& monitor : summary.monitors)
      for (const PointPart part : kPointParts)
        if (monitor.group == "errors" && monitor.name == name_of(part)) {
          largest[part] = monitor.largest;
          last[part] = monitor.final;
          is_known = true;
        }
    if (!is_known) return std::nullopt;
    return std::pair(relative(largest, size), relative(last, size));
  }

  // With nothing watched, one at a time.
  void measure_times() {
    for (std::size_t k = 0; k < result_.runs.size() && !is_stopped(); ++k) {
      ComparedRun& run = result_.runs[k];
      if (!run.refusal.empty() || run.summary.outcome != Outcome::done) continue;
      if (progress_) progress_(static_cast<std::int64_t>(k), "times");
      RunPlan plan = run.plan;
      plan.monitor.emplace();
      plan.reference.clear();
      plan.sample.reset();
      plan.certify = plan.growth = false;
      Run unwatched(model_, plan);
      unwatched.stop_if(stop_);
      run.seconds = unwatched().wall_seconds;
      double spent = run.seconds;
      for (int timed = 1; spent < (timed < kTimings ? kLongTiming : kTimingSeconds); ++timed) {
        Run again(model_, plan);
        const double seconds = again().wall_seconds;
        run.seconds = std::min(run.seconds, seconds);
        spent += std::max(seconds, kTimingSeconds / 4);
      }
    }
  }

  void recommend() {
    const auto& runs = result_.runs;
    for (std::size_t k = 0; k < runs.size(); ++k)
      if (runs[k].is_accurate(choices_.accuracy) && runs[k].seconds > 0 &&
          (!result_.recommended || runs[k].seconds < runs[*result_.recommended].seconds))
        result_.recommended = k;
  }

  const Model model_;
  const Choices& choices_;
  RunPlan common_;
  const CompareProgress& progress_;
  const volatile std::sig_atomic_t* stop_;
  std::optional<double> first_step_;
  double span_ = 0, interval_ = 0;
  std::optional<Solution> solution_;
  std::vector<Task> tasks_;  // by runs
  Comparison result_;
};

}  // namespace

const std::vector<std::string>& options_of_one_run() {
  static const std::vector<std::string> names{"quiet",           "out",     "every",
                                              "sample",          "record",  "compression",
                                              "periodogram",     "section", "section-direction",
                                              "section-out",     "plot",    "checkpoint",
                                              "checkpoint-every"};
  return names;
}

Comparison compare(const Model& model, const Choices& choices, const RunPlan& common, const CompareProgress& progress,
                   const volatile std::sig_atomic_t* stop) {
  return Comparer(model, choices, common, progress, stop)();
}

}  // namespace cotangent
