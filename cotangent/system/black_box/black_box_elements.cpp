#include "cotangent/system/black_box/black_box_elements.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace cotangent {
namespace {

using Place = BlackBox::Place;

// @throws std::invalid_argument with everything that is wrong, sentence by sentence.
void validate(const BlackBox& box) {
  std::vector<std::string> faults;
  const auto require = [&](bool is_given, const char* name) {
    if (!is_given) faults.push_back(fmt::format("{} is missing", name));
  };
  const auto forbid = [&](bool is_given, const char* name, const char* why) {
    if (is_given) faults.push_back(fmt::format("{} is given, but {}", name, why));
  };
  const auto check_places = [&](const std::vector<Place>& places, std::int64_t rows, const char* name) {
    const auto outside = std::ranges::find_if(places, [&](const Place& place) {
      return place.first < 0 || place.first >= rows || place.second < 0 || place.second >= box.n;
    });
    if (outside != places.end())
      faults.push_back(fmt::format("{} has the place ({}, {}), outside {} x {}", name, outside->first, outside->second,
                                   rows, box.n));
  };
  if (box.n < 1) faults.emplace_back("n, the number of coordinates, is not set");
  if (box.m < 0) faults.emplace_back("m, the number of constraints, is negative");
  require(!!box.H, "H");
  require(!!box.H_q, "H_q");
  require(!!box.H_p, "H_p");
  if (box.m > 0) {
    require(!!box.g, "g");
    require(!!box.G, "G");
    check_places(box.G_pattern, box.m, "G_pattern");
  } else {
    for (const auto& [is_given, name] : {std::pair(!!box.g, "g"),
                                         {!!box.G, "G"},
                                         {!!box.g_t, "g_t"},
                                         {!!box.g_second, "g_second"},
                                         {!box.G_pattern.empty(), "G_pattern"}})
      forbid(is_given, name, "m, the number of constraints, is not set");
  }
  if (!box.H_t) forbid(!!box.H_pt, "H_pt", "H_t, without which H does not depend on the time, is not");
  if (!box.g_t) forbid(!!box.g_t_along, "g_t_along", "g_t, without which g does not depend on the time, is not");
  check_places(box.H_pp_places, box.n, "H_pp_places");
  if (box.H_pp_pattern != BlackBox::MassPattern::sparse && !box.H_pp_places.empty())
    faults.emplace_back("H_pp_places are given, but H_pp_pattern is not sparse");
  if (!box.constraint_names.empty() && std::cmp_not_equal(box.constraint_names.size(), box.m))
    faults.push_back(
        fmt::format("there are {} constraint_names for {} constraints", box.constraint_names.size(), box.m));
  for (const auto& [scale, name] :
       {std::pair(box.q_scale, "q_scale"), {box.p_scale, "p_scale"}, {box.t_scale, "t_scale"}})
    if (!(scale > 0) || !std::isfinite(scale)) faults.push_back(fmt::format("{} must be a positive number", name));
  if (!faults.empty()) throw std::invalid_argument(fmt::format("black box: {}", fmt::join(faults, "; ")));
}

std::vector<NamedRows> named_rows(const BlackBox& box) {
  std::vector<NamedRows> rows;
  for (const std::string& name : box.constraint_names)
    rows.push_back({.name = name, .first = static_cast<std::int64_t>(rows.size()), .count = 1, .indices = {}});
  if (!rows.empty() || box.m == 0) return rows;
  rows.push_back({.name = "g", .first = 0, .count = box.m, .indices = {}});
  if (box.m > 1) rows.back().indices.push_back(IndexMap::affine(1, 1));
  return rows;
}

}  // namespace

void declare_functions(Elements& elements, std::shared_ptr<const BlackBox> functions) {
  const BlackBox& box = *functions;
  validate(box);
  if (box.n != elements.n)
    throw std::invalid_argument(
        fmt::format("black box: its functions have {} coordinates, the model has {}", box.n, elements.n));
  elements.energy.clear();
  elements.constraints.clear();
  elements.m = box.m;
  elements.rows = named_rows(box);
  DeclaredStructure& declared = elements.declared.emplace();
  declared.is_separable = box.is_separable;
  declared.is_autonomous = !box.H_t && !box.g_t;
  declared.is_coupled = box.m > 0 && (box.G_pattern.empty() || box.H_pp_pattern == BlackBox::MassPattern::full);
  declared.constraint_places = box.G_pattern;
  if (box.G_pattern.empty())
    for (std::int64_t row = 0; row < box.m; ++row)
      for (std::int64_t column = 0; column < box.n; ++column) declared.constraint_places.emplace_back(row, column);
  for (const auto& [i, j] : box.H_pp_places) {
    if (i == j) continue;
    declared.momentum_pairs.emplace_back(i, j);
    declared.momentum_pairs.emplace_back(j, i);
  }
  declared.functions = std::move(functions);
}

std::shared_ptr<const Elements> black_box_elements(BlackBox box) {
  auto elements = std::make_shared<Elements>();
  auto graph = std::make_shared<Graph>();
  graph->freeze();
  elements->graph = std::move(graph);
  elements->n = box.n;
  declare_functions(*elements, std::make_shared<const BlackBox>(std::move(box)));
  return elements;
}

}  // namespace cotangent
