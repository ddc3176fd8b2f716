#include <fmt/core.h>

#include <functional>
#include <utility>

#include "cotangent/model/reading/assignments.hpp"

/// Sections that give each entry of their targets at most one value: [forces], [equations], [exact], [minimal].
namespace cotangent {
namespace {

using P = Purposes;

constexpr AssignmentRules kForces{"force", "forces", "coordinates", P::q, kFor.force};
constexpr AssignmentRules kEquations{"equation", "equations", "states", P::u, kFor.equation};
constexpr AssignmentRules kExact{"exact solution", "exact", "coordinates, momenta and states", P::q | P::p | P::u,
                                 kFor.exact};
constexpr AssignmentRules kPhi{"value", "minimal", "the coordinates of [system]", P::q, kFor.minimal};
constexpr AssignmentRules kGuesses{"guess", "minimal.guess", "minimal coordinates", P::s, kFor.guess};

/// Called with a target and the name of its first entry without a value, the name of the target if none has one.
using OnMissing = std::function<void(const std::string& target, const std::string& entry)>;

std::vector<Assignment> read_once(Reading& reading, std::span<const Statement> statements, const AssignmentRules& rules,
                                  const OnMissing& on_missing = {}) {
  const Model& model = reading.model;
  auto assignments = read_assignments(reading, statements, rules);
  const AssignedEntries assigned(assignments, reading.scope.parameters());
  const auto check = [&](SymbolId target, const std::vector<std::int64_t>& shape) {
    const Symbol& symbol = model.graph->symbol(target);
    if ((rules.kinds & kinds_of(kind_of(symbol))) == 0) return;
    const auto [repeated, missing] = assigned.coverage(target, shape);
    if (repeated)
      throw ModelError(assignments[repeated->second].where,
                       fmt::format("'{}' has a second {} here", entry_text(symbol.name, repeated->first), rules.what),
                       "terms are added up in one expression");
    if (missing && on_missing)
      on_missing(symbol.name, assigned.any_of(target) ? entry_text(symbol.name, *missing) : symbol.name);
  };
  for (const auto& c : model.coordinates)
    for (const SymbolId target : {c.q, c.p}) check(target, c.shape);
  for (const auto& state : model.states) check(state.symbol, state.shape);
  if (model.minimal)
    for (const auto& s : model.minimal->coordinates) check(s.symbol, s.shape);
  return assignments;
}

// [minimal] and its guesses have a value for every entry.
OnMissing refuse_missing(const AssignmentRules& rules, const Location& where) {
  return [&rules, where](const std::string&, const std::string& entry) {
    throw ModelError(where, fmt::format("'{}' has no {} in [{}]", entry, rules.what, rules.section),
                     fmt::format("[{}] has one for every entry of {}", rules.section, rules.targets));
  };
}

}  // namespace

void read_forces(Reading& reading) {
  reading.model.forces = read_once(reading, read_statements(reading, reading.entries("forces"), kForces), kForces);
}

void read_equations(Reading& reading) {
  const auto entries = reading.entries("equations");
  for (const auto& entry : entries)
    if (entry.name().ends_with("'")) not_yet(entry.key.whole(), "equations with second derivatives are");
  reading.model.rates = read_once(
      reading, read_statements(reading, entries, kEquations), kEquations,
      [&](const std::string& state, const std::string& entry) {
        throw ModelError(reading.scope.find(state)->where, fmt::format("the state '{}' has no equation", entry),
                         fmt::format("add {0} = \"...\" to [equations]; it means {0}' = ...", state));
      });
}

void read_exact(Reading& reading) {
  reading.model.exact = read_once(reading, read_statements(reading, reading.entries("exact"), kExact), kExact);
}

void declare_minimal(Reading& reading) {
  const DocumentValue* section = reading.section("minimal");
  if (!section) return;
  const DocumentEntry* coordinates = section->find("coordinates");
  if (!coordinates)
    throw ModelError(section->where, "[minimal] has no 'coordinates'", "write coordinates = [\"a\"] for an angle a");
  for (const std::string reserved : {"coordinates", "guess"})
    if (const Named* named = reading.scope.find(reserved); named && named->kind == NameKind::coordinate)
      throw ModelError(named->where, fmt::format("a coordinate called '{}' cannot be given in [minimal]", reserved),
                       fmt::format("'{}' is a key of [minimal]: give the coordinate another name", reserved));
  Minimal minimal;
  minimal.where = section->where;
  read_declarations(reading, *coordinates, "minimal coordinate", [&](const State& each, const Location& where) {
    minimal.coordinates.push_back(reading.scope.declare_variable(each, SymbolKind::minimal, where));
  });
  if (minimal.coordinates.empty())
    throw ModelError(coordinates->value.where, "[minimal] needs at least one coordinate");
  if (minimal.dimension() > reading.model.dimension())
    throw ModelError(coordinates->value.where, fmt::format("{} minimal coordinates are more than the {} of [system]",
                                                           minimal.dimension(), reading.model.dimension()));
  reading.model.minimal = std::move(minimal);
}

void read_minimal(Reading& reading) {
  if (!reading.model.minimal) return;
  Minimal& minimal = *reading.model.minimal;
  // All other keys are coordinates of [system].
  std::vector<Statement> statements;
  for (const auto& [key, value] : reading.entries("minimal"))
    if (key.text() != "coordinates" && key.text() != "guess")
      statements.push_back(read_statement(reading, key, value, kPhi));
  minimal.phi = read_once(reading, statements, kPhi, refuse_missing(kPhi, minimal.where));
  const DocumentEntry* guess = reading.section("minimal")->find("guess");
  if (!guess) return;
  if (!guess->value.is_table())
    wrong_type(guess->value, "'guess'", "a table { a = \"...\" } with all minimal coordinates");
  minimal.guess = read_once(reading, read_statements(reading, guess->value.entries(), kGuesses), kGuesses,
                            refuse_missing(kGuesses, guess->key.whole()));
}

}  // namespace cotangent
