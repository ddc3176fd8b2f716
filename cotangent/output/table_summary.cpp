#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/base/limits.hpp"
#include "cotangent/base/wording.hpp"
#include "cotangent/output/run_report.hpp"
#include "cotangent/output/shapes.hpp"
#include "cotangent/output/wrapped.hpp"

namespace cotangent {
namespace {

std::string duration(double seconds) {
  if (seconds < 1e-3) return fmt::format("{:.3g} us", seconds * 1e6);
  if (seconds < 1) return fmt::format("{:.3g} ms", seconds * 1e3);
  return fmt::format("{:.4g} s", seconds);
}

template <class T>
void write_state(std::string& text, const RunReport<T>& report) {
  const std::int64_t n = report.model.dimension();
  if (n == 0) return;
  if (n > kLimits.table_rows) {
    text += fmt::format("\n  The state has {} coordinates: `json` prints them, `out = FILE.csv` records them.\n", n);
    return;
  }
  text += fmt::format("\n  {:<14}{:>22}{:>22}{:>22}\n", "coordinate", "q", "p", "v");
  for (const auto& c : report.model.coordinates)
    for (const std::int64_t entry : entries_in_reading_order(c.shape, c.offset)) {
      const auto i = static_cast<std::size_t>(entry);
      text += fmt::format("  {:<14}{:>22.15g}{:>22.15g}{:>22.15g}\n", entry_name(report.model, entry),
                          static_cast<double>(report.z.q[i]), static_cast<double>(report.z.p[i]),
                          static_cast<double>(report.velocities[i]));
    }
}

using Rows = std::vector<std::pair<std::string, double>>;
void write_rows(std::string& text, const char* title, const char* value_title, const Rows& rows) {
  if (rows.empty()) return;
  text += fmt::format("\n  {:<14}{:>22}\n", title, value_title);
  for (const auto& [name, value] : rows) text += fmt::format("  {:<14}{:>22.15g}\n", name, value);
}

// A line for each number; none where there are too many.
template <class T>
Rows rows_of(const std::vector<NamedRows>& all, const std::vector<T>& values) {
  Rows result;
  if (values.empty() || values.size() > static_cast<std::size_t>(kLimits.table_rows)) return result;
  for (const auto& rows : all)
    for (std::int64_t r = rows.first; r < rows.first + rows.count; ++r)
      result.emplace_back(rows.row_name(r), static_cast<double>(values[static_cast<std::size_t>(r)]));
  return result;
}

template <class T>
Rows states_of(const RunReport<T>& report) {
  Rows result;
  if (report.elements.states > kLimits.table_rows) return result;
  for (const auto& state : report.model.states)
    for (const std::int64_t entry : entries_in_reading_order(state.shape, state.offset))
      result.emplace_back(state_entry_name(report.model, entry),
                          static_cast<double>(report.z.s[static_cast<std::size_t>(entry)]));
  return result;
}

// Rows that would read as errors of q and p are those of the constraints.
std::string row_title(const std::string& name) {
  if (name == "position") return "constraints |g|";
  if (name == "momentum") return "hidden constraints |G H_p|";
  return name;
}

const char* part_title(const std::string& part) {
  return part == "q" ? "coordinates" : part == "p" ? "momenta" : "states";
}

// Errors have rows of their own for coordinates, momenta and states, in place of one that mixes their units.
bool has_row(const MonitorResult& monitor, const Summary& summary) {
  const auto is_part = [](const MonitorResult& other) { return other.group == "errors"; };
  return monitor.name != "error" || std::none_of(summary.monitors.begin(), summary.monitors.end(), is_part);
}

// An invariant of the model has the name that it was given there.
std::string row_title(const MonitorResult& monitor) {
  if (monitor.group == "errors") return fmt::format("error of {}", part_title(monitor.name));
  if (monitor.group.empty()) return row_title(monitor.name);
  return monitor.group == "invariants" ? monitor.name : monitor.group + '.' + monitor.name;
}

// Of the first column of tables of monitors.
std::size_t name_width(const Summary& summary) {
  std::size_t width = 14;
  for (const auto& monitor : summary.monitors) width = std::max(width, row_title(monitor).size() + 2);
  return width;
}

void write_monitors(std::string& text, const Summary& summary) {
  if (summary.monitors.empty()) return;
  const std::size_t width = name_width(summary);
  text += fmt::format("\n  {:<{}}{:>12}{:>12}\n", "monitor", width, "final", "largest");
  for (const auto& monitor : summary.monitors)
    if (has_row(monitor, summary))
      text += fmt::format("  {:<{}}{:>12.3g}{:>12.3g}\n", row_title(monitor), width, monitor.final, monitor.largest);
}

void write_growth(std::string& text, const Summary& summary) {
  const std::size_t width = name_width(summary);
  text += fmt::format("\n  {:<{}}{:>12}{:>12}{:>12}{:>12}\n", "growth as t^k", width, "k", "+-", "from", "until");
  for (const auto& monitor : summary.monitors) {
    if (!has_row(monitor, summary)) continue;
    const Growth& growth = *monitor.growth;
    const std::string name = row_title(monitor);
    if (!growth.is_known()) {
      text += fmt::format("  {:<{}}{:>12}\n", name, width, "unknown");
      continue;
    }
    text += fmt::format("  {:<{}}{:>12.3f}{:>12.3f}{:>12.4g}{:>12.4g}\n", name, width, growth.exponent, growth.error,
                        growth.from, growth.until);
  }
}

void write_periodogram(std::string& text, const NamedPeriodogram& named) {
  text +=
      fmt::format("\n  {:<14}{:>12}{:>12}{:>12}{:>12}\n", "periodogram", "frequency", "amplitude", "power", "width");
  if (named.periodogram.peaks.empty()) text += fmt::format("  {:<14}{:>12}\n", named.name, "no peaks");
  for (const SpectralPeak& peak : named.periodogram.peaks)
    text += fmt::format("  {:<14}{:>12.6g}{:>12.4g}{:>12.4g}{:>12.3g}\n", named.name, peak.frequency, peak.amplitude,
                        peak.power, peak.width);
}

// For each structure the verdict, the figure and the rounding level, then what was claimed and seen.
void write_certificate(std::string& text, const Certificate& certificate) {
  std::size_t width = row_title("momentum").size() + 2;
  for (const auto& finding : certificate.findings) width = std::max(width, finding.structure.size() + 2);
  text += fmt::format("\n  {:<{}}{:<12}{:>10}{:>10}\n", "certificate", width, "verdict", "figure", "rounding");
  const auto paragraph = [&](const char* title, const std::string& words) {
    const std::string indent(6, ' ');
    if (!words.empty()) text += indent + wrapped(title + words, indent.size());
  };
  for (const auto& finding : certificate.findings) {
    text += fmt::format("  {:<{}}{:<12}{:>10.2g}{:>10.1g}\n", row_title(finding.structure), width,
                        describe(finding.verdict), finding.figure, finding.level);
    paragraph("claimed: ", finding.claim);
    paragraph("seen: ", finding.evidence);
  }
  if (certificate.error) {
    const ErrorFinding& error = *certificate.error;
    const bool is_known = error.largest == error.largest;
    // Relative: coordinates and momenta have different units.
    text += fmt::format("  {:<{}}{:<12}{:>10.2g}\n", "error of the solution", width, is_known ? "estimated" : "unknown",
                        error.relative_largest());
    if (is_known) paragraph("relative to the size of the motion, by ", error.by);
    for (const auto& [name, final, largest, size] : error.parts)
      paragraph("", fmt::format("{}: largest {:.2g}{}, size {:.2g}", part_title(name), largest,
                                final == final ? fmt::format(", at the end {:.2g}", final) : "", size));
    paragraph("seen: ", error.evidence);
  }
  if (certificate.energy_lost_at)
    paragraph("",
              fmt::format("It does not hold: the energy was lost at t = {:g}, and from there on the run is no motion "
                          "of the model.",
                          *certificate.energy_lost_at));
  if (!certificate.is_ended)
    paragraph("", "The run has not reached its end: all of this is about the part that was made.");
}

}  // namespace

std::string reason(const Failure& failure) {
  if (failure.during == Phase::recording) return failure.message;
  if (failure.during == Phase::tolerance && failure.status != StepStatus::singular_mass)
    return failure.has_jumps && !std::isfinite(failure.error)
               ? "only steps that do not get on have an error below the tolerance"
               : "its error stays above the tolerance, however short it is";
  return describe(failure.status);
}

std::string advice(const Failure& failure) {
  if (failure.during == Phase::recording) return "";
  if (failure.has_jumps)
    return "a function of the model jumps, as a warning says, and no step across it may exist; give the jump a width, "
           "such as tanh(v/w) in place of sign(v)";
  if (failure.during == Phase::tolerance && failure.status != StepStatus::singular_mass)
    return "look for a collision, or for forces that jump; try a larger `tolerance`, an `absolute-tolerance` for "
           "variables that are nearly zero, or `precision = quad`";
  return advice(failure.status);
}

std::string describe(const Failure& failure) {
  if (failure.during == Phase::recording)
    return fmt::format("the run was ended at t = {:g}, after {}: {}", failure.time,
                       plural(static_cast<std::size_t>(failure.step), "step"), failure.message);
  std::string text = fmt::format("step {} from t = {:g}", failure.step, failure.time);
  if (failure.during == Phase::tolerance) {
    text += fmt::format(" failed: {}", reason(failure));
    // A step that was not tried has no error.
    text += std::isfinite(failure.error)
                ? fmt::format("; error {:.3g} times the tolerance with a step of {:.3g}", failure.error, failure.length)
                : fmt::format("; the next step would be {:.3g}", failure.length);
  } else {
    text += fmt::format(" to {:g} failed: {}", failure.time + failure.length, reason(failure));
    if (failure.during == Phase::projection) text += ", in the projection after the step";
    if (!failure.constraint.empty())
      text += fmt::format("; {} {}", failure.status == StepStatus::dependent_invariant ? "invariant" : "constraint",
                          failure.constraint);
    // A residual says something where it was one: what failed need not have had any.
    if (std::isfinite(failure.residual) && failure.residual > failure.tolerance)
      text += fmt::format("; residual {:.3g}, tolerance {:.3g}", failure.residual, failure.tolerance);
  }
  if (!failure.message.empty()) text += "\n  cause: " + failure.message;
  const std::string advised = advice(failure);
  return advised.empty() ? text : fmt::format("{}\n  advice: {}", text, advised);
}

template <class T>
std::string table_summary(const RunReport<T>& report) {
  const Summary& summary = report.summary;
  std::string text;
  text += fmt::format("{}\n", report.model.title.empty() ? report.model.name : report.model.title);
  const bool is_for_invariants = report.projection == "none" && !report.kept_invariants.empty();
  text += fmt::format("  {} (formulation {}, projection {}), {} precision by {}\n\n", report.method, report.formulation,
                      is_for_invariants ? "to invariants" : report.projection, report.precision, report.backend);

  const auto row = [&](std::string_view name, std::string_view value) {
    text += fmt::format("  {:<14}{}\n", name, value);
  };
  row("status", describe(summary.outcome));
  row("time", fmt::format("{:g}", summary.time));
  if (summary.choice) {
    row("steps", fmt::format("{} of {:.3g} to {:.3g}, {} rejected", summary.steps, summary.choice->smallest,
                             summary.choice->largest, summary.counts.rejected));
    row("controller",
        fmt::format("{}, tolerance {:g}; largest error of a step {:.2g} times that", summary.choice->controller,
                    summary.choice->tolerance, summary.choice->largest_error));
  } else {
    row("steps", fmt::format("{} of {:g}{}", summary.steps, summary.step,
                             summary.steps_before > 0 ? fmt::format(", {} of them before", summary.steps_before) : ""));
  }
  // Of no step at all there is nothing per step.
  const auto steps = static_cast<double>(summary.steps),
             now = static_cast<double>(summary.steps - summary.steps_before);
  row("wall time", fmt::format("{}{}; set-up {}", duration(summary.wall_seconds),
                               now > 0 ? fmt::format(", {} per step", duration(summary.wall_seconds / now)) : "",
                               duration(report.setup_seconds)));
  if (steps > 0) row("iterations", fmt::format("{:.2f} per step", static_cast<double>(summary.counts.newton) / steps));
  if (summary.counts.projections > 0) {
    const auto moved = [&](const Moved& by) {
      std::vector<std::string> parts;
      if (report.elements.n > 0) parts.push_back(fmt::format("|dq| = {:.3g}, |dp| = {:.3g}", by.q, by.p));
      if (report.elements.states > 0) parts.push_back(fmt::format("|ds| = {:.3g}", by.s));
      return fmt::format("{}", fmt::join(parts, ", "));
    };
    row("projections", fmt::format("{}, by {} at most, {} in all", summary.counts.projections,
                                   moved(summary.moved_most), moved(summary.moved_in_all)));
  }
  const auto roots = [](const auto& tally) {
    return tally.fallbacks == 0
               ? "a root near 1 at every point"
               : fmt::format("{} of {} points had no root near 1 and went to the nearest point, the first at t = {:g}",
                             tally.fallbacks, tally.points, tally.first_fallback);
  };
  if (const auto& scaling = summary.scaling; scaling.points > 0)
    row("scalings", scaling.condition > 0 ? fmt::format("condition up to {:.3g}; {}", scaling.condition, roots(scaling))
                    : scaling.fallbacks > 0 ? roots(scaling)
                                            : "no point needed one");
  if (const auto& relaxation = summary.relaxation; relaxation.points > 0)
    row("relaxations", fmt::format("by a factor of 1 +- {:.3g} at most; {}", relaxation.change, roots(relaxation)));
  if (summary.counts.charts > 0)
    row("charts", fmt::format("changed {}", times(static_cast<std::size_t>(summary.counts.charts))));
  if (report.section)
    row("section", plural(static_cast<std::size_t>(report.section->count), "point") +
                       (report.section->file ? ", in " + *report.section->file : ""));
  if (summary.energy_at_start) row("energy", fmt::format("H(0) = {:.6g}", *summary.energy_at_start));
  if (report.initial_change)
    row("initial data", fmt::format("moved onto the constraints: max |dq| = {:.3g}, max |dp| = {:.3g}",
                                    report.initial_change->position, report.initial_change->momentum));

  write_monitors(text, summary);
  if (summary.has_growth()) write_growth(text, summary);
  for (const auto& periodogram : report.periodograms) write_periodogram(text, periodogram);
  if (report.work) text += fmt::format("\n  {:<14}{:>12.6g}\n", "work done", static_cast<double>(*report.work));
  write_state(text, report);
  write_rows(text, "state", "value", states_of(report));
  write_rows(text, "constraint", "multiplier", rows_of(report.elements.rows, report.multipliers));
  write_rows(text, "observable", "value", rows_of(report.elements.observable_rows, report.observables));
  if (report.certificate) write_certificate(text, *report.certificate);
  return text;
}

#define COTANGENT_FUNCTIONS(T) template std::string table_summary(const RunReport<T>&);
COTANGENT_FOR_PRECISIONS(COTANGENT_FUNCTIONS)

}  // namespace cotangent
