#include "cotangent/run/reproduce/reproduce_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace cotangent {
namespace {

std::string figure(const std::optional<double>& x) { return x && std::isfinite(*x) ? fmt::format("{:.5g}", *x) : ""; }

std::string mark_of(const CheckedClaim& checked) {
  const bool is_known = checked.claim->is_known && checked.verdict == Reproduction::not_reproduced;
  const char* mark = checked.verdict == Reproduction::reproduced ? "good" : checked.is_surprise() ? "bad" : "open";
  return fmt::format("{}: {}{}", mark, describe(checked.verdict), is_known ? ", known" : "");
}

PageFigure figure_of(const PlottedLines& made) {
  const ExperimentPlot& plot = *made.plot;
  PageFigure figure{.title = plot.title,
                    .caption = plot.caption,
                    .x = {plot.x, plot.is_log_x},
                    .y = {plot.y, plot.is_log_y},
                    .lines = {}};
  for (const PlottedLines::Line& line : made.lines)
    figure.lines.push_back(
        {.label = made.lines.size() > 1 ? line.label : "", .x = line.x, .y = line.y, .is_dotted = line.is_dotted});
  return figure;
}

PageTable claims_of(const Reproductions& reproductions, const Experiment& experiment) {
  PageTable table{.title = "Claims",
                  .caption = "",
                  .rows = {{"claim", "printed", "measured", "holds where", "verdict", "remark"}},
                  .marks = 4};
  for (const CheckedClaim& checked : reproductions.claims) {
    if (checked.experiment != &experiment) continue;
    const Claim& claim = *checked.claim;
    const bool shows_remark = checked.verdict != Reproduction::reproduced;
    table.rows.push_back({claim.text, figure(claim.printed), figure(checked.measured), claim.tolerance,
                          mark_of(checked), shows_remark ? claim.remark : ""});
  }
  const bool has_remarks =
      std::any_of(table.rows.begin() + 1, table.rows.end(), [](const auto& row) { return !row.back().empty(); });
  if (!has_remarks)
    for (auto& row : table.rows) row.pop_back();
  return table;
}

}  // namespace

PageData page_of(const Reproductions& reproductions, const PageOrigin& origin) {
  PageData page{.origin = origin, .title = "Published experiments"};
  const auto& claims = reproductions.claims;
  const bool is_well =
      std::none_of(claims.begin(), claims.end(), [](const auto& claim) { return claim.is_surprise(); });
  page.verdict = {is_well ? "good" : "bad", is_well ? "As expected" : "Not as expected", reproductions.counts() + "."};
  std::vector<const Experiment*> experiments;
  for (const CheckedClaim& checked : claims)
    if (experiments.empty() || experiments.back() != checked.experiment) experiments.push_back(checked.experiment);
  for (const Experiment* experiment : experiments) {
    PagePart part{.title = experiment->name, .lead = experiment->title};
    for (const PlottedLines& made : reproductions.plots)
      if (made.experiment == experiment) part.figures.push_back(figure_of(made));
    part.tables.push_back(claims_of(reproductions, *experiment));
    page.parts.push_back(std::move(part));
  }
  if (experiments.size() == 1) page.title = experiments.front()->name + ": " + experiments.front()->title;
  return page;
}

}  // namespace cotangent
