#include <fmt/core.h>

#include <string_view>

#include "cotangent/base/limits.hpp"
#include "cotangent/model/language/resolver.hpp"
#include "cotangent/model/reading/sections.hpp"

namespace cotangent {
namespace {

const DocumentValue& system_section(const Reading& reading) {
  const DocumentValue* system = reading.section("system");
  if (!system)
    throw ModelError({reading.source, {0, 0}}, "the model has no [system]",
                     "write coordinates = [\"x\", \"y\"] and hamiltonian = \"...\" there, or states = [\"u\"]");
  check_keys(*system, kSystemKeys, kLaterSystemKeys, "[system]");
  return *system;
}

// What makes coordinates move: exactly one of hamiltonian and lagrangian.
const DocumentEntry& dynamics_entry(const DocumentValue& system) {
  const DocumentEntry* hamiltonian = system.find("hamiltonian");
  const DocumentEntry* lagrangian = system.find("lagrangian");
  if (hamiltonian && lagrangian)
    throw ModelError(lagrangian->key.whole(), "[system] has both a 'hamiltonian' and a 'lagrangian'",
                     "give one of them; the other follows");
  if (!hamiltonian && !lagrangian)
    throw ModelError(system.where, "[system] has neither a 'hamiltonian' nor a 'lagrangian'",
                     "write hamiltonian = \"p_x^2/2 + ...\" or lagrangian = \"v_x^2/2 - ...\"");
  return hamiltonian ? *hamiltonian : *lagrangian;
}

void read_alternative(Reading& reading, const DocumentEntry& entry) {
  auto& model = reading.model;
  if (model.dynamics != Dynamics::hamiltonian)
    throw ModelError(entry.key.whole(), "'hamiltonian_alternative' stands beside a 'hamiltonian', not a 'lagrangian'",
                     "state the system by its hamiltonian");
  const Excerpt& text = expect_string(entry.value, "'hamiltonian_alternative'");
  model.alternative = Resolver(reading.scope, parse_expression(text), kFor.hamiltonian).number();
  model.alternative_where = text.whole();
}

// "x", "x[N]" or "r[N, 3]".
State read_declaration(Reading& reading, const Syntax& syntax, std::string_view kind, std::int64_t offset) {
  const auto& root = syntax.root();
  const Location where = syntax.locate(root);
  if (root.kind != SyntaxKind::name && root.kind != SyntaxKind::entry)
    throw ModelError(where, fmt::format("'{}' does not declare a {}", syntax.excerpt().text(), kind),
                     fmt::format("a {} is written \"x\", \"x[N]\" or \"r[N, 3]\"", kind));
  State result{.name = syntax.text(root.name), .shape = {}, .symbol = 0, .offset = offset};
  if (root.children.size() > Graph::kMaxArity)
    throw ModelError(where, fmt::format("'{}' has {} indices; the limit is {}", result.name, root.children.size(),
                                        int{Graph::kMaxArity}));
  std::int64_t entries_left = kLimits.entries - offset;
  for (const SyntaxId child : root.children) {
    result.shape.push_back(resolve_integer(reading.scope, syntax, syntax.node(child), 1, kLimits.entries,
                                           fmt::format("size of '{}'", result.name)));
    entries_left /= result.shape.back();
  }
  if (entries_left == 0)
    throw ModelError(where, fmt::format("too many {}s; the limit is {} entries", kind, kLimits.entries));
  return result;
}

// sum of p v over all entries of a coordinate.
Expr momentum_times_velocity(Graph& graph, const Coordinate& c) {
  if (c.shape.empty()) return graph.symbol_expr(c.p) * graph.symbol_expr(c.v);
  std::vector<SymbolId> loops;
  std::vector<Expr> indices;
  for (std::size_t d = 0; d < c.shape.size(); ++d) {
    loops.push_back(graph.declare(fmt::format("i{}_hamiltonian", d + 1), SymbolKind::index));
    indices.push_back(graph.symbol_expr(loops.back()));
  }
  Expr sum = graph.entry(c.p, indices) * graph.entry(c.v, indices);
  for (std::size_t d = c.shape.size(); d-- > 0;)
    sum = graph.sum(loops[d], graph.constant(1), graph.constant(static_cast<Quad>(c.shape[d])), sum);
  return sum;
}

}  // namespace

void read_declarations(Reading& reading, const DocumentEntry& entry, std::string_view kind,
                       const std::function<void(const State&, const Location&)>& add) {
  const auto& list = entry.value;
  if (!list.is_list()) wrong_type(list, fmt::format("'{}'", entry.name()), "a list of strings");
  std::int64_t offset = 0;
  for (const auto& item : list.items()) {
    const Syntax syntax = parse_expression(expect_string(item, fmt::format("a {}", kind)));
    const State declared = read_declaration(reading, syntax, kind, offset);
    add(declared, syntax.locate(syntax.root()));
    offset += declared.size();
  }
}

void read_variables(Reading& reading) {
  const auto& system = system_section(reading);
  Model& model = reading.model;
  const DocumentEntry* coordinates = system.find("coordinates");
  const DocumentEntry* states = system.find("states");
  if (!coordinates && !states)
    throw ModelError(system.where, "[system] has no 'coordinates'",
                     "write coordinates = [\"x\", \"y\"], or states = [\"u\"] for an ordinary differential equation");
  if (coordinates)
    read_declarations(reading, *coordinates, "coordinate", [&](const State& each, const Location& where) {
      model.coordinates.push_back(reading.scope.declare_coordinate(each, where));
    });
  if (states)
    read_declarations(reading, *states, "state", [&](const State& each, const Location& where) {
      model.states.push_back(reading.scope.declare_variable(each, SymbolKind::state, where));
    });
  declare_rates_of_change(reading);
  if (!model.coordinates.empty()) return;
  if (model.states.empty())
    throw ModelError((coordinates ? coordinates : states)->value.where, "a system needs a coordinate or a state");
  model.dynamics = Dynamics::equations;
}

namespace {

// An ordinary differential equation has neither an energy nor anything else that belongs to coordinates.
void refuse_mechanics(const Reading& reading, const DocumentValue& system) {
  const auto refuse = [](const DocumentEntry* entry, const std::string& name, const char* advice) {
    if (entry)
      throw ModelError(entry->key.whole(), fmt::format("{} belongs to coordinates, and the system has none", name),
                       advice);
  };
  for (const char* key : {"hamiltonian", "hamiltonian_alternative", "lagrangian", "dissipation"})
    refuse(system.find(key), fmt::format("'{}'", key), "declare coordinates = [\"x\"], or leave it out");
  for (const char* section : {"constraints", "primary_constraints", "gauge"})
    refuse(reading.document.find(section), fmt::format("[{}]", section),
           "a quantity that the equations conserve is stated in [invariants]");
  refuse(reading.document.find("forces"), "[forces]", "write all terms into [equations]");
  refuse(reading.document.find("minimal"), "[minimal]", "leave it out");
}

}  // namespace

// The text is read once more, with indices that no loop around its use has. Of a Lagrangian H = p v - L.
void declare_hamiltonian(Reading& reading) {
  Scope& scope = reading.scope;
  if (scope.find("hamiltonian") || reading.model.dynamics == Dynamics::equations) return;
  const auto& entry = dynamics_entry(system_section(reading));
  const bool lagrangian = reading.model.dynamics == Dynamics::lagrangian;
  scope.set_definition("hamiltonian");
  Expr H =
      Resolver(scope, parse_expression(entry.value.string()), lagrangian ? kFor.lagrangian : kFor.hamiltonian).number();
  scope.set_definition({});
  if (lagrangian) {
    H = -H;
    for (const Coordinate& c : reading.model.coordinates) H = H + momentum_times_velocity(scope.graph(), c);
  }
  scope.redeclare("hamiltonian", {.kind = NameKind::definition, .value = Value(H)});
}

void read_dynamics(Reading& reading) {
  const auto& system = system_section(reading);
  if (reading.model.dynamics == Dynamics::equations) return refuse_mechanics(reading, system);
  const auto& entry = dynamics_entry(system);
  auto& model = reading.model;
  const bool lagrangian = entry.name() == "lagrangian";
  model.dynamics = lagrangian ? Dynamics::lagrangian : Dynamics::hamiltonian;
  const Excerpt& text = expect_string(entry.value, fmt::format("'{}'", entry.name()));
  model.energy =
      Resolver(reading.scope, parse_expression(text), lagrangian ? kFor.lagrangian : kFor.hamiltonian).number();
  model.energy_where = text.whole();
  if (const DocumentEntry* alternative = system.find("hamiltonian_alternative"))
    read_alternative(reading, *alternative);
  const DocumentEntry* dissipation = system.find("dissipation");
  if (!dissipation) return;
  model.dissipation = read_number(reading.scope, dissipation->value, kFor.dissipation, "'dissipation'");
  model.dissipation_where = dissipation->value.text_place();
}

}  // namespace cotangent
