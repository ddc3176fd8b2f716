#include "cotangent/elements/elements.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cotangent/base/check.hpp"

namespace cotangent {

bool Family::uses(Space space) const {
  return std::any_of(slots.begin(), slots.end(), [&](const Slot& slot) { return slot.space == space; });
}

Family Family::within(Graph& graph) const {
  Family family = *this;
  family.f = graph.own(f);
  for (Slot& slot : family.slots) slot.symbol = graph.own(slot.symbol);
  for (Index& index : family.indices) index.symbol = graph.own(index.symbol);
  for (Column& column : family.columns) {
    column.symbol = graph.own(column.symbol);
    column.value = graph.own(column.value);
    for (TableEntry& entry : column.entries) entry.symbol = graph.own(entry.symbol);
  }
  return family;
}

bool Elements::depends_on(const std::vector<Family>& families, Space space) const {
  std::vector<bool> needed(static_cast<std::size_t>(group_count), false);
  const auto visit = [&](const Family& family) {
    for (const auto& slot : family.slots) {
      if (slot.space != Space::w) continue;
      for (std::int64_t k = 0; k < family.count; ++k) needed[static_cast<std::size_t>(slot.at(k))] = true;
    }
    return family.uses(space);
  };
  bool found = false;
  for (const Family& family : families) found = visit(family) || found;
  for (auto group = groups.rbegin(); group != groups.rend(); ++group) {
    bool is_needed = false;
    for (std::int64_t k = 0; k < group->count && !is_needed; ++k)
      is_needed = needed[static_cast<std::size_t>(group->row(k))];
    if (is_needed) found = visit(*group) || found;
  }
  return found;
}

bool Elements::uses_multipliers() const {
  return depends_on(forces, Space::lambda) || depends_on(rates, Space::lambda);
}

bool Elements::is_autonomous() const {
  if (declared) return declared->is_autonomous;
  return !depends_on(energy, Space::t) && !depends_on(constraints, Space::t);
}

std::vector<std::int64_t> Elements::free_coordinates() const {
  std::vector<bool> used(static_cast<std::size_t>(n), false), used_group(static_cast<std::size_t>(group_count), false);
  const auto mark = [&](const Family& family) {
    for (const auto& slot : family.slots) {
      if (slot.space != Space::q && slot.space != Space::w) continue;
      auto& marks = slot.space == Space::q ? used : used_group;
      for (std::int64_t k = 0; k < family.count; ++k) marks[static_cast<std::size_t>(slot.at(k))] = true;
    }
  };
  for (const Family& family : constraints) mark(family);
  if (declared)
    for (const auto& [row, column] : declared->constraint_places) used[static_cast<std::size_t>(column)] = true;
  for (auto group = groups.rbegin(); group != groups.rend(); ++group) {
    bool is_used = false;
    for (std::int64_t k = 0; k < group->count && !is_used; ++k)
      is_used = used_group[static_cast<std::size_t>(group->row(k))];
    if (is_used) mark(*group);
  }
  std::vector<std::int64_t> result;
  for (std::int64_t j = 0; j < n; ++j)
    if (!used[static_cast<std::size_t>(j)]) result.push_back(j);
  return result;
}

std::string NamedRows::row_name(std::int64_t row) const {
  const std::int64_t instance = (row - first) / components, component = (row - first) % components;
  std::vector<std::int64_t> labels;
  for (const IndexMap& index : indices) labels.push_back(index(instance));
  if (is_vector) labels.push_back(component + 1);
  return labels.empty() ? name : fmt::format("{}[{}]", name, fmt::join(labels, ","));
}

std::string Elements::row_name(std::int64_t r) const {
  for (const NamedRows& constraint : rows)
    if (r >= constraint.first && r < constraint.first + constraint.count) return constraint.row_name(r);
  COTANGENT_CHECK(!"r is a row");
  return {};
}

}  // namespace cotangent
