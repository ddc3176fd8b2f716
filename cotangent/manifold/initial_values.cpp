#include "cotangent/manifold/initial_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/elements/elements.hpp"
#include "cotangent/elements/extract.hpp"
#include "cotangent/elements/refusal.hpp"
#include "cotangent/system/system.hpp"

namespace cotangent {
namespace {

// Values of one assignment, as a function of (q, s): a system that has nothing but observables.
template <class T>
std::vector<T> values_of(const InitialElements& initial, const InitialElements::Step& step, const std::vector<T>& y) {
  std::vector<T> values(static_cast<std::size_t>(step.count), T(0));
  const bool is_number = step.families.size() == 1 && step.families[0].f.is_constant();
  if (is_number) {
    std::fill(values.begin(), values.end(), static_cast<T>(step.families[0].f.value()));
    return values;
  }
  auto elements = std::make_shared<Elements>();
  elements->graph = initial.graph;
  elements->n = initial.n;
  elements->states = initial.states;
  elements->groups = step.groups;
  elements->group_count = step.group_count;
  elements->observables = step.families;
  const auto uses_tables = [](const Family& family) {
    return std::any_of(family.columns.begin(), family.columns.end(), [](const auto& c) { return !c.entries.empty(); });
  };
  if (std::any_of(step.families.begin(), step.families.end(), uses_tables) ||
      std::any_of(step.groups.begin(), step.groups.end(), uses_tables))
    elements->tables = initial.tables;
  NamedRows rows;
  rows.count = step.count;
  elements->observable_rows.push_back(std::move(rows));
  System<T> system(elements, Backend::interpreter);
  system.at({y.data(), nullptr, y.data() + 3 * initial.n, T(0)}).observables(values);
  return values;
}

// `entry` is one of the variable, counted from 0.
template <class T>
[[noreturn]] void refuse_value(const Model& model, const InitialValues<T>& given, SymbolId target,
                               const std::vector<std::int64_t>& shape, std::int64_t entry, const std::string& name) {
  ModelPoint point;
  point.t = static_cast<double>(given.t);
  point.q = doubles(given.q);
  point.s = doubles(given.s);
  throw refusal(model, assignment_text(model, model.initial, target, shape, entry), point,
                fmt::format("the initial value of '{}' is not a finite number", name));
}

template <class T>
std::optional<std::int64_t> first_not_finite(const std::vector<T>& values, std::int64_t first, std::int64_t count) {
  for (std::int64_t j = 0; j < count; ++j)
    if (!isfinite(values[first + j])) return j;
  return std::nullopt;
}

template <class T>
void check_finite(const Model& model, const InitialValues<T>& given) {
  const auto check = [&](const std::vector<T>& values, SymbolId target, const auto& of, const std::string& prefix,
                         const auto& name) {
    if (const auto j = first_not_finite(values, of.offset, of.size()))
      refuse_value(model, given, target, of.shape, *j, prefix + name(model, of.offset + *j));
  };
  for (const Coordinate& c : model.coordinates) check(given.q, c.q, c, "", entry_name);
  for (const Coordinate& c : model.coordinates) {
    const bool by_velocity = given.by_velocity[c.offset] != 0;
    by_velocity ? check(given.v, c.v, c, "v_", entry_name) : check(given.p, c.p, c, "p_", entry_name);
  }
  for (const State& state : model.states) check(given.s, state.symbol, state, "", state_entry_name);
}

}  // namespace

template <class T>
InitialValues<T> evaluate_initial(const Model& model) {
  const InitialElements initial = extract_initial(model);
  const auto n = static_cast<std::size_t>(initial.n), states = static_cast<std::size_t>(initial.states);
  // Entries that nothing assigns are not numbers.
  std::vector<T> y(3 * n + states, T(std::numeric_limits<double>::quiet_NaN()));
  for (const auto& step : initial.steps) {
    const std::vector<T> values = values_of(initial, step, y);
    for (std::int64_t k = 0; k < step.count; ++k) y[step.rows(k)] = values[k];
  }
  const auto part = [&](std::size_t first, std::size_t count) {
    return std::vector<T>(y.begin() + static_cast<std::ptrdiff_t>(first),
                          y.begin() + static_cast<std::ptrdiff_t>(first + count));
  };
  InitialValues<T> values{part(0, n),
                          part(n, n),
                          part(2 * n, n),
                          part(3 * n, states),
                          std::vector<char>(n, 0),
                          static_cast<T>(model.start)};
  std::unordered_set<SymbolId> targets;
  for (const Assignment& assignment : model.initial) targets.insert(assignment.target);
  for (const Coordinate& c : model.coordinates)
    if (targets.contains(c.v)) std::fill_n(values.by_velocity.begin() + c.offset, c.size(), char{1});
  check_finite(model, values);
  return values;
}

#define COTANGENT_FUNCTIONS(T) template InitialValues<T> evaluate_initial(const Model&);
COTANGENT_FOR_PRECISIONS(COTANGENT_FUNCTIONS)

}  // namespace cotangent
