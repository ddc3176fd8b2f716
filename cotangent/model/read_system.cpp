#include <fmt/core.h>

#include <array>
#include <string_view>
#include <utility>

#include "cotangent/model/resolve.hpp"
#include "cotangent/model/sections.hpp"

namespace cotangent {
namespace {

constexpr std::array<std::string_view, 5> kKeys{"coordinates", "states", "hamiltonian", "lagrangian", "dissipation"};
constexpr std::array<std::string_view, 2> kLaterKeys{"algebraic", "hamiltonian_alternative"};

const DocumentValue& system_section(const Reading& reading) {
  const DocumentValue* system = reading.section("system");
  if (!system)
    throw ModelError({reading.source, {0, 0}}, "the model has no [system]",
                     "write coordinates = [\"x\", \"y\"] and hamiltonian = \"...\" there");
  check_keys(*system, kKeys, kLaterKeys, "[system]");
  return *system;
}

struct Declaration {
  std::string name;
  std::vector<std::int64_t> shape;
  Location where;
};

// "x", "x[N]" or "r[N, 3]".
Declaration read_declaration(Reading& reading, const Excerpt& text, std::string_view kind, std::int64_t entries_left) {
  const Syntax syntax = parse_expression(text);
  const auto& root = syntax.root();
  if (root.kind != SyntaxKind::name && root.kind != SyntaxKind::entry)
    throw ModelError(syntax.locate(root), fmt::format("'{}' does not declare a {}", text.text(), kind),
                     fmt::format("a {} is written \"x\", \"x[N]\" or \"r[N, 3]\"", kind));
  Declaration result{syntax.text(root.name), {}, syntax.locate(root)};
  if (root.children.size() > Graph::kMaxArity)
    throw ModelError(result.where, fmt::format("'{}' has {} indices; the limit is {}", result.name,
                                               root.children.size(), int{Graph::kMaxArity}));
  for (const SyntaxId child : root.children) {
    const auto& node = syntax.node(child);
    const Quad size = resolve_number(reading.scope, syntax, node, kForIndex);
    result.shape.push_back(
        to_integer(size, 1, kMaxEntries, fmt::format("size of '{}'", result.name), syntax.locate(node)));
    entries_left /= result.shape.back();
  }
  if (entries_left == 0)
    throw ModelError(result.where, fmt::format("too many {}s; the limit is {} entries", kind, kMaxEntries));
  return result;
}

// A list of declarations; `add` makes a variable of each.
template <class Variable, class Add>
void read_list(Reading& reading, const DocumentEntry& entry, std::string_view kind, std::vector<Variable>& variables,
               const Add& add) {
  const auto& list = entry.value;
  if (!list.is_list()) wrong_type(list, fmt::format("'{}'", entry.name()), "a list of strings");
  std::int64_t offset = 0;
  for (const auto& item : list.items()) {
    const auto& text = expect_string(item, fmt::format("a {}", kind));
    auto [name, shape, where] = read_declaration(reading, text, kind, kMaxEntries - offset);
    variables.push_back(add(name, std::move(shape), where));
    variables.back().offset = offset;
    offset += variables.back().size();
  }
}

// What makes the system move: exactly one of hamiltonian and lagrangian.
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

}  // namespace

std::span<const std::string_view> system_keys() { return kKeys; }
std::span<const std::string_view> later_system_keys() { return kLaterKeys; }

void read_variables(Reading& reading) {
  const auto& system = system_section(reading);
  const DocumentEntry* coordinates = system.find("coordinates");
  const DocumentEntry* states = system.find("states");
  const bool only_states =
      states && (!coordinates || (coordinates->value.is_list() && coordinates->value.items().empty()));
  if (only_states)
    not_yet(states->key.whole(), "'states' without 'coordinates' (an ordinary differential equation) are");
  if (!coordinates)
    throw ModelError(system.where, "[system] has no 'coordinates'", "write coordinates = [\"x\", \"y\"]");
  read_list(reading, *coordinates, "coordinate", reading.model.coordinates,
            [&](const std::string& name, std::vector<std::int64_t> shape, const Location& where) {
              return reading.scope.declare_coordinate(name, std::move(shape), where);
            });
  if (reading.model.coordinates.empty())
    throw ModelError(coordinates->value.where, "a system needs at least one coordinate");
  if (!states) return;
  read_list(reading, *states, "state", reading.model.states,
            [&](const std::string& name, std::vector<std::int64_t> shape, const Location& where) {
              return reading.scope.declare_state(name, std::move(shape), where);
            });
}

void read_dynamics(Reading& reading) {
  const auto& system = system_section(reading);
  const auto& entry = dynamics_entry(system);
  auto& model = reading.model;
  const bool lagrangian = entry.name() == "lagrangian";
  model.dynamics = lagrangian ? Dynamics::lagrangian : Dynamics::hamiltonian;
  const Excerpt& text = expect_string(entry.value, fmt::format("'{}'", entry.name()));
  model.energy =
      resolve_expression(reading.scope, parse_expression(text), lagrangian ? kForLagrangian : kForHamiltonian);
  model.energy_where = text.whole();
  const DocumentEntry* dissipation = system.find("dissipation");
  if (!dissipation) return;
  model.dissipation = read_number(reading.scope, dissipation->value, kForDissipation, "'dissipation'");
  model.dissipation_where = dissipation->value.text_place();
}

}  // namespace cotangent
