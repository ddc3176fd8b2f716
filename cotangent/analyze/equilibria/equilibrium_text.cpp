#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "cotangent/analyze/equilibria/equilibrium.hpp"
#include "cotangent/analyze/text/complex_text.hpp"
#include "cotangent/base/limits.hpp"
#include "cotangent/base/magnitudes.hpp"
#include "cotangent/output/shapes.hpp"

namespace cotangent {
namespace {

using Members = std::vector<std::pair<std::string, Json>>;

const char* describe(Stability stability) {
  switch (stability) {
    case Stability::stable:
      return "stable";
    case Stability::neutral:
      return "neutral: the system may move freely along some directions, and is stable across them";
    case Stability::unstable:
      return "unstable";
    case Stability::elliptic:
      break;
  }
  return "no motion grows to first order, which does not decide";
}

// Frequencies, and rates of growth or decay where there are some.
std::string line_of(const Mode& mode) {
  const double omega = mode.eigenvalue.imag(), rate = mode.eigenvalue.real();
  std::string text = omega > 0 ? fmt::format("{:>18.10g}{:>18.10g}{:>18.10g}", omega, omega / (2 * std::numbers::pi),
                                             2 * std::numbers::pi / omega)
                               : fmt::format("{:>18}{:>18}{:>18}", 0, 0, "-");
  if (rate != 0) text += fmt::format("   {} as exp({:.6g} t)", rate > 0 ? "grows" : "decays", rate);
  return text;
}

// Coordinates and states, in the order in which they are written.
template <class Values, class F>
void each_entry(const Model& model, const Values& values, const F& f) {
  const auto n = static_cast<std::size_t>(model.dimension());
  for (const auto& c : model.coordinates)
    for (const std::int64_t entry : entries_in_reading_order(c.shape, c.offset))
      f(entry_name(model, entry), values[static_cast<std::size_t>(entry)]);
  for (const auto& state : model.states)
    for (const std::int64_t entry : entries_in_reading_order(state.shape, state.offset))
      f(state_entry_name(model, entry), values[n + static_cast<std::size_t>(entry)]);
}

bool is_real(const Mode& mode) {
  return std::all_of(mode.shape.begin(), mode.shape.end(), [](const Complex& x) { return std::abs(x.imag()) < 1e-9; });
}

template <class Variables>
void add_nested(Members& members, const std::string& prefix, const Variables& variables,
                const std::vector<double>& values) {
  for (const auto& variable : variables) {
    std::vector<double> numbers;
    for (const std::int64_t entry : entries_in_reading_order(variable.shape, variable.offset))
      numbers.push_back(values[static_cast<std::size_t>(entry)]);
    members.emplace_back(prefix + variable.name, Json::nested<double>(numbers, variable.shape));
  }
}

void write_shapes(std::string& text, const EquilibriumReport& report, const Model& model) {
  constexpr std::size_t kColumns = 6;
  const std::size_t count = std::min(report.modes.size(), kColumns);
  text += "\n  shape         ";
  for (std::size_t k = 0; k < count; ++k) text += fmt::format("{:>16}", k + 1);
  text += '\n';
  std::vector<std::size_t> places(report.modes.front().shape.size());
  std::iota(places.begin(), places.end(), 0);
  each_entry(model, places, [&](const std::string& name, std::size_t place) {
    text += fmt::format("  {:<14}", name);
    for (std::size_t k = 0; k < count; ++k) text += fmt::format("{:>16}", to_text(report.modes[k].shape[place], 1));
    text += '\n';
  });
}

}  // namespace

std::string table_of(const EquilibriumReport& report, const Model& model) {
  std::string text;
  const auto row = [&](std::string_view name, const std::string& value) {
    text += fmt::format("  {:<22}{}\n", name, value);
  };
  if (!report.failure.empty()) {
    row("equilibrium", report.failure);
    return text;
  }
  row("equilibrium",
      fmt::format("found in {} steps; forces on it below {:.1g}", report.iterations, std::max(report.residual, 1e-16)));
  for (const auto& [name, rate] : report.rates) row("moves", fmt::format("at the rate {:.10g}: {}", rate, name));
  row("stability", describe(report.stability));
  std::vector<double> point = report.z.q;
  point.insert(point.end(), report.z.s.begin(), report.z.s.begin() + report.elements->states);
  const bool is_small = point.size() <= static_cast<std::size_t>(kLimits.table_rows);
  if (is_small) {
    text += fmt::format("\n  {:<14}{:>22}\n", model.coordinates.empty() ? "state" : "coordinate", "at equilibrium");
    each_entry(model, point, [&, size = largest_of(point)](const std::string& name, double x) {
      text += fmt::format("  {:<14}{:>22.15g}\n", name, std::abs(x) > 1e-15 * size ? x : 0);
    });
    if (!report.multipliers.empty()) {
      text += fmt::format("\n  {:<14}{:>22}\n", "constraint", "multiplier");
      for (std::size_t r = 0; r < report.multipliers.size(); ++r)
        text += fmt::format("  {:<14}{:>22.15g}\n", report.elements->row_name(static_cast<std::int64_t>(r)),
                            report.multipliers[r]);
    }
  }
  text += fmt::format("\n  {:<8}{:>18}{:>18}{:>18}\n", "mode", "omega", "frequency", "period");
  for (std::size_t k = 0; k < report.modes.size(); ++k)
    text += fmt::format("  {:<8}{}\n", k + 1, line_of(report.modes[k]));
  if (report.modes.size() < report.mode_count)
    text += fmt::format("  ({} of {})\n", report.modes.size(), report.mode_count);
  if (is_small && !report.modes.empty()) write_shapes(text, report, model);
  for (const auto& note : report.notes) text += fmt::format("\n  note: {}\n", note);
  return text;
}

Json json_of(const EquilibriumReport& report, const Model& model) {
  if (!report.failure.empty()) return Json::object({{"failure", report.failure}, {"residual", report.residual}});
  Members state, multipliers;
  add_nested(state, "", model.coordinates, report.z.q);
  add_nested(state, "p_", model.coordinates, report.z.p);
  add_nested(state, "", model.states, report.z.s);
  for (std::size_t r = 0; r < report.multipliers.size(); ++r)
    multipliers.emplace_back(report.elements->row_name(static_cast<std::int64_t>(r)), report.multipliers[r]);
  Members rates;
  for (const auto& [name, rate] : report.rates) rates.emplace_back(name, rate);
  const auto shape_of = [&](const Mode& mode, double (*part)(const Complex&)) {
    std::vector<double> values;
    for (const Complex& x : mode.shape) values.push_back(part(x));
    Members shape;
    add_nested(shape, "", model.coordinates, values);
    values.erase(values.begin(), values.begin() + model.dimension());
    add_nested(shape, "", model.states, values);
    return Json::object(shape);
  };
  const auto mode_of = [&](const Mode& mode) {
    const double omega = mode.eigenvalue.imag();
    const auto real = [](const Complex& x) { return x.real(); };
    const auto imaginary = [](const Complex& x) { return x.imag(); };
    return Json::object({{"omega", omega},
                         {"frequency", omega / (2 * std::numbers::pi)},
                         {"rate", mode.eigenvalue.real()},
                         {"shape", shape_of(mode, real)},
                         {"shape_imaginary", is_real(mode) ? std::nullopt : std::optional(shape_of(mode, imaginary))}});
  };
  return Json::object({{"state", Json::object(state)},
                       {"multipliers", Json::object(multipliers)},
                       {"rates", report.rates.empty() ? std::nullopt : std::optional<Json>(Json::object(rates))},
                       {"residual", report.residual},
                       {"iterations", report.iterations},
                       {"stability", name_of(report.stability)},
                       {"conservative", report.is_conservative},
                       {"mode_count", static_cast<std::int64_t>(report.mode_count)},
                       {"modes", Json::long_list(Json::each(report.modes, mode_of))},
                       {"notes", Json::long_list({report.notes.begin(), report.notes.end()})}});
}

}  // namespace cotangent
