#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <stdexcept>

#include "commands.hpp"
#include "cotangent/base/limits.hpp"
#include "cotangent/elements/driven.hpp"
#include "cotangent/formulation/formulation.hpp"
#include "cotangent/manifold/initial_data.hpp"
#include "cotangent/manifold/regular_elements.hpp"
#include "cotangent/model/reader.hpp"
#include "cotangent/monitor/discovery/redundancy.hpp"
#include "cotangent/monitor/discovery/symmetry.hpp"
#include "cotangent/monitor/reference/exact_solution.hpp"
#include "cotangent/output/json.hpp"
#include "cotangent/output/shapes.hpp"
#include "cotangent/run/models.hpp"
#include "cotangent/run/options/option_table.hpp"
#include "cotangent/run/options/plan_run.hpp"
#include "cotangent/simulation/certificate/changing_invariants.hpp"
#include "cotangent/simulation/pace/decimal.hpp"
#include "cotangent/simulation/start/alternative.hpp"
#include "cotangent/simulation/start/start.hpp"
#include "messages.hpp"

using namespace cotangent;

namespace {

using Words = std::vector<std::string>;

// A model as it was understood, for `check`: what the file states, and what follows from it.
struct Understanding {
  const Model& model;
  std::shared_ptr<const Elements> elements;
  Words notes;

  bool separable = false;                           ///< H = T(p) + V(q)
  bool is_driven = false;                           ///< H, a constraint, a force or a rate depends on the time
  Words forced;                                     ///< coordinates with forces in [forces]
  std::vector<RedundantConstraint> redundant = {};  ///< at the initial data and near them
  bool energy_is_kept = false;
  std::optional<double> alternative = {};  ///< how far hamiltonian_alternative is from H on the manifold
  Symmetries symmetries = {};

  /// Residuals of the initial data as given, and how far the projection moves them.
  double position = 0, momentum = 0;
  double position_change = 0, momentum_change = 0;
};

Words forced_coordinates(const Model& model) {
  Words names;
  for (const auto& c : model.coordinates)
    if (std::any_of(model.forces.begin(), model.forces.end(), [&](const auto& force) { return force.target == c.q; }))
      names.push_back(c.name);
  return names;
}

// Whether q = phi(s, t) keeps the constraints is no question for those who integrate q.
void examine_minimal(Understanding& result, Manifold<double>& manifold) {
  const auto& minimal = result.model.minimal;
  if (!minimal || minimal->dimension() > kLimits.minimal) return;
  try {
    static_cast<void>(find_formulation<double>("lagrange-2").make(manifold));
  } catch (const std::invalid_argument& refusal) {
    result.notes.push_back(fmt::format("the formulation 'lagrange-2' cannot be used: {}", refusal.what()));
  }
}

void examine_initial_data(Understanding& result) {
  System<double> system(result.elements, Backend::interpreter);
  Manifold<double> manifold(system);
  const auto start = make_start(result.model, manifold, InitialPolicy::project, result.notes);
  const auto given = make_initial_data(result.model, manifold, InitialPolicy::as_given);
  result.separable = system.is_separable();
  result.energy_is_kept = system.n() > 0 && !system.has_work();
  result.redundant = redundant_constraints(manifold, start.z);
  result.position_change = start.position_change;
  result.momentum_change = start.momentum_change;
  if (start.is_moved_far)
    result.notes.emplace_back(
        "the initial positions are moved as far as lengths of the system to meet the constraints: look whether the "
        "start is the one that was meant");
  examine_minimal(result, manifold);
  note_exact_mismatch(result.model, start.z, result.notes);
  if (system.m() == 0) return;
  result.position = manifold.position_residual(given.z.q.data(), given.z.t).value;
  result.momentum = manifold.momentum_residual(given.z).value;
}

// In extended precision: what is zero must differ from what is small.
void examine_symmetries(Understanding& result) {
  System<Quad> system(result.elements, Backend::interpreter);
  Manifold<Quad> manifold(system);
  const auto start = make_initial_data(result.model, manifold, InitialPolicy::project);
  result.symmetries = find_symmetries(result.model, manifold, start.z);
}

// n - rank G near the initial data.
std::int64_t degrees_of_freedom(const Understanding& u) {
  return u.elements->n - u.elements->m + static_cast<std::int64_t>(u.redundant.size());
}

// The variables that [exact] tells something about: "x", "p_r".
Words exact_names(const Model& model) {
  Words names;
  for (const auto& assignment : model.exact) {
    const std::string& name = model.graph->symbol(assignment.target).name;
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names;
}

// @throws ModelError for initial data that a run would refuse.
Understanding understand(const Model& model) {
  Understanding result{.model = model, .elements = nullptr, .notes = model.notes, .forced = forced_coordinates(model)};
  result.elements = regular_elements(model, result.notes);
  result.is_driven = is_driven(*result.elements);
  examine_initial_data(result);
  if (model.dynamics != Dynamics::equations) examine_symmetries(result);
  for (const RedundantConstraint& dependent : dependent_invariants(model, result.elements))
    result.notes.push_back("invariants depend on each other at the initial data: " + describe(dependent));
  for (const ChangingInvariant& invariant : changing_invariants(model, result.elements))
    result.notes.push_back(describe(invariant));
  if (model.alternative.valid()) result.alternative = check_alternative(model).energy;
  return result;
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

std::string table_of(const Understanding& u) {
  const Model& model = u.model;
  const Elements& elements = *u.elements;
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
  for (const auto& parameter : model.parameters)
    parameter.shape.empty()
        ? numbers.push_back(fmt::format("{} = {:g}", parameter.name, static_cast<double>(parameter.value)))
        : tables.push_back(with_shape(parameter.name, parameter.shape));
  row("parameters", numbers.empty() ? "none" : fmt::format("{}", fmt::join(numbers, ", ")));
  list("tables", tables);
  const bool is_mechanical = model.dynamics != Dynamics::equations;
  if (is_mechanical)
    row("coordinates", fmt::format("{} (n = {})", fmt::join(with_shapes(model.coordinates), ", "), elements.n));
  list("states", with_shapes(model.states));
  if (is_mechanical)
    row("constraints",
        elements.m == 0 ? "none" : fmt::format("{} (m = {})", fmt::join(with_counts(elements.rows), ", "), elements.m));
  for (std::size_t k = 0; k < u.redundant.size(); ++k) row(k == 0 ? "redundant" : "", describe(u.redundant[k]));
  if (model.minimal)
    row("minimal coordinates",
        fmt::format("{} ({})", fmt::join(with_shapes(model.minimal->coordinates), ", "), model.minimal->dimension()));
  row(is_mechanical ? "degrees of freedom" : "dimension",
      std::to_string(is_mechanical ? degrees_of_freedom(u) : elements.states));
  if (!u.forced.empty()) row("forces", fmt::format("on {}", fmt::join(u.forced, ", ")));
  if (model.dissipation.valid()) row("dissipation", "by Rayleigh's function");
  row("time", u.is_driven ? "enters explicitly" : "does not enter");
  list("observables", with_counts(elements.observable_rows));
  list("invariants", with_counts(elements.invariant_rows));
  list("exact solution", exact_names(model));
  const char* title = "conserved";
  const auto conserved = [&](const std::string& what) {
    row(title, what);
    title = "";
  };
  if (u.energy_is_kept) conserved("energy");
  for (const auto& momentum : u.symmetries.momenta)
    conserved(fmt::format("{}: {}{}", momentum.name, momentum.expression,
                          momentum.is_local ? " (near the initial data)" : ""));
  if (!u.symmetries.momenta.empty()) conserved("(a run watches momenta with --monitor symmetries)");
  if (!is_mechanical) {
    // Of equations nothing is known to be conserved but what they are said to conserve.
  } else if (!u.symmetries.were_sought) {
    conserved("(momenta were not sought: the system is too large, or no points near its start were found)");
  } else if (!u.energy_is_kept && u.symmetries.momenta.empty()) {
    conserved("neither energy nor momenta");
  }
  if (elements.m > 0) row("initial data", initial_data(u));
  if (!u.notes.empty()) text += "\n";
  for (const auto& note : u.notes) text += fmt::format("  note: {}\n", note);
  return text;
}

using Members = std::vector<std::pair<std::string, Json>>;

Json list_of(const Words& words) { return Json::list({words.begin(), words.end()}); }

Json value_of(const Parameter& parameter) {
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

Json redundant(const RedundantConstraint& constraint) {
  return Json::object({{"constraint", constraint.name}, {"follows_from", list_of(constraint.follows_from)}});
}

const char* kind_word(Dynamics dynamics) {
  static constexpr const char* words[] = {"hamiltonian", "lagrangian", "equations"};  // in the order of Dynamics
  return words[static_cast<std::size_t>(dynamics)];
}

std::string json_of(const Understanding& u) {
  const Model& model = u.model;
  const Elements& elements = *u.elements;
  std::optional<Json> alternative, minimal;
  if (u.alternative) alternative = Json::object({{"energy_difference", *u.alternative}});
  if (model.minimal) minimal = shapes_of(model.minimal->coordinates);
  const bool is_mechanical = model.dynamics != Dynamics::equations;
  const auto of_mechanics = [&](const auto& value) {
    return is_mechanical ? std::optional<Json>(value) : std::nullopt;
  };
  const Json json = Json::object({{"model", model.name},
                                  {"title", model.title},
                                  {"kind", kind_word(model.dynamics)},
                                  {"separable", of_mechanics(u.separable)},
                                  {"alternative", alternative},
                                  {"parameters", by_name(model.parameters, value_of)},
                                  {"coordinates", shapes_of(model.coordinates)},
                                  {"dimension", is_mechanical ? elements.n : elements.states},
                                  {"states", shapes_of(model.states)},
                                  {"constraints", counts_of(elements.rows)},
                                  {"constraint_count", elements.m},
                                  {"redundant", Json::long_list(Json::each(u.redundant, redundant))},
                                  {"minimal_coordinates", minimal},
                                  {"degrees_of_freedom", of_mechanics(degrees_of_freedom(u))},
                                  {"forces", list_of(u.forced)},
                                  {"dissipation", model.dissipation.valid()},
                                  {"time_dependent", u.is_driven},
                                  {"observables", counts_of(elements.observable_rows)},
                                  {"invariants", counts_of(elements.invariant_rows)},
                                  {"exact", list_of(exact_names(model))},
                                  {"conserved", conserved(u)},
                                  {"momenta_sought", of_mechanics(u.symmetries.were_sought)},
                                  {"initial", Json::object({{"position", u.position},
                                                            {"momentum", u.momentum},
                                                            {"position_change", u.position_change},
                                                            {"momentum_change", u.momentum_change}})},
                                  {"notes", Json::long_list({u.notes.begin(), u.notes.end()})}});
  return json.text() + "\n";
}

}  // namespace

int check(const CheckRequest& request) {
  Model model = load_model(find_model(request.model), request.set);
  RunWords words(flag);
  const RunPlan plan = plan_run(words, model, model.notes);
  model.start = decimal<Quad>(plan.start);
  // A model may leave the step and the end to the command line.
  if (plan.step && plan.end) check_plan(plan, words);
  const Understanding understanding = understand(model);
  print(request.json ? json_of(understanding) : table_of(understanding));
  return kDone;
}
