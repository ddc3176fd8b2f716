#include "cotangent/system/black_box.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace cotangent {
namespace {

using Place = BlackBox::Place;

// What is wrong with a black box, sentence by sentence.
class Faults {
 public:
  void add(std::string fault) { list_.push_back(std::move(fault)); }
  template <class Function>
  void require(const Function& function, const char* name) {
    if (!function) add(fmt::format("{} is missing", name));
  }
  template <class Function>
  void forbid(const Function& function, const char* name, const char* why) {
    if (function) add(fmt::format("{} is given, but {}", name, why));
  }
  void places(const std::vector<Place>& places, std::int64_t rows, std::int64_t columns, const char* name) {
    for (const auto& [row, column] : places) {
      if (row >= 0 && row < rows && column >= 0 && column < columns) continue;
      add(fmt::format("{} has the place ({}, {}), outside {} x {}", name, row, column, rows, columns));
      return;
    }
  }
  void scale(double value, const char* name) {
    if (!(value > 0) || !std::isfinite(value)) add(fmt::format("{} must be a positive number", name));
  }
  void report() const {
    if (!list_.empty()) throw std::invalid_argument(fmt::format("black box: {}", fmt::join(list_, "; ")));
  }

 private:
  std::vector<std::string> list_;
};

void validate(const BlackBox& box) {
  Faults faults;
  if (box.n < 1) faults.add("n, the number of coordinates, is not set");
  if (box.m < 0) faults.add("m, the number of constraints, is negative");
  faults.require(box.H, "H");
  faults.require(box.H_q, "H_q");
  faults.require(box.H_p, "H_p");
  if (box.m > 0) {
    faults.require(box.g, "g");
    faults.require(box.G, "G");
  } else {
    constexpr const char* kNone = "m, the number of constraints, is not set";
    faults.forbid(box.g, "g", kNone);
    faults.forbid(box.G, "G", kNone);
    faults.forbid(box.g_t, "g_t", kNone);
    faults.forbid(box.g_second, "g_second", kNone);
    if (!box.G_pattern.empty()) faults.add(fmt::format("G_pattern is given, but {}", kNone));
  }
  if (!box.H_t) faults.forbid(box.H_pt, "H_pt", "H_t, without which H does not depend on the time, is not");
  if (!box.g_t) faults.forbid(box.g_t_along, "g_t_along", "g_t, without which g does not depend on the time, is not");
  if (box.m > 0) faults.places(box.G_pattern, box.m, box.n, "G_pattern");
  faults.places(box.H_pp_places, box.n, box.n, "H_pp_places");
  if (box.H_pp_pattern != BlackBox::MassPattern::sparse && !box.H_pp_places.empty())
    faults.add("H_pp_places are given, but H_pp_pattern is not sparse");
  if (!box.constraint_names.empty() && std::cmp_not_equal(box.constraint_names.size(), box.m))
    faults.add(fmt::format("there are {} constraint_names for {} constraints", box.constraint_names.size(), box.m));
  faults.scale(box.q_scale, "q_scale");
  faults.scale(box.p_scale, "p_scale");
  faults.scale(box.t_scale, "t_scale");
  faults.report();
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

std::shared_ptr<const Elements> black_box_elements(const BlackBox& box) {
  validate(box);
  auto elements = std::make_shared<Elements>();
  auto graph = std::make_shared<Graph>();
  graph->freeze();
  elements->graph = std::move(graph);
  elements->n = box.n;
  elements->m = box.m;
  elements->rows = named_rows(box);
  DeclaredStructure& declared = elements->declared.emplace();
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
  return elements;
}

}  // namespace cotangent
