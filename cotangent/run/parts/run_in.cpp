#include "cotangent/run/parts/run_in.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "cotangent/monitor/point_values.hpp"
#include "cotangent/monitor/reference/exact_solution.hpp"
#include "cotangent/simulation/start/start.hpp"

namespace cotangent {
namespace {

// A step that was made smaller is noted.
template <class T>
std::optional<TimeGrid<T>> make_grid(const RunPlan& plan, bool moves_time, Notes& notes) {
  if (plan.is_adaptive() || moves_time) return std::nullopt;
  TimeGrid<T> grid(plan.grid());
  if (grid.step_was_reduced())
    notes.push_back(fmt::format("the step was reduced from {} to {:g}, so that steps end at the sampling times",
                                *plan.step, std::abs(static_cast<double>(grid.step()))));
  return grid;
}

// Multipliers that dependent constraints leave open are not reported.
template <class T>
std::vector<T> determined(const std::vector<T>& multipliers) {
  const bool is_known = std::all_of(multipliers.begin(), multipliers.end(), [](const T& x) { return isfinite(x); });
  return is_known ? multipliers : std::vector<T>();
}

// So far that another position may have been meant.
template <class T>
void warn_of_move(const InitialData<T>& initial, Summary& summary) {
  if (!initial.is_moved_far) return;
  summary.warnings.push_back(
      {static_cast<double>(initial.z.t), "moved-initial-data",
       fmt::format(
           "the initial positions were moved by {:.3g} to meet the constraints: as far as lengths of the system; "
           "look whether the start is the one that was meant",
           static_cast<double>(initial.position_change))});
}

// A warning where a step failed in a chart that another kind of chart may do better than.
void advise_on_charts(const RunPlan& plan, std::int64_t constraints, Summary& summary) {
  if (!summary.failure || constraints == 0 || !plan.formulation.starts_with("state-space")) return;
  if (plan.equations.chart != ChartKind::partition) return;
  const StepStatus status = summary.failure->status;
  if (status != StepStatus::position_solve_failed && status != StepStatus::momentum_solve_failed &&
      status != StepStatus::stage_solve_failed)
    return;
  summary.warnings.push_back(
      {summary.failure->time, "chart",
       "where constraints become dependent, as at the flat position of a linkage, a chart by partition loses digits: "
       "if it failed there, `chart = qr` may get through, and `method = rattle` needs no chart"});
}

// A state that leaves the domain of a logarithm or a root explains more than a step that failed.
template <class T>
void explain(const Model& model, Manifold<T>& manifold, const PhasePoint<T>& z, Summary& summary) {
  if (!summary.failure || summary.failure->during == Phase::recording || model.dynamics != Dynamics::equations) return;
  summary.failure->message = find_breakdown(model, manifold, z, T(summary.failure->length));
}

}  // namespace

template <class T>
RunIn<T>::RunIn(const Model& model, const RunPlan& plan, const RunWords& words, Notes notes, const WrittenParts& after)
    : notes_(std::move(notes)),
      machine_(model, plan, words, notes_),
      grid_(make_grid<T>(plan, machine_.map.integrator->facts().moves_time, notes_)),
      watch_(machine_, notes_),
      initial_(make_start(model, machine_.manifold(), plan.initial, notes_)),
      z_(initial_.z),
      simulation_{*machine_.map.integrator, watch_.monitors(), machine_.manifold()} {
  if (plan.reference == "exact") note_exact_mismatch(model, initial_.z, notes_);
  check_start(machine_, initial_.z, notes_);
  density_ = choose_density(machine_, initial_.z, notes_);
  watch_.follow(simulation_);
  simulation_.checkpoints.every = plan.checkpoint_every;
  records_.emplace(machine_, watch_, initial_.z, after, notes_);
}

template <class T>
Summary RunIn<T>::operator()() {
  z_ = initial_.z;
  simulation_.recorder = records_->recorder();
  return grid_ ? simulate(simulation_, *grid_, z_) : simulate(simulation_, plan().adaptive(), z_, density_.get());
}

template <class T>
RunReport<T> RunIn<T>::report(Summary summary, double setup_seconds) {
  const RunParts& parts = machine_.parts;
  const auto section = watch_.section(summary);
  explain(parts.model, machine_.manifold(), z_.state(), summary);
  advise_on_charts(plan(), machine_.map.system->m(), summary);
  warn_of_move(initial_, summary);
  watch_.warn(z_, summary);
  watch_.fit_growth(summary);
  PointValues<T> values(machine_.manifold());
  const PhasePoint<T>& z = z_;
  auto certificate = watch_.certificate(summary);
  RunReport<T> report{.model = parts.model,
                      .elements = *parts.elements,
                      .method = plan().method,
                      .formulation = plan().formulation,
                      .projection = name_of(*plan().projection),
                      .backend = parts.model.functions ? "functions" : name_of(plan().chosen_backend()),
                      .precision = name_of(plan().precision),
                      .setup_seconds = setup_seconds,
                      .summary = std::move(summary),
                      .z = z,
                      .velocities = values.velocities(z),
                      .multipliers = determined(values.multipliers(z)),
                      .observables = values.observables(z),
                      .work = machine_.map.system->has_work() ? std::optional<T>(z.s.back()) : std::nullopt,
                      .initial_change = {},
                      .certificate = std::move(certificate),
                      .notes = notes_,
                      .periodograms = records_->periodograms(),
                      .section = section,
                      .kept_invariants = plan().project_invariants};
  if (initial_.position_change > T(0) || initial_.momentum_change > T(0))
    report.initial_change = {static_cast<double>(initial_.position_change),
                             static_cast<double>(initial_.momentum_change)};
  try {
    records_->conclude([&] { return summary_json(report, WithPoint::no).text(); });
  } catch (const std::runtime_error& error) {
    report.summary.warnings.push_back(
        {report.summary.time, "record", fmt::format("the end of the run is not in its record: {}", error.what())});
  }
  return report;
}

COTANGENT_INSTANTIATE(PRECISIONS, RunIn);

}  // namespace cotangent
