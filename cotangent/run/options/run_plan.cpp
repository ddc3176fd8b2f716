#include "cotangent/run/options/run_plan.hpp"

#include <algorithm>

#include "cotangent/output/record/record_file.hpp"
#include "cotangent/simulation/pace/adaptive_options.hpp"
#include "cotangent/simulation/pace/time_grid.hpp"

namespace cotangent {

const char* name_of(Precision precision) { return precision == Precision::quad ? "quad" : "double"; }

const char* name_of(Backend backend) { return backend == Backend::jit ? "jit" : "interpreter"; }

bool RunPlan::is_watched(std::string_view name) const {
  return monitor && std::find(monitor->begin(), monitor->end(), name) != monitor->end();
}

bool RunPlan::has_record() const { return is_record_ending(record_ending(reference)); }

std::optional<std::string> RunPlan::refinement() const {
  const std::string finer = "finer:";
  return reference.starts_with(finer) ? std::optional(reference.substr(finer.size())) : std::nullopt;
}

ProjectionPolicy RunPlan::policy() const {
  return {.projection = projection.value_or(Projection::none),
          .every = project_every,
          .above = project_above,
          .metric = metric,
          .invariants = project_invariants,
          .sets = solves.sets};
}

FormulationOptions RunPlan::formulation_options() const {
  FormulationOptions options = equations;
  if (projection == Projection::stage) options.stage_projection = metric;
  return options;
}

Backend RunPlan::chosen_backend() const {
  return backend.value_or(has_jit() && precision == Precision::usual ? Backend::jit : Backend::interpreter);
}

TimeGridOptions RunPlan::grid() const { return {*step, *end, every, sample, start}; }

AdaptiveOptions RunPlan::adaptive() const {
  return {.tolerance = {.relative = tolerance.value_or(0), .absolute = absolute_tolerance.value_or(0)},
          .controller = is_adaptive() ? controller.value_or(Controller::pi) : Controller::even,
          .end = *end,
          .start = start,
          .first_step = step,
          .every = every,
          .sample = sample};
}

}  // namespace cotangent
