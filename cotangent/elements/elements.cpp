#include "cotangent/elements/elements.hpp"

#include <algorithm>

#include "cotangent/base/check.hpp"
#include "cotangent/model/language/shape.hpp"

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

namespace {

// Calls visit for families, and for those of the groups that they use, directly or through other groups.
template <class Visit>
void each_used(const Elements& elements, const std::vector<Family>& families, const Visit& visit) {
  std::vector<bool> used(static_cast<std::size_t>(elements.group_count), false);
  const auto enter = [&](const Family& family) {
    for (const auto& slot : family.slots) {
      if (slot.space != Space::w) continue;
      for (std::int64_t k = 0; k < family.count; ++k) used[static_cast<std::size_t>(slot.at(k))] = true;
    }
    visit(family);
  };
  for (const Family& family : families) enter(family);
  for (auto group = elements.groups.rbegin(); group != elements.groups.rend(); ++group) {
    bool is_used = false;
    for (std::int64_t k = 0; k < group->count && !is_used; ++k) is_used = used[static_cast<std::size_t>(group->row(k))];
    if (is_used) enter(*group);
  }
}

}  // namespace

bool Elements::depends_on(const std::vector<Family>& families, Space space) const {
  bool found = false;
  each_used(*this, families, [&](const Family& family) { found = found || family.uses(space); });
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
  std::vector<bool> used(static_cast<std::size_t>(n), false);
  each_used(*this, constraints, [&](const Family& family) {
    for (const auto& slot : family.slots) {
      if (slot.space != Space::q) continue;
      for (std::int64_t k = 0; k < family.count; ++k) used[static_cast<std::size_t>(slot.at(k))] = true;
    }
  });
  if (declared)
    for (const auto& [row, column] : declared->constraint_places) used[static_cast<std::size_t>(column)] = true;
  std::vector<std::int64_t> result;
  for (std::int64_t j = 0; j < n; ++j)
    if (!used[static_cast<std::size_t>(j)]) result.push_back(j);
  return result;
}

std::string NamedRows::row_name(std::int64_t row) const {
  const std::int64_t instance = (row - first) / components, component = (row - first) % components;
  EntryIndices labels;
  for (const IndexMap& index : indices) labels.push_back(index(instance));
  if (is_vector) labels.push_back(component + 1);
  return entry_text(name, labels);
}

std::string Elements::row_name(std::int64_t r) const {
  for (const NamedRows& constraint : rows)
    if (r >= constraint.first && r < constraint.first + constraint.count) return constraint.row_name(r);
  check_failed("r is a row");
}

}  // namespace cotangent
