#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>
#include <unordered_map>
#include <utility>

#include "cotangent/model/language/resolver.hpp"
#include "cotangent/model/reading/assignments.hpp"

namespace cotangent {
namespace {

constexpr AssignmentRules kInitial{"initial value", "initial", "coordinates, momenta, velocities and states",
                                   Purposes::q | Purposes::p | Purposes::v | Purposes::u, kFor.initial};

// Whether it is x, p_x or v_x of that coordinate.
bool is_of(const Coordinate& c, const Named& named) {
  return named.array == c.q || named.array == c.p || named.array == c.v;
}

bool is_motion(const Named& named) { return named.kind == NameKind::momentum || named.kind == NameKind::velocity; }

// Whether a statement is about entries of another, of the same target: "r[2,1]" of "r[2]".
bool is_within(const Statement& part, const Statement& all) {
  return part.indices.size() >= all.indices.size() &&
         std::equal(all.indices.begin(), all.indices.end(), part.indices.begin());
}

// Whether the initial values of all of `a` leave none to `b`: a velocity has the place of its momentum as well, and the
// other way round.
bool replaces(const Model& model, const Named& a, const Named& b) {
  if (a.array == b.array) return true;
  if (!is_motion(a) || !is_motion(b)) return false;
  const auto& all = model.coordinates;
  return is_of(*std::find_if(all.begin(), all.end(), [&](const auto& c) { return is_of(c, a); }), b);
}

// Overrides replace what the file says.
void apply_overrides(Reading& reading, std::vector<Statement>& assignments) {
  for (auto& override : reading.overrides) {
    if (override.used) continue;
    const Statement a = read_statement(reading, override.name, override.value, kInitial);
    if (a.indices.size() < a.target->shape.size() || a.indices.empty()) {
      std::erase_if(assignments, [&](const Statement& old) {
        if (old.target->array == a.target->array) return is_within(old, a);
        return a.indices.empty() && replaces(reading.model, *a.target, *old.target);
      });
    }
    override.used = true;
    assignments.push_back(a);
  }
}

// The values of a whole array, as those of a table of parameters that nobody can name.
Assignment table_assignment(Reading& reading, const std::string& name, const Named& target, std::vector<Quad> values,
                            const Location& where) {
  Graph& graph = *reading.model.graph;
  Parameter& numbers = reading.model.parameters.emplace_back(Parameter{.symbol = 0, .name = "start of " + name});
  numbers.shape = target.shape;
  numbers.table = std::move(values);
  numbers.symbol = graph.declare(numbers.name, SymbolKind::parameter, static_cast<int>(numbers.shape.size()));
  reading.scope.redeclare(
      numbers.name,
      {.kind = NameKind::parameter, .array = numbers.symbol, .shape = numbers.shape, .parameter = &numbers});
  const FamilyLoops family(reading.scope, target.shape, nullptr);
  return {target.array, family.loops, family.labels, graph.entry(numbers.symbol, family.labels), where};
}

// Such a table takes the place of what is said of an array.
void apply_tables(Reading& reading, std::vector<Statement>& statements, std::vector<Assignment>& initial) {
  Model& model = reading.model;
  Graph& graph = *model.graph;
  for (const InitialTable& table : model.tables) {
    const Named* target = reading.scope.find(table.name);
    if (!target || (kInitial.kinds & kinds_of(target->kind)) == 0 ||
        std::cmp_not_equal(table.values.size(), entry_count(target->shape)))
      throw std::invalid_argument(fmt::format("'{}' has no {} initial values", table.name, table.values.size()));
    std::erase_if(statements, [&](const Statement& old) { return replaces(model, *target, *old.target); });
    if (target->shape.empty()) {
      initial.push_back({target->array, {}, {}, graph.constant(table.values[0]), target->where});
      continue;
    }
    initial.push_back(table_assignment(reading, table.name, *target, table.values, target->where));
  }
}

// Puts the numbers of nested lists, as deep as the array has indices, where they belong. False for everything else.
bool fill(const DocumentValue& value, const std::vector<std::int64_t>& shape, std::size_t level, std::size_t at,
          std::size_t stride, std::vector<Quad>& numbers) {
  if (level == shape.size()) {
    if (!value.is_number() || !isfinite(value.real())) return false;
    numbers[at] = value.real();
    return true;
  }
  const auto size = static_cast<std::size_t>(shape[level]);
  if (!value.is_list() || value.items().size() != size) return false;
  for (std::size_t k = 0; k < size; ++k)
    if (!fill(value.items()[k], shape, level + 1, at + stride * k, stride * size, numbers)) return false;
  return true;
}

// Lists that give a number to every entry become tables as well: a million numbers are no million expressions.
void apply_lists(Reading& reading, std::vector<Statement>& statements, std::vector<Assignment>& initial) {
  std::erase_if(statements, [&](const Statement& statement) {
    const std::vector<std::int64_t>& shape = statement.target->shape;
    if (!statement.indices.empty() || shape.empty() || !statement.value->is_list()) return false;
    std::vector<Quad> numbers(static_cast<std::size_t>(entry_count(shape)));
    if (!fill(*statement.value, shape, 0, 0, 1, numbers)) return false;
    initial.push_back(
        table_assignment(reading, statement.name, *statement.target, std::move(numbers), statement.value->where));
    return true;
  });
}

void check_not_both(std::span<const Coordinate> coordinates, std::span<const Statement> statements) {
  std::unordered_map<SymbolId, const Statement*> last;
  for (const auto& statement : statements) last[statement.target->array] = &statement;
  for (const auto& c : coordinates) {
    const auto v = last.find(c.v);
    if (v == last.end() || !last.contains(c.p)) continue;
    throw ModelError(v->second->where,
                     fmt::format("both the momentum 'p_{}' and the velocity 'v_{}' are given", c.name, c.name),
                     "give one of them; the other follows");
  }
}

// @param variable the coordinate or state that the target belongs to.
void check_complete(const Reading& reading, const AssignedEntries& initial, SymbolId target, const auto& variable,
                    std::string_view example) {
  const auto missing = initial.coverage(target, variable.shape).missing;
  if (!missing) return;
  const std::string& name = reading.model.graph->symbol(target).name;
  const std::string entry = initial.any_of(target) ? entry_text(name, *missing) : name;
  const std::string key = entry == name ? entry : '"' + entry + '"';
  throw ModelError(reading.scope.find(variable.name)->where, fmt::format("'{}' has no initial value", entry),
                   fmt::format("add {} = {} to [initial]", key, example));
}

// Inside loops, or if they use other initial values, they are known only when they are evaluated.
void check_finite(Scope& scope, const Assignment& assignment) {
  if (!assignment.loops.empty()) return;
  const bool known = (scope.kinds_in(assignment.value) & ~kinds_of(NameKind::parameter)) == 0;
  if (known && !isfinite(known_value(assignment.value, scope.parameters())))
    throw ModelError(assignment.where, fmt::format("the initial value of '{}' is not a finite number",
                                                   scope.graph().symbol(assignment.target).name));
}

}  // namespace

void read_initial(Reading& reading, InitialCoverage required) {
  auto statements = read_statements(reading, reading.entries("initial"), kInitial);
  std::vector<Assignment> tables;
  apply_tables(reading, statements, tables);
  apply_overrides(reading, statements);

  // Single entries refine what is said of rows, and these what is said of the whole array.
  std::stable_sort(statements.begin(), statements.end(),
                   [](const auto& a, const auto& b) { return a.indices.size() < b.indices.size(); });
  const std::vector<Statement> all = statements;
  apply_lists(reading, statements, tables);
  auto initial = read_assignments(reading, statements, kInitial);
  initial.insert(initial.begin(), tables.begin(), tables.end());
  for (const Assignment& assignment : initial) check_finite(reading.scope, assignment);
  order_initial_values(*reading.model.graph, reading.scope.parameters(), initial);
  reading.model.initial = std::move(initial);

  check_not_both(reading.model.coordinates, all);
  try {
    const AssignedEntries assigned(reading.model.initial, reading.scope.parameters());
    for (const auto& c : reading.model.coordinates) check_complete(reading, assigned, c.q, c, "...");
    for (const auto& c : reading.model.coordinates)
      check_complete(reading, assigned, assigned.any_of(c.v) ? c.v : c.p, c, "0");
    for (const auto& state : reading.model.states) check_complete(reading, assigned, state.symbol, state, "...");
  } catch (const ModelError& missing) {
    if (required == InitialCoverage::complete) throw;
    reading.model.incomplete = missing;
  }
}

}  // namespace cotangent
