#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

#include "cotangent/expr/algorithm.hpp"
#include "cotangent/model/coverage.hpp"
#include "cotangent/model/resolve.hpp"
#include "cotangent/model/sections.hpp"
#include "cotangent/model/suggest.hpp"

namespace cotangent {
namespace {

constexpr std::array<std::string_view, 2> kKeys{"each", "value"};
constexpr std::array<std::string_view, 1> kLaterKeys{"fixed"};

// x = ..., or "x[3]" = ...
struct Statement {
  std::string name;
  const Named* target = nullptr;
  std::vector<Expr> indices = {};  // of a single entry; empty for the whole target
  const DocumentValue* value = nullptr;
  Location where;
};

bool has_initial_value(const Named& named) {
  return named.kind == NameKind::coordinate || named.kind == NameKind::momentum || named.kind == NameKind::velocity;
}

[[noreturn]] void no_such_target(const Reading& reading, const std::string& name, const Location& where) {
  if (const Named* named = reading.scope.find(name))
    throw ModelError(where, fmt::format("the {} '{}' has no initial value", describe(named->kind), name),
                     "initial values are given for coordinates, momenta and velocities");
  std::vector<std::string> candidates;
  for (const auto& c : reading.model.coordinates)
    for (const char* prefix : {"", "p_", "v_"}) candidates.push_back(prefix + c.name);
  throw ModelError(where, fmt::format("unknown coordinate '{}'", name), did_you_mean(name, candidates));
}

Statement assignment(Reading& reading, const Excerpt& key, const DocumentValue& value) {
  const Syntax syntax = parse_expression(key);
  const auto& root = syntax.root();
  if (root.kind != SyntaxKind::name && root.kind != SyntaxKind::entry)
    throw ModelError(key.whole(), fmt::format("'{}' has no initial value", key.text()),
                     "initial values are given for coordinates, momenta and velocities");
  Statement result{.name = syntax.text(root.name), .value = &value, .where = key.whole()};
  result.target = reading.scope.find(result.name);
  if (!result.target || !has_initial_value(*result.target))
    no_such_target(reading, result.name, syntax.locate(root.name));
  if (root.kind == SyntaxKind::entry) {
    const Expr entry = resolve_expression(reading.scope, syntax, kForAnything);
    for (int k = 0; k < entry.arity(); ++k) result.indices.push_back(entry.arg(k));
  }
  return result;
}

class InitialReader {
 public:
  explicit InitialReader(Reading& reading) : reading_(reading), scope_(reading.scope) {}

  void read(const Statement& a) {
    assignment_ = &a;
    const auto& value = *a.value;
    if (!a.indices.empty() || !a.target->is_array()) {
      if (value.is_table()) return read_table(value);
      return add({}, a.indices, scalar(value));
    }
    if (value.is_list()) {
      const bool parts = !value.items.empty() && value.items.front().is_table();
      if (!parts) return read_list(value, {});
      for (const auto& item : value.items) {
        if (!item.is_table()) wrong_type(item, what(), "a table { each = \"...\", value = \"...\" }");
        read_table(item);
      }
      return;
    }
    if (value.is_table()) return read_table(value);
    whole_array(value);
  }

 private:
  std::string what() const { return fmt::format("the initial value of '{}'", assignment_->name); }

  // One value for all entries, or one expression in the indices i, j, k.
  void whole_array(const DocumentValue& value) {
    std::optional<Syntax> syntax;
    if (value.is_string()) syntax = parse_expression(value.string);
    const FamilyLoops family(scope_, assignment_->target->shape, syntax ? &*syntax : nullptr);
    add(family.loops(), family.indices(), scalar(value));
  }

  // { each = "i in 2..N", value = "..." }
  void read_table(const DocumentValue& table) {
    check_keys(table, kKeys, kLaterKeys, what());
    const DocumentEntry* value = table.find("value");
    if (!value)
      throw ModelError(table.where, what() + " has no 'value'",
                       "part of an array is written { each = \"i in 2..N\", value = \"...\" }");
    const DocumentEntry* each = table.find("each");
    const auto& shape = assignment_->target->shape;
    if (each && (shape.empty() || !assignment_->indices.empty()))
      throw ModelError(each->key.whole(),
                       fmt::format("this value of '{}' is one number and takes no 'each'", assignment_->name));
    if (!each && !shape.empty() && assignment_->indices.empty()) return whole_array(value->value);
    if (!each) return add({}, assignment_->indices, scalar(value->value));

    const Syntax loops = parse_loops(expect_string(each->value, "'each'"));
    const FamilyLoops family(scope_, loops);
    if (family.loops().size() + 1 == shape.size())
      not_yet(loops.locate(loops.root()), fmt::format("'{}' has {} indices, 'each' gives {}; vectors are",
                                                      assignment_->name, shape.size(), family.loops().size()));
    if (family.loops().size() != shape.size())
      throw ModelError(loops.locate(loops.root()), fmt::format("'{}' has {} indices, 'each' gives {}",
                                                               assignment_->name, shape.size(), family.loops().size()));
    const auto indices = family.indices();
    for (std::size_t k = 0; k < shape.size(); ++k)
      check_index(scope_, indices[k], shape[k], assignment_->name, loops.locate(loops.root().loops[k].span));
    add(family.loops(), indices, scalar(value->value));
  }

  // [[0, 0, 0], ["s", "s", "s"], ...], nested as deep as the array has indices.
  void read_list(const DocumentValue& list, std::vector<Expr> indices) {
    const auto& shape = assignment_->target->shape;
    if (indices.size() == shape.size()) return add({}, indices, scalar(list));
    const auto size = static_cast<std::size_t>(shape[indices.size()]);
    if (!list.is_list())
      wrong_type(list, fmt::format("this part of '{}'", assignment_->name), fmt::format("a list of {} values", size));
    if (list.items.size() != size)
      throw ModelError(list.where, fmt::format("a list of {} values where '{}' needs {}", list.items.size(),
                                               assignment_->name, size));
    indices.emplace_back();
    for (std::size_t k = 0; k < size; ++k) {
      indices.back() = scope_.graph().constant(static_cast<Quad>(k + 1));
      read_list(list.items[k], indices);
    }
  }

  Expr scalar(const DocumentValue& value) {
    const Expr result = read_value(scope_, value, kForInitial, what());
    // Inside loops the values are known only when they are evaluated.
    if (!scope_.loops().empty()) return result;
    const Quad number = evaluate<Quad>(result, [&](SymbolId symbol, std::span<const std::int64_t>) {
      const auto& parameters = reading_.model.parameters;
      return std::find_if(parameters.begin(), parameters.end(), [&](const auto& p) { return p.symbol == symbol; })
          ->value;
    });
    if (!isfinite(number)) throw ModelError(value.where, what() + " is not a finite number");
    return result;
  }

  void add(std::vector<Loop> loops, std::vector<Expr> indices, Expr value) {
    reading_.model.initial.push_back({assignment_->target->array, std::move(loops), std::move(indices), value});
  }

  Reading& reading_;
  Scope& scope_;
  const Statement* assignment_ = nullptr;
};

// The name of the coordinate that p_x or v_x belongs to; x itself for x.
bool is_of(const Coordinate& c, const Named& named) {
  return named.array == c.q || named.array == c.p || named.array == c.v;
}

// Overrides replace what the file says: a velocity also the momentum, and the other way round.
void apply_overrides(Reading& reading, std::vector<Statement>& assignments) {
  for (auto& override : reading.overrides) {
    if (override.used) continue;
    const Statement a = assignment(reading, override.name, override.value);
    if (a.indices.empty()) {
      std::erase_if(assignments, [&](const Statement& old) {
        if (old.target->array == a.target->array) return true;
        const auto& all = reading.model.coordinates;
        const auto of = std::find_if(all.begin(), all.end(), [&](const auto& c) { return is_of(c, *a.target); });
        return old.target->kind != NameKind::coordinate && a.target->kind != NameKind::coordinate &&
               is_of(*of, *old.target);
      });
    }
    override.used = true;
    assignments.push_back(a);
  }
}

void check_not_both(const Coordinate& c, std::span<const Statement> assignments) {
  const Statement* p = nullptr;
  const Statement* v = nullptr;
  for (const auto& a : assignments) {
    if (a.target->array == c.p) p = &a;
    if (a.target->array == c.v) v = &a;
  }
  if (p && v)
    throw ModelError(v->where,
                     fmt::format("both the momentum 'p_{}' and the velocity 'v_{}' are given", c.name, c.name),
                     "give one of them; the other follows");
}

void check_complete(const Reading& reading, const Coordinate& c) {
  const auto& initial = reading.model.initial;
  const bool by_velocity =
      std::any_of(initial.begin(), initial.end(), [&](const auto& value) { return value.target == c.v; });
  for (const SymbolId target : {c.q, by_velocity ? c.v : c.p}) {
    const auto missing = first_missing_entry(initial, target, c.shape);
    if (!missing) continue;
    const std::string name = reading.model.graph->symbol(target).name;
    const Location where = reading.scope.find(c.name)->where;
    std::string entry = name;
    const bool any = std::any_of(initial.begin(), initial.end(), [&](const auto& v) { return v.target == target; });
    if (any && !missing->empty()) entry = fmt::format("{}[{}]", name, fmt::join(*missing, ","));
    const std::string quoted = entry == name ? entry : '"' + entry + '"';
    throw ModelError(where, fmt::format("'{}' has no initial value", entry),
                     fmt::format("add {} = {} to [initial]", quoted, target == c.q ? "..." : "0"));
  }
}

}  // namespace

void read_initial(Reading& reading) {
  std::vector<Statement> assignments;
  if (const DocumentValue* section = reading.section("initial"))
    for (const auto& [key, value] : section->entries) assignments.push_back(assignment(reading, key, value));
  apply_overrides(reading, assignments);

  // Single entries refine what is said of the whole array.
  std::stable_partition(assignments.begin(), assignments.end(), [](const auto& a) { return a.indices.empty(); });
  InitialReader reader(reading);
  for (const auto& a : assignments) reader.read(a);
  for (const auto& c : reading.model.coordinates) {
    check_not_both(c, assignments);
    check_complete(reading, c);
  }
}

}  // namespace cotangent
