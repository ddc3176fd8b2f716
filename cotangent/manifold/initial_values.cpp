#include "cotangent/manifold/initial_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <stdexcept>

#include "cotangent/elements/elements.hpp"
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
  Frame<T> frame = system.frame();
  frame.in[in::q] = y.data();
  frame.in[in::s] = y.data() + 3 * initial.n;
  frame.out[out::result] = values.data();
  system.observables()(frame);
  return values;
}

template <class T>
void check_finite(const Model& model, const InitialValues<T>& given) {
  const auto check = [](const T& value, const std::string& name) {
    if (!isfinite(value))
      throw std::invalid_argument(fmt::format("the initial value of '{}' is not a finite number", name));
  };
  for (std::size_t j = 0; j < given.q.size(); ++j) check(given.q[j], entry_name(model, static_cast<std::int64_t>(j)));
  for (std::size_t j = 0; j < given.q.size(); ++j) {
    const std::string name = entry_name(model, static_cast<std::int64_t>(j));
    given.by_velocity[j] ? check(given.v[j], "v_" + name) : check(given.p[j], "p_" + name);
  }
  for (std::size_t k = 0; k < given.s.size(); ++k)
    check(given.s[k], state_entry_name(model, static_cast<std::int64_t>(k)));
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
    for (std::int64_t k = 0; k < step.count; ++k)
      y[static_cast<std::size_t>(step.rows(k))] = values[static_cast<std::size_t>(k)];
  }
  const auto part = [&](std::size_t first, std::size_t count) {
    return std::vector<T>(y.begin() + static_cast<std::ptrdiff_t>(first),
                          y.begin() + static_cast<std::ptrdiff_t>(first + count));
  };
  InitialValues<T> values{part(0, n), part(n, n), part(2 * n, n), part(3 * n, states), std::vector<char>(n, 0)};
  for (const Coordinate& c : model.coordinates) {
    const auto is_velocity = [&](const Assignment& a) { return a.target == c.v; };
    if (std::any_of(model.initial.begin(), model.initial.end(), is_velocity))
      std::fill_n(values.by_velocity.begin() + c.offset, c.size(), char{1});
  }
  check_finite(model, values);
  return values;
}

template InitialValues<double> evaluate_initial(const Model&);
template InitialValues<long double> evaluate_initial(const Model&);
template InitialValues<Quad> evaluate_initial(const Model&);

}  // namespace cotangent
