#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cotangent/analyze/stability/stability.hpp"
#include "cotangent/analyze/text/complex_text.hpp"
#include "cotangent/base/wording.hpp"

namespace cotangent {
namespace {

std::string verb_of(const Fate& fate) {
  switch (fate.kind) {
    case Fate::Kind::decay:
      return fmt::format("shrink as exp({:.4g} t)", fate.rate);
    case Fate::Kind::bounded:
      return "stay bounded";
    case Fate::Kind::power:
      return fmt::format("grow as t^{:.2g}", fate.exponent);
    case Fate::Kind::exponential:
      return fmt::format("grow as exp({:.4g} t)", fate.rate);
    case Fate::Kind::undecided:
      break;
  }
  return "undecided: a longer motion may tell";
}

double largest(const std::vector<Complex>& values) {
  double most = 0;
  for (const Complex& x : values) most = std::max(most, std::abs(x));
  return most;
}

std::string describe_motion(const StabilityReport& report) {
  if (report.is_equilibrium) return "an equilibrium: its eigenvalues decide";
  if (!report.orbit) return "not followed: no end of it is given";
  const Orbit& orbit = *report.orbit;
  if (orbit.is_closed)
    return fmt::format("a closed orbit with the period {:.10g} (it returns up to {:.1g} of its size)", orbit.duration(),
                       orbit.return_error);
  return fmt::format("followed for {:.6g} units of time; not closed{}", orbit.duration(),
                     orbit.failure.empty() ? "" : "; " + orbit.failure);
}

Json fate_of(const Fate& fate) {
  return Json::object({{"kind", name_of(fate.kind)},
                       {"rate", fate.rate},
                       {"rate_error", fate.rate_error},
                       {"exponent", fate.exponent}});
}

}  // namespace

std::string table_of(const StabilityReport& report) {
  std::string text;
  const auto row = [&](std::string_view name, const std::string& value) {
    text += fmt::format("  {:<22}{}\n", name, value);
  };
  if (report.elements->m > 0) {
    row("constraints",
        fmt::format("{}, of rank {}: {}", report.elements->m,
                    report.elements->m - static_cast<std::int64_t>(report.redundant.size()),
                    plural(static_cast<std::size_t>(report.degrees_of_freedom), "degree") + " of freedom"));
    for (const auto& redundant : report.redundant) row("", describe(redundant));
    if (report.orbit)
      row("", fmt::format("the condition number of G H_pp G' is at most {:.3g}, at t = {:.4g}", report.condition,
                          report.condition_time));
  }
  row("motion", describe_motion(report));
  if (report.motion_fate) {
    row("neighbours", "on the constraints: distances " + verb_of(*report.motion_fate));
    if (!report.motion_multipliers.empty()) row("", "multipliers: " + to_text(report.motion_multipliers));
  }
  if (report.orbit)
    text += fmt::format(
        "\n  What becomes of small errors of the constraints g and psi along this motion, to first order\n  "
        "({}, errors below {:.1g}):\n\n",
        report.orbit->is_closed ? "Floquet's multipliers" : "as measured", std::max(report.relative_error, 1e-15));
  for (const auto& part : report.formulations) {
    if (!report.orbit || !part.refusal.empty()) continue;
    if (!part.has_residuals) {
      row(part.name, "no errors: g = 0 and psi = 0 by construction");
    } else if (part.fate) {
      row(part.name,
          fmt::format(
              "{}{}", verb_of(*part.fate),
              part.multipliers.empty() ? "" : fmt::format("; largest |multiplier| {:.8g}", largest(part.multipliers))));
    }
  }
  const auto& means = report.mean_multipliers;
  const bool has_impetus = std::any_of(report.formulations.begin(), report.formulations.end(),
                                       [](const auto& part) { return part.name == "impetus" && part.refusal.empty(); });
  if (has_impetus && !means.empty()) {
    const auto most =
        std::max_element(means.begin(), means.end(), [](double a, double b) { return std::abs(a) < std::abs(b); });
    text +=
        fmt::format("\n  The strictions of 'impetus' drift, by {:.6g} per unit of time ('{}', its mean multiplier).\n",
                    *most, report.elements->row_name(most - means.begin()));
  }
  text +=
      fmt::format("\n  Eigenvalues at the start, as if coefficients were constant{}:\n\n  {:<22}{:<38}{}\n",
                  report.is_equilibrium ? "" : ": figures, which decide nothing", "", "of g and psi", "of the field");
  for (const auto& part : report.formulations) {
    if (!part.refusal.empty()) continue;
    text += fmt::format("  {:<22}{:<38}{}\n", part.name, part.has_residuals ? to_text(part.residuals) : "-",
                        to_text(part.field));
  }
  bool is_first = true;
  for (const auto& part : report.formulations) {
    if (part.refusal.empty()) continue;
    text += fmt::format("{}  {}: {}\n", is_first ? "\n" : "", part.name, part.refusal);
    is_first = false;
  }
  for (const auto& note : report.notes) text += fmt::format("\n  note: {}\n", note);
  return text;
}

Json json_of(const StabilityReport& report) {
  const auto optional_fate = [](const std::optional<Fate>& fate) {
    return fate ? std::optional<Json>(fate_of(*fate)) : std::nullopt;
  };
  const auto complexes = [](const std::vector<Complex>& values) {
    return values.empty() ? std::nullopt : std::optional<Json>(to_json(values));
  };
  std::optional<Json> orbit;
  if (report.orbit)
    orbit = Json::object({{"closed", report.orbit->is_closed},
                          {"duration", report.orbit->duration()},
                          {"steps", static_cast<std::int64_t>(report.orbit->points.size()) - 1},
                          {"return_error", report.orbit->return_error},
                          {"failure", report.orbit->failure},
                          {"relative_error", report.relative_error}});
  std::vector<std::pair<std::string, Json>> means;
  for (std::size_t r = 0; r < report.mean_multipliers.size(); ++r)
    means.emplace_back(report.elements->row_name(static_cast<std::int64_t>(r)), report.mean_multipliers[r]);
  const auto part = [&](const FormulationStability& x) {
    if (!x.refusal.empty()) return Json::object({{"formulation", x.name}, {"refusal", x.refusal}});
    return Json::object({{"formulation", x.name},
                         {"has_residuals", x.has_residuals},
                         {"fate", optional_fate(x.fate)},
                         {"multipliers", complexes(x.multipliers)},
                         {"residual_eigenvalues", to_json(x.residuals)},
                         {"field_eigenvalues", to_json(x.field)}});
  };
  const auto redundant = [](const RedundantConstraint& x) {
    return Json::object(
        {{"constraint", x.name}, {"follows_from", Json::list({x.follows_from.begin(), x.follows_from.end()})}});
  };
  return Json::object({{"degrees_of_freedom", report.degrees_of_freedom},
                       {"rank", report.elements->m - static_cast<std::int64_t>(report.redundant.size())},
                       {"redundant", Json::long_list(Json::each(report.redundant, redundant))},
                       {"condition", report.condition},
                       {"condition_time", report.condition_time},
                       {"equilibrium", report.is_equilibrium},
                       {"orbit", orbit},
                       {"motion", optional_fate(report.motion_fate)},
                       {"motion_multipliers", complexes(report.motion_multipliers)},
                       {"mean_multipliers", Json::object(means)},
                       {"formulations", Json::long_list(Json::each(report.formulations, part))},
                       {"notes", Json::long_list({report.notes.begin(), report.notes.end()})}});
}

}  // namespace cotangent
