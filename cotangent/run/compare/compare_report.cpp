// A comparison in words: a table, a list for programs, and the recommendation.

#include <fmt/format.h>

#include <algorithm>

#include "cotangent/base/wording.hpp"
#include "cotangent/output/json.hpp"
#include "cotangent/output/wrapped.hpp"
#include "cotangent/run/compare/compare.hpp"

namespace cotangent {
namespace {

using Cells = std::vector<std::string>;

std::string pace_of(const RunPlan& plan) {
  return plan.is_adaptive() ? fmt::format("tol {:.3g}", *plan.tolerance) : fmt::format("h {:.4g}", *plan.step);
}

std::string figure(const std::optional<double>& x) { return x ? fmt::format("{:.2g}", *x) : "-"; }

// What is smaller than the error of the reference is not known.
std::string error_figure(const std::optional<double>& error, const CommonReference& reference) {
  const double least = reference.known_to.value_or(0);
  return error && *error < least ? fmt::format("< {:.1g}", least) : figure(error);
}

std::optional<double> largest(const ComparedRun& run, std::string_view monitor) {
  for (const MonitorResult& result : run.summary.monitors)
    if (result.group.empty() && result.name == monitor) return result.largest;
  return std::nullopt;
}

std::string power(const Growth& growth) {
  return growth.is_known() ? fmt::format("{:.2f} +- {:.2f}", growth.exponent, growth.error) : "-";
}

std::string duration(double seconds) {
  if (seconds < 1e-3) return fmt::format("{:.3g} us", seconds * 1e6);
  return seconds < 1 ? fmt::format("{:.3g} ms", seconds * 1e3) : fmt::format("{:.3g} s", seconds);
}

// Method, formulation, projection and steps, as the user would ask for them.
std::string words_of_choice(const RunPlan& plan) {
  std::string words = fmt::format("`method = {}`", plan.method);
  if (!plan.formulation.empty()) words += fmt::format(" `formulation = {}`", plan.formulation);
  if (plan.projection) words += fmt::format(" `projection = {}`", name_of(*plan.projection));
  if (plan.is_adaptive()) return words + fmt::format(" `tolerance = {:.10g}`", *plan.tolerance);
  return words + fmt::format(" `step = {:.10g}`", *plan.step);
}

// Each reason once, with the methods, and the formulation or projection, that it is about.
std::string refusals(const std::vector<ComparedRun>& runs) {
  std::vector<std::pair<std::string, std::vector<std::string>>> reasons;
  for (const ComparedRun& run : runs) {
    if (run.refusal.empty()) continue;
    auto at = std::find_if(reasons.begin(), reasons.end(), [&](const auto& one) { return one.first == run.refusal; });
    if (at == reasons.end()) at = reasons.insert(at, {run.refusal, {}});
    std::string what = run.plan.method;
    if (!run.plan.formulation.empty()) what += " under " + run.plan.formulation;
    if (std::find(at->second.begin(), at->second.end(), what) == at->second.end()) at->second.push_back(what);
  }
  std::string text;
  for (const auto& [reason, whats] : reasons)
    text += "    " + wrapped(fmt::format("{}: {}", fmt::join(whats, ", "), reason), 6);
  return text;
}

// A column is as wide as its widest cell; the first ones begin at the left, numbers end at the right.
std::string aligned(const std::vector<Cells>& rows, std::size_t words) {
  std::vector<std::size_t> widths(rows.front().size());
  for (const Cells& row : rows)
    for (std::size_t k = 0; k < row.size(); ++k) widths[k] = std::max(widths[k], row[k].size());
  std::string text;
  for (const Cells& row : rows) {
    std::string line = "  ";
    for (std::size_t k = 0; k < row.size(); ++k)
      line += k < words ? fmt::format("{:<{}}  ", row[k], widths[k]) : fmt::format("{:>{}}  ", row[k], widths[k]);
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  return text;
}

}  // namespace

std::string Comparison::recommendation() const {
  if (recommended) {
    const ComparedRun& run = runs[*recommended];
    return fmt::format("recommended: {}: the cheapest of these runs with an error of at most {:g} ({:.2g}, in {})",
                       words_of_choice(run.plan), accuracy, *run.error, duration(run.seconds));
  }
  const ComparedRun* best = nullptr;
  for (const ComparedRun& run : runs)
    if (run.error && (!best || *run.error < *best->error)) best = &run;
  if (!best) return "nothing is recommended: the error of no run is known";
  return fmt::format("nothing is recommended: no run has an error of at most {:g}; the smallest one is {:.2g}, of {}",
                     accuracy, *best->error, words_of_choice(best->plan));
}

std::vector<Cells> Comparison::rows() const {
  const auto has = [&](std::string_view monitor) {
    return std::any_of(runs.begin(), runs.end(), [&](const ComparedRun& run) { return largest(run, monitor); });
  };
  const std::pair<const char*, const char*> watched[]{
      {"energy", "energy"}, {"position", "|g|"}, {"momentum", "|G H_p|"}, {"wedge", "wedge"}};
  Cells title{"method", "formulation", "projection", "steps", "error", "at the end"};
  const bool has_error_growth =
      std::any_of(runs.begin(), runs.end(), [](const ComparedRun& run) { return run.error_growth.is_known(); });
  if (has_error_growth) title.emplace_back("error as t^k");
  for (const auto& [monitor, name] : watched)
    if (has(monitor)) title.emplace_back(name);
  const bool has_growth =
      std::any_of(runs.begin(), runs.end(), [](const ComparedRun& run) { return run.summary.has_growth(); });
  if (has_growth) title.emplace_back("energy as t^k");
  for (const char* name : {"evaluations", "projections", "time"}) title.emplace_back(name);
  std::vector<Cells> all{title};
  for (std::size_t k = 0; k < runs.size(); ++k) {
    const ComparedRun& run = runs[k];
    if (!run.refusal.empty()) continue;
    const std::string mark = recommended == k ? " *" : "";
    Cells row{run.plan.method + mark,
              run.plan.formulation,
              run.plan.projection ? name_of(*run.plan.projection) : "",
              pace_of(run.plan),
              error_figure(run.error, reference),
              error_figure(run.end_error, reference)};
    if (has_error_growth) row.push_back(power(run.error_growth));
    for (const auto& [monitor, name] : watched)
      if (has(monitor)) row.push_back(figure(largest(run, monitor)));
    if (has_growth) {
      const auto energy = std::find_if(run.summary.monitors.begin(), run.summary.monitors.end(),
                                       [](const MonitorResult& monitor) { return monitor.name == "energy"; });
      row.push_back(energy == run.summary.monitors.end() ? "-" : power(energy->growth.value_or(Growth())));
    }
    row.push_back(std::to_string(run.summary.counts.rhs));
    row.push_back(std::to_string(run.summary.counts.projections));
    row.push_back(run.summary.outcome == Outcome::done
                      ? duration(run.seconds)
                      : fmt::format("{} at t = {:.4g}", describe(run.summary.outcome), run.summary.time));
    all.push_back(std::move(row));
  }
  return all;
}

std::string Comparison::table() const {
  std::string text;
  if (const std::vector<Cells> all = rows(); all.size() > 1) text += aligned(all, 4);
  text += "\n  errors are relative to the size of the motion";
  if (!reference.by.empty()) text += ", against " + reference.by;
  if (reference.known_to) text += fmt::format(", known to {:.1g}", *reference.known_to);
  text += "; times are those of the loop alone, with nothing watched\n";
  const std::string refused = refusals(runs);
  if (!refused.empty()) text += "\n  do not apply:\n" + refused;
  return text + "\n" + recommendation() + "\n";
}

std::string Comparison::json() const {
  std::string text = "[";
  for (std::size_t k = 0; k < runs.size(); ++k) {
    const ComparedRun& run = runs[k];
    text += k > 0 ? ",\n" : "\n";
    if (!run.refusal.empty()) {
      const auto projection =
          run.plan.projection ? std::optional<std::string>(name_of(*run.plan.projection)) : std::nullopt;
      text += Json::object({{"status", "refused"},
                            {"method", run.plan.method},
                            {"formulation", run.plan.formulation},
                            {"projection", projection},
                            {"reason", run.refusal}})
                  .text();
      continue;
    }
    const Json more = Json::object({{"solution_error", Json::object({{"largest", run.error},
                                                                     {"final", run.end_error},
                                                                     {"exponent", run.error_growth.exponent},
                                                                     {"by", reference.by},
                                                                     {"known_to", reference.known_to}})},
                                    {"loop_seconds", run.seconds},
                                    {"recommended", recommended == k}});
    text += joined_objects(run.json, more.text());
  }
  return text + "\n]\n";
}

}  // namespace cotangent
