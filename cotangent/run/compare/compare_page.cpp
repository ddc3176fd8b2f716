#include "cotangent/run/compare/compare_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace cotangent {
namespace {

// What runs that differ in their steps have in common.
std::string way_of(const RunPlan& plan) {
  std::string way = plan.method;
  if (!plan.formulation.empty() && plan.formulation != "direct") way += ", " + plan.formulation;
  if (plan.projection && *plan.projection != Projection::none) way += fmt::format(", {}", name_of(*plan.projection));
  return way;
}

PageFigure work_against_error(const Comparison& comparison) {
  PageFigure figure{
      .title = "Work against error",
      .caption =
          "Each mark is a run. Cheaper and more accurate runs are further down and to the left; those whose error "
          "is as large as the motion are left out.",
      .x = {"largest error, relative to the size of the motion", true},
      .y = {"seconds", true},
      .lines = {},
      .marks = {{comparison.accuracy, "asked for"}}};
  std::map<std::string, std::vector<std::pair<double, double>>> ways;
  for (const ComparedRun& run : comparison.runs)
    if (run.error && *run.error > comparison.reference.known_to.value_or(0) && *run.error < 1 && run.seconds > 0 &&
        run.summary.outcome == Outcome::done)
      ways[way_of(run.plan)].emplace_back(*run.error, run.seconds);
  const std::string best = comparison.recommended ? way_of(comparison.runs[*comparison.recommended].plan) : "";
  for (auto& [way, points] : ways) {
    std::sort(points.begin(), points.end());
    PageFigure::Line line{.label = way, .x = {}, .y = {}, .is_emphasised = way == best};
    for (const auto& [error, seconds] : points) line.x.push_back(error), line.y.push_back(seconds);
    figure.lines.push_back(std::move(line));
  }
  return figure;
}

// Of the recommended run, among those that are in the table.
std::optional<std::size_t> row_of(const Comparison& comparison) {
  if (!comparison.recommended) return std::nullopt;
  const auto end = comparison.runs.begin() + static_cast<std::ptrdiff_t>(*comparison.recommended);
  return 1 + static_cast<std::size_t>(
                 std::count_if(comparison.runs.begin(), end, [](const auto& run) { return run.refusal.empty(); }));
}

}  // namespace

PageData page_of(const Comparison& comparison, const Model& model, const PageOrigin& origin) {
  PageData page{.origin = origin, .model = &model};
  const std::string sentence = comparison.recommendation();
  const auto colon = sentence.find(": ");
  page.verdict = {comparison.recommended ? "good" : "open", comparison.recommended ? "Recommended" : "Not recommended",
                  sentence.substr(colon == sentence.npos ? 0 : colon + 2)};
  page.parts = {{.title = "Comparison", .lead = "", .figures = {work_against_error(comparison)}},
                {.title = "Runs",
                 .lead = "",
                 .tables = {{.title = "Runs",
                             .caption = comparison.reference.by.empty()
                                            ? ""
                                            : "Errors are measured against " + comparison.reference.by + ".",
                             .rows = comparison.rows(),
                             .emphasised = row_of(comparison)}}}};
  return page;
}

}  // namespace cotangent
