#include <fmt/core.h>

#include <array>
#include <string_view>
#include <utility>

#include "cotangent/model/declarations.hpp"
#include "cotangent/model/resolve.hpp"

namespace cotangent {
namespace {

constexpr std::array<std::string_view, 6> kKeys{"coordinates", "states",     "hamiltonian", "hamiltonian_alternative",
                                                "lagrangian",  "dissipation"};
constexpr std::array<std::string_view, 1> kLaterKeys{"algebraic"};

const DocumentValue& system_section(const Reading& reading) {
  const DocumentValue* system = reading.section("system");
  if (!system)
    throw ModelError({reading.source, {0, 0}}, "the model has no [system]",
                     "write coordinates = [\"x\", \"y\"] and hamiltonian = \"...\" there");
  check_keys(*system, kKeys, kLaterKeys, "[system]");
  return *system;
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

void read_alternative(Reading& reading, const DocumentEntry& entry) {
  auto& model = reading.model;
  if (model.dynamics != Dynamics::hamiltonian)
    throw ModelError(entry.key.whole(), "'hamiltonian_alternative' stands beside a 'hamiltonian', not a 'lagrangian'",
                     "state the system by its hamiltonian");
  const Excerpt& text = expect_string(entry.value, "'hamiltonian_alternative'");
  model.alternative = resolve_expression(reading.scope, parse_expression(text), kFor.hamiltonian);
  model.alternative_where = text.whole();
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
  read_declarations(reading, *coordinates, "coordinate", [&](Declaration each) {
    reading.model.coordinates.push_back(reading.scope.declare_coordinate(each.name, std::move(each.shape), each.where));
    reading.model.coordinates.back().offset = each.offset;
  });
  if (reading.model.coordinates.empty())
    throw ModelError(coordinates->value.where, "a system needs at least one coordinate");
  if (!states) return;
  read_declarations(reading, *states, "state", [&](Declaration each) {
    reading.model.states.push_back(reading.scope.declare_state(each.name, std::move(each.shape), each.where));
    reading.model.states.back().offset = each.offset;
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
      resolve_expression(reading.scope, parse_expression(text), lagrangian ? kFor.lagrangian : kFor.hamiltonian);
  model.energy_where = text.whole();
  if (const DocumentEntry* alternative = system.find("hamiltonian_alternative"))
    read_alternative(reading, *alternative);
  const DocumentEntry* dissipation = system.find("dissipation");
  if (!dissipation) return;
  model.dissipation = read_number(reading.scope, dissipation->value, kFor.dissipation, "'dissipation'");
  model.dissipation_where = dissipation->value.text_place();
}

}  // namespace cotangent
