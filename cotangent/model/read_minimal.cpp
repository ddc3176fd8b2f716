#include <fmt/core.h>

#include <array>
#include <utility>

#include "cotangent/model/assignments.hpp"
#include "cotangent/model/declarations.hpp"

namespace cotangent {
namespace {

// Keys of [minimal]; all others are coordinates of [system].
constexpr std::string_view kCoordinates = "coordinates", kGuess = "guess";

constexpr std::array kPhiTargets{NameKind::coordinate};
constexpr AssignmentRules kPhi{"value", "minimal", "the coordinates of [system]", kPhiTargets, kFor.minimal};

constexpr std::array kGuessTargets{NameKind::minimal};
constexpr AssignmentRules kGuesses{"guess", "minimal.guess", "minimal coordinates", kGuessTargets, kFor.guess};

// Every entry exactly once.
void check_complete(const Reading& reading, const std::vector<Assignment>& assignments, const AssignedEntries& assigned,
                    SymbolId target, const std::vector<std::int64_t>& shape, const Location& where,
                    const AssignmentRules& rules) {
  const std::string& name = reading.model.graph->symbol(target).name;
  check_not_repeated(assignments, assigned, target, name, shape, rules);
  const auto missing = assigned.first_missing(target, shape);
  if (!missing) return;
  throw ModelError(where,
                   fmt::format("'{}' has no {} in [{}]", assigned.any_of(target) ? entry_text(name, *missing) : name,
                               rules.what, rules.section),
                   fmt::format("[{}] has one for every entry of {}", rules.section, rules.targets));
}

std::vector<Assignment> read_phi(Reading& reading, const Location& where) {
  std::vector<Statement> statements;
  for (const auto& [key, value] : reading.entries("minimal"))
    if (key.text() != kCoordinates && key.text() != kGuess)
      statements.push_back(read_statement(reading, key, value, kPhi));
  auto phi = read_assignments(reading, statements, kPhi);
  const AssignedEntries assigned(phi, reading.scope.parameters());
  for (const auto& c : reading.model.coordinates) check_complete(reading, phi, assigned, c.q, c.shape, where, kPhi);
  return phi;
}

std::vector<Assignment> read_guess(Reading& reading, const DocumentEntry& entry,
                                   const std::vector<State>& coordinates) {
  if (!entry.value.is_table())
    wrong_type(entry.value, "'guess'", "a table { a = \"...\" } with all minimal coordinates");
  std::vector<Statement> statements;
  for (const auto& [key, value] : entry.value.entries())
    statements.push_back(read_statement(reading, key, value, kGuesses));
  auto guess = read_assignments(reading, statements, kGuesses);
  const AssignedEntries assigned(guess, reading.scope.parameters());
  for (const auto& s : coordinates)
    check_complete(reading, guess, assigned, s.symbol, s.shape, entry.key.whole(), kGuesses);
  return guess;
}

}  // namespace

void declare_minimal(Reading& reading) {
  const DocumentValue* section = reading.section("minimal");
  if (!section) return;
  const DocumentEntry* coordinates = section->find(kCoordinates);
  if (!coordinates)
    throw ModelError(section->where, "[minimal] has no 'coordinates'", "write coordinates = [\"a\"] for an angle a");
  for (const auto reserved : {kCoordinates, kGuess})
    if (const Named* named = reading.scope.find(std::string(reserved)); named && named->kind == NameKind::coordinate)
      throw ModelError(named->where, fmt::format("a coordinate called '{}' cannot be given in [minimal]", reserved),
                       fmt::format("'{}' is a key of [minimal]: give the coordinate another name", reserved));
  Minimal minimal;
  minimal.where = section->where;
  read_declarations(reading, *coordinates, "minimal coordinate", [&](Declaration each) {
    minimal.coordinates.push_back(reading.scope.declare_minimal(each.name, std::move(each.shape), each.where));
    minimal.coordinates.back().offset = each.offset;
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
  minimal.phi = read_phi(reading, minimal.where);
  if (const DocumentEntry* guess = reading.section("minimal")->find(kGuess))
    minimal.guess = read_guess(reading, *guess, minimal.coordinates);
}

}  // namespace cotangent
