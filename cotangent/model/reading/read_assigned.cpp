#include <fmt/core.h>

#include <functional>
#include <optional>
#include <utility>

#include "cotangent/model/language/resolver.hpp"
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

/// @param assignments those that are known without statements.
std::vector<Assignment> read_once(Reading& reading, std::span<const Statement> statements, const AssignmentRules& rules,
                                  const OnMissing& on_missing = {}, std::vector<Assignment> assignments = {}) {
  const Model& model = reading.model;
  for (Assignment& stated : read_assignments(reading, statements, rules)) assignments.push_back(std::move(stated));
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

// The key of a derivative, u'' or u[3]'', without its primes. Nothing for u or u[3].
std::optional<Excerpt> differentiated(const DocumentEntry& entry) {
  const std::string& text = entry.key.text();
  const std::size_t end = text.find_last_not_of('\'') + 1;
  if (end == text.size()) return std::nullopt;
  if (text.size() - end != 2)
    throw ModelError(entry.key.whole(), fmt::format("'{}' is neither a state nor its second derivative", text),
                     "write u = \"...\" for u', and \"u''\" = \"...\" for the second derivative");
  return entry.key.part({0, end});
}

std::string name_in(const Excerpt& key) {
  const Syntax syntax = parse_expression(key);
  const auto& root = syntax.root();
  const bool is_target = root.kind == SyntaxKind::name || root.kind == SyntaxKind::entry;
  return is_target ? syntax.text(root.name) : key.text();
}

// u' = v_u, for all entries of u.
Assignment rate_of_change(Reading& reading, const State& u, const State& v) {
  const FamilyLoops family(reading.scope, u.shape, nullptr);
  Graph& graph = reading.scope.graph();
  const Expr value = u.shape.empty() ? graph.symbol_expr(v.symbol) : graph.entry(v.symbol, family.labels);
  return {u.symbol, family.loops, family.labels, value, {}};
}

}  // namespace

void declare_rates_of_change(Reading& reading) {
  auto& states = reading.model.states;
  std::int64_t offset = states.empty() ? 0 : states.back().offset + states.back().size();
  const std::vector<State> declared = states;
  for (const State& u : declared) {
    for (const auto& entry : reading.entries("equations")) {
      const auto key = differentiated(entry);
      if (!key || name_in(*key) != u.name) continue;
      const State v{.name = "v_" + u.name, .shape = u.shape, .symbol = 0, .offset = offset};
      states.push_back(reading.scope.declare_variable(v, SymbolKind::state, entry.key.whole()));
      reading.second_order.emplace_back(u, states.back());
      offset += v.size();
      break;
    }
  }
}

void read_forces(Reading& reading) {
  reading.model.forces = read_once(reading, read_statements(reading, reading.entries("forces"), kForces), kForces);
}

void read_equations(Reading& reading) {
  std::vector<Statement> statements;
  for (const auto& entry : reading.entries("equations")) {
    const auto twice = differentiated(entry);
    Statement statement = read_statement(reading, twice ? *twice : entry.key, entry.value, kEquations);
    if (twice) {
      statement.name = "v_" + statement.name;
      statement.target = reading.scope.find(statement.name);
    }
    statements.push_back(std::move(statement));
  }
  std::vector<Assignment> rates;
  for (const auto& [u, v] : reading.second_order) rates.push_back(rate_of_change(reading, u, v));
  reading.model.rates = read_once(
      reading, statements, kEquations,
      [&](const std::string& state, const std::string& entry) {
        throw ModelError(reading.scope.find(state)->where, fmt::format("the state '{}' has no equation", entry),
                         fmt::format("add {0} = \"...\" to [equations]; it means {0}' = ...", state));
      },
      std::move(rates));
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
