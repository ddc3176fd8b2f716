#include "formulation_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "option_words.hpp"
#include "projection_choice.hpp"

using namespace cotangent;

FormulationOptions choose_formulation_options(const RunOptions& options) {
  FormulationOptions result;
  if (options.gauge) result.gauge = *options.gauge;
  if (options.baumgarte_rates) std::tie(result.baumgarte_alpha, result.baumgarte_beta) = *options.baumgarte_rates;
  const std::string chart = word_of(options, "chart"), update = word_of(options, "chart-update");
  if (chart == "qr") result.chart = ChartKind::qr;
  if (chart == "svd") result.chart = ChartKind::svd;
  if (update == "hysteresis") result.chart_update = ChartUpdate::hysteresis;
  if (update == "every-step") result.chart_update = ChartUpdate::every_step;
  if (options.impetus_reset) {
    if (*options.impetus_reset < 1)
      options.places.refuse("impetus-reset", fmt::format("must be at least 1, not {}", *options.impetus_reset));
    result.impetus_reset = *options.impetus_reset;
  }
  if (options.impetus_reset_above) {
    if (!(*options.impetus_reset_above > 0))
      options.places.refuse("impetus-reset-above",
                            fmt::format("must be larger than 0, but is {}", *options.impetus_reset_above));
    result.impetus_reset_above = *options.impetus_reset_above;
  }
  if (options.projection && *options.projection == name_of(Projection::stage))
    result.stage_projection = choose_metric(options);
  return result;
}

void expect_resolved_rates(const RunOptions& options, const std::string& formulation, double step, double epsilon) {
  // So much of the motion may be rounding errors of g, multiplied by the rate, in one step.
  constexpr double kPart = 1e-6;
  const auto expect = [&](const char* option, const char* letter, double rate, double most) {
    if (std::abs(rate) <= most) return;
    options.places.refuse(option,
                          fmt::format("{} = {:g} is too large for steps of {:g}: rounding errors of the constraints, "
                                      "multiplied by it, would outweigh the motion",
                                      letter, rate, step),
                          fmt::format("take one below {:.1g} in size", most));
  };
  const double most = kPart / (epsilon * step);
  if (formulation == "dirac" || formulation == "dirac-weak") expect("gauge", "ALPHA", options.gauge.value_or(0), most);
  if (formulation == "baumgarte" && options.baumgarte_rates) {
    expect("baumgarte", "ALPHA", options.baumgarte_rates->first, most);
    expect("baumgarte", "BETA", options.baumgarte_rates->second, std::sqrt(kPart / epsilon) / step);
  }
}

void advise_on_charts(const RunOptions& options, const std::string& formulation, std::int64_t constraints,
                      Summary& summary) {
  if (!summary.failure || constraints == 0 || !formulation.starts_with("state-space")) return;
  if (choose_formulation_options(options).chart != ChartKind::partition) return;
  const StepStatus status = summary.failure->status;
  if (status != StepStatus::position_solve_failed && status != StepStatus::momentum_solve_failed &&
      status != StepStatus::stage_solve_failed)
    return;
  summary.warnings.push_back(
      {summary.failure->time, "chart",
       "where constraints become dependent, as at the flat position of a linkage, a chart by partition loses digits: "
       "if it failed there, --chart qr may get through, and --method rattle needs no chart"});
}

std::vector<std::string> idle_formulation_options(const RunOptions& options, const std::string& formulation,
                                                  const ProjectionPolicy& policy, std::int64_t constraints) {
  std::vector<std::string> notes;
  const auto note = [&](const char* option, const std::string& why) {
    notes.push_back(fmt::format("{} changes nothing: {}", options.places.name(option), why));
  };
  const bool projects = constraints > 0 && (policy.to_position() || policy.to_momentum());
  const bool resets_always = projects && policy.every == 1 && !policy.above;
  const auto concerns = [&](const char* option, bool is_given, const std::vector<std::string>& formulations) {
    if (!is_given) return;
    if (std::find(formulations.begin(), formulations.end(), formulation) == formulations.end()) {
      note(option,
           fmt::format("it is for the formulation {}, not for '{}'", fmt::join(formulations, " or "), formulation));
    } else if (constraints == 0) {
      note(option, "the model has no constraints");
    } else if (formulation == "impetus" && resets_always) {
      note(option, fmt::format("the projection '{}' after every step resets p* already", name_of(policy.projection)));
    }
  };
  concerns("gauge", options.gauge.has_value(), {"dirac", "dirac-weak"});
  concerns("baumgarte", options.baumgarte.has_value(), {"baumgarte"});
  concerns("chart", options.chart.has_value(), {"state-space", "state-space-velocity"});
  concerns("chart-update", options.chart_update.has_value(), {"state-space", "state-space-velocity"});
  concerns("impetus-reset", options.impetus_reset.has_value(), {"impetus"});
  concerns("impetus-reset-above", options.impetus_reset_above.has_value(), {"impetus"});
  return notes;
}
