#include "formulation_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "cotangent/model/unknown_name.hpp"

using namespace cotangent;

namespace {

// "ALPHA,BETA", or one number for both.
void read_baumgarte(const RunOptions& options, FormulationOptions& result) {
  if (!options.baumgarte) return;
  const std::string& text = *options.baumgarte;
  const auto number = [&](const std::string& part) {
    char* end = nullptr;
    const double value = std::strtod(part.c_str(), &end);
    if (part.empty() || *end != '\0' || !std::isfinite(value) || value < 0)
      options.places.refuse("baumgarte", fmt::format("'{}' is not a number of 0 or more", part),
                            "two numbers are expected, ALPHA,BETA: g'' + 2 ALPHA g' + BETA^2 g = 0");
    return value;
  };
  const std::size_t comma = text.find(',');
  result.baumgarte_alpha = number(text.substr(0, comma));
  result.baumgarte_beta = comma == std::string::npos ? result.baumgarte_alpha : number(text.substr(comma + 1));
}

template <class E>
void read_word(const RunOptions& options, const char* option, const std::optional<std::string>& given,
               const std::vector<std::pair<std::string, E>>& words, E& result) {
  if (!given) return;
  std::vector<std::string> names;
  for (const auto& [name, value] : words) names.push_back(name);
  options.places.blame(option, [&] { expect_name(option, *given, names); });
  for (const auto& [name, value] : words)
    if (name == *given) result = value;
}

}  // namespace

FormulationOptions choose_formulation_options(const RunOptions& options) {
  FormulationOptions result;
  if (options.gauge) result.gauge = *options.gauge;
  read_baumgarte(options, result);
  read_word<ChartKind>(options, "chart", options.chart,
                       {{"partition", ChartKind::partition}, {"qr", ChartKind::qr}, {"svd", ChartKind::svd}},
                       result.chart);
  read_word<ChartUpdate>(options, "chart-update", options.chart_update,
                         {{"midpoint", ChartUpdate::midpoint},
                          {"hysteresis", ChartUpdate::hysteresis},
                          {"every-step", ChartUpdate::every_step}},
                         result.chart_update);
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
  return result;
}

std::vector<std::string> idle_formulation_options(const RunOptions& options, const std::string& formulation) {
  std::vector<std::string> notes;
  const auto concerns = [&](const char* option, bool is_given, const std::vector<std::string>& formulations) {
    if (!is_given || std::find(formulations.begin(), formulations.end(), formulation) != formulations.end()) return;
    notes.push_back(fmt::format("{} changes nothing: it is for the formulation {}, not for '{}'",
                                options.places.name(option), fmt::join(formulations, " or "), formulation));
  };
  concerns("gauge", options.gauge.has_value(), {"dirac", "dirac-weak"});
  concerns("baumgarte", options.baumgarte.has_value(), {"baumgarte"});
  concerns("chart", options.chart.has_value(), {"state-space", "state-space-velocity"});
  concerns("chart-update", options.chart_update.has_value(), {"state-space", "state-space-velocity"});
  concerns("impetus-reset", options.impetus_reset.has_value(), {"impetus"});
  concerns("impetus-reset-above", options.impetus_reset_above.has_value(), {"impetus"});
  return notes;
}
