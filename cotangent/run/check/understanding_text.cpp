#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cotangent/output/json.hpp"
#include "cotangent/output/shapes.hpp"
#include "cotangent/run/check/understanding.hpp"

namespace cotangent {
namespace {

using Words = std::vector<std::string>;

// The variables that [exact] tells something about: "x", "p_r".
Words exact_names(const Model& model) {
  Words names;
  for (const auto& assignment : model.exact) {
    const std::string& name = model.graph->symbol(assignment.target).name;
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names;
}

std::string with_shape(const std::string& name, const std::vector<std::int64_t>& shape) {
  return shape.empty() ? name : fmt::format("{}[{}]", name, fmt::join(shape, ","));
}

template <class Variables>
Words with_shapes(const Variables& variables) {
  Words words;
  for (const auto& variable : variables) words.push_back(with_shape(variable.name, variable.shape));
  return words;
}

// "rod (6), anchor": how many numbers each stands for.
Words with_counts(const std::vector<NamedRows>& all) {
  Words words;
  for (const auto& rows : all)
    words.push_back(!rows.is_indexed() ? rows.name : fmt::format("{} ({})", rows.name, rows.count));
  return words;
}

std::string kind(const Understanding& u) {
  if (u.model.dynamics == Dynamics::equations) return "ordinary differential equations";
  const bool is_lagrangian = u.model.dynamics == Dynamics::lagrangian;
  std::string text = is_lagrangian ? "Lagrangian" : "Hamiltonian";
  text += u.separable ? ", separable: H = T(p) + V(q)" : ", not separable";
  return text;
}

std::string initial_data(const Understanding& u) {
  const bool moved = u.position_change > 0 || u.momentum_change > 0;
  return fmt::format("max |g| = {:.3g}, max |G H_p| = {:.3g}{}", u.position, u.momentum,
                     moved ? fmt::format("; projection moves them by max |dq| = {:.3g}, max |dp| = {:.3g}",
                                         u.position_change, u.momentum_change)
                           : std::string(": consistent"));
}

using Members = std::vector<std::pair<std::string, Json>>;

Json list_of(const Words& words) { return Json::list({words.begin(), words.end()}); }

Json numbers_of(const Parameter& parameter) {
  if (parameter.shape.empty()) return parameter.value;
  std::vector<Quad> numbers;
  for (const std::int64_t entry : entries_in_reading_order(parameter.shape, 0))
    numbers.push_back(parameter.table[static_cast<std::size_t>(entry)]);
  return Json::nested<Quad>(numbers, parameter.shape);
}

// An object with a member for each, under its name.
template <class Items, class F>
Json by_name(const Items& items, const F& value) {
  Members members;
  for (const auto& item : items) members.emplace_back(item.name, value(item));
  return Json::object(members);
}

// Those that a user has named: lists of initial values are tables, too (read_initial.cpp), whose names have blanks.
std::vector<Parameter> named_parameters(const Model& model) {
  std::vector<Parameter> named;
  for (const Parameter& parameter : model.parameters)
    if (parameter.name.find(' ') == parameter.name.npos) named.push_back(parameter);
  return named;
}

template <class Variables>
Json shapes_of(const Variables& variables) {
  return by_name(variables, [](const auto& x) { return Json::list({x.shape.begin(), x.shape.end()}); });
}

Json counts_of(const std::vector<NamedRows>& all) {
  return by_name(all, [](const NamedRows& rows) { return rows.count; });
}

Json conserved(const Understanding& u) {
  std::vector<Json> all;
  if (u.energy_is_kept) all.push_back(Json::object({{"name", "energy"}}));
  for (const auto& momentum : u.symmetries.momenta)
    all.push_back(Json::object(
        {{"name", momentum.name}, {"expression", momentum.expression}, {"near_initial_data", momentum.is_local}}));
  return Json::long_list(all);
}

Json json_of(const RedundantConstraint& constraint) {
  return Json::object({{"constraint", constraint.name}, {"follows_from", list_of(constraint.follows_from)}});
}

const char* kind_word(Dynamics dynamics) {
  static constexpr const char* words[] = {"hamiltonian", "lagrangian", "equations"};  // in the order of Dynamics
  return words[static_cast<std::size_t>(dynamics)];
}

}  // namespace

std::string Understanding::table() const {
  const Understanding& u = *this;
  const Elements& system = *elements;
  std::string text = fmt::format("{}\n\n", model.title.empty() ? model.name : model.title);
  const auto row = [&](std::string_view name, std::string_view value) {
    text += fmt::format("  {:<20}{}\n", name, value);
  };
  const auto list = [&](std::string_view name, const Words& words) {
    if (!words.empty()) row(name, fmt::format("{}", fmt::join(words, ", ")));
  };

  row("stated as", kind(u));
  if (u.alternative)
    row("alternative H", fmt::format("the same on the constraint manifold, but for {:.1g}", *u.alternative));
  Words numbers, tables;
  for (const auto& parameter : named_parameters(model))
    parameter.shape.empty()
        ? numbers.push_back(fmt::format("{} = {:g}", parameter.name, static_cast<double>(parameter.value)))
        : tables.push_back(with_shape(parameter.name, parameter.shape));
  row("parameters", numbers.empty() ? "none" : fmt::format("{}", fmt::join(numbers, ", ")));
  list("tables", tables);
  const bool is_mechanical = model.dynamics != Dynamics::equations;
  if (is_mechanical)
    row("coordinates", fmt::format("{} (n = {})", fmt::join(with_shapes(model.coordinates), ", "), system.n));
  list("states", with_shapes(model.states));
  if (is_mechanical)
    row("constraints",
        system.m == 0 ? "none" : fmt::format("{} (m = {})", fmt::join(with_counts(system.rows), ", "), system.m));
  for (std::size_t k = 0; k < u.redundant.size(); ++k) row(k == 0 ? "redundant" : "", describe(u.redundant[k]));
  if (model.minimal)
    row("minimal coordinates",
        fmt::format("{} ({})", fmt::join(with_shapes(model.minimal->coordinates), ", "), model.minimal->dimension()));
  row(is_mechanical ? "degrees of freedom" : "dimension",
      std::to_string(is_mechanical ? degrees_of_freedom() : system.states));
  if (!u.forced.empty()) row("forces", fmt::format("on {}", fmt::join(u.forced, ", ")));
  if (model.dissipation.valid()) row("dissipation", "by Rayleigh's function");
  row("time", u.is_driven ? "enters explicitly" : "does not enter");
  list("observables", with_counts(system.observable_rows));
  list("invariants", with_counts(system.invariant_rows));
  list("exact solution", exact_names(model));
  const char* heading = "conserved";
  const auto conserved = [&](const std::string& what) {
    row(heading, what);
    heading = "";
  };
  if (u.energy_is_kept) conserved("energy");
  for (const auto& found : u.symmetries.momenta)
    conserved(fmt::format("{}: {}{}", found.name, found.expression, found.is_local ? " (near the initial data)" : ""));
  if (!u.symmetries.momenta.empty()) conserved("(a run watches momenta with `monitor = symmetries`)");
  if (!is_mechanical) {
    // Of equations nothing is known to be conserved but what they are said to conserve.
  } else if (!u.symmetries.were_sought) {
    conserved("(momenta were not sought: the system is too large, or no points near its start were found)");
  } else if (!u.energy_is_kept && u.symmetries.momenta.empty()) {
    conserved("neither energy nor momenta");
  }
  if (system.m > 0) row("initial data", initial_data(u));
  if (!u.notes.empty()) text += "\n";
  for (const auto& note : u.notes) text += fmt::format("  note: {}\n", note);
  return text;
}

std::string Understanding::json() const {
  const Understanding& u = *this;
  const Elements& system = *elements;
  std::optional<Json> other, minimal;
  if (u.alternative) other = Json::object({{"energy_difference", *u.alternative}});
  if (model.minimal) minimal = shapes_of(model.minimal->coordinates);
  const bool is_mechanical = model.dynamics != Dynamics::equations;
  const auto of_mechanics = [&](const auto& value) {
    return is_mechanical ? std::optional<Json>(value) : std::nullopt;
  };
  const Json all = Json::object({{"model", model.name},
                                 {"title", model.title},
                                 {"kind", kind_word(model.dynamics)},
                                 {"separable", of_mechanics(u.separable)},
                                 {"alternative", other},
                                 {"parameters", by_name(named_parameters(model), numbers_of)},
                                 {"coordinates", shapes_of(model.coordinates)},
                                 {"dimension", is_mechanical ? system.n : system.states},
                                 {"states", shapes_of(model.states)},
                                 {"constraints", counts_of(system.rows)},
                                 {"constraint_count", system.m},
                                 {"redundant", Json::long_list(Json::each(u.redundant, json_of))},
                                 {"minimal_coordinates", minimal},
                                 {"degrees_of_freedom", of_mechanics(degrees_of_freedom())},
                                 {"forces", list_of(u.forced)},
                                 {"dissipation", model.dissipation.valid()},
                                 {"time_dependent", u.is_driven},
                                 {"observables", counts_of(system.observable_rows)},
                                 {"invariants", counts_of(system.invariant_rows)},
                                 {"exact", list_of(exact_names(model))},
                                 {"conserved", conserved(u)},
                                 {"momenta_sought", of_mechanics(u.symmetries.were_sought)},
                                 {"initial", Json::object({{"position", u.position},
                                                           {"momentum", u.momentum},
                                                           {"position_change", u.position_change},
                                                           {"momentum_change", u.momentum_change}})},
                                 {"notes", Json::long_list({u.notes.begin(), u.notes.end()})}});
  return all.text() + "\n";
}

}  // namespace cotangent
