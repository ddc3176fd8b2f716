#include "cotangent/model/reading/assignments.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <utility>

#include "cotangent/base/check.hpp"
#include "cotangent/model/language/resolver.hpp"

namespace cotangent {
namespace {

constexpr std::array<std::string_view, 2> kKeys{"each", "value"};
constexpr std::array<std::string_view, 1> kLaterKeys{"fixed"};

bool is_target(const Named& named, const AssignmentRules& rules) { return (rules.kinds & kinds_of(named.kind)) != 0; }

[[noreturn]] void no_such_target(const Reading& reading, const std::string& name, const Location& where,
                                 const AssignmentRules& rules) {
  const std::string advice = fmt::format("[{}] is for {}", rules.section, rules.targets);
  if (const Named* named = reading.scope.find(name))
    throw ModelError(where, fmt::format("the {} '{}' has no {}", describe(named->kind), name, rules.what), advice);
  std::vector<std::string> candidates;
  for (const auto& candidate : reading.scope.usable_names(kFor.anything))
    if (const Named* named = reading.scope.find(candidate); named && is_target(*named, rules))
      candidates.push_back(candidate);
  const std::string meant = reading.scope.meant_by(name, candidates);
  throw ModelError(where, fmt::format("unknown name '{}' in [{}]", name, rules.section),
                   meant.empty() ? advice : meant);
}

class AssignmentReader {
 public:
  AssignmentReader(Reading& reading, const Statement& statement, const AssignmentRules& rules,
                   std::vector<Assignment>& result)
      : scope_(reading.scope), statement_(statement), shape_(statement.target->shape), rules_(rules), result_(result) {}

  void read() {
    const auto& value = *statement_.value;
    if (value.is_table() && (is_single() || statement_.indices.empty())) return read_part(value);
    if (is_single()) return add({}, statement_.indices, number(value), value.where);
    if (!statement_.indices.empty()) return read_row(value);
    if (!value.is_list()) return whole_array(value);
    if (value.items().empty() || !value.items().front().is_table()) return read_list(value, {});
    for (const auto& item : value.items()) {
      if (!item.is_table()) wrong_type(item, what(), "a table { each = \"...\", value = \"...\" }");
      read_part(item);
    }
  }

 private:
  std::string what() const { return fmt::format("the {} of '{}'", rules_.what, statement_.name); }

  // One number is assigned, to a scalar or to one entry.
  bool is_single() const { return statement_.indices.size() == shape_.size(); }

  // The value of "r[2]" for r[N,3].
  void read_row(const DocumentValue& value) {
    if (!value.is_table()) return read_list(value, statement_.indices);
    check_keys(value, kKeys, kLaterKeys, what());
    if (const DocumentEntry* each = value.find("each"))
      throw ModelError(each->key.whole(), fmt::format("one row of '{}' takes no 'each'", statement_.name));
    const DocumentEntry* inside = value.find("value");
    if (!inside) throw ModelError(value.where, what() + " has no 'value'");
    read_list(inside->value, statement_.indices);
  }

  static bool is_nested(const Syntax& syntax) {
    const auto& root = syntax.root();
    return root.kind == SyntaxKind::vector && syntax.node(root.children[0]).kind == SyntaxKind::vector;
  }

  // "[[1, 0, 0], [2, 0, 0]]": a vector of vectors has a place here, and nowhere else.
  void read_nested(const Syntax& syntax, const SyntaxNode& node, std::vector<Expr> indices) {
    const auto where = syntax.locate(node);
    if (indices.size() + 1 == shape_.size())
      return add_vector({}, std::move(indices), Resolver(scope_, syntax, rules_.purpose).value(node), where);
    const auto size = static_cast<std::size_t>(shape_[indices.size()]);
    if (node.kind != SyntaxKind::vector || node.children.size() != size)
      throw ModelError(where, fmt::format("this part of '{}' must be a list of {} vectors", statement_.name, size));
    indices.emplace_back();
    for (std::size_t k = 0; k < size; ++k) {
      indices.back() = scope_.graph().constant(static_cast<Quad>(k + 1));
      read_nested(syntax, syntax.node(node.children[k]), indices);
    }
  }

  // One value for all entries, or one expression in the indices i, j, k.
  void whole_array(const DocumentValue& value) {
    std::optional<Syntax> syntax;
    if (value.is_string()) syntax = parse_expression(value.string());
    if (syntax && shape_.size() > 1 && is_nested(*syntax)) return read_nested(*syntax, syntax->root(), {});
    const Syntax* element = syntax ? &*syntax : nullptr;
    {
      const FamilyLoops family(scope_, shape_, element);
      const Value all = read_value(scope_, value, rules_.purpose, what());
      if (!all.is_vector()) return add(family.loops, family.labels, all.number(), value.where);
    }
    // A vector takes the place of the last index.
    const FamilyLoops family(scope_, std::span(shape_).first(shape_.size() - 1), element);
    add_vector(family.loops, family.labels, read_value(scope_, value, rules_.purpose, what()), value.where);
  }

  // { each = "i in 2..N", value = "..." }
  void read_part(const DocumentValue& table) {
    check_keys(table, kKeys, kLaterKeys, what());
    const DocumentEntry* value = table.find("value");
    if (!value)
      throw ModelError(table.where, what() + " has no 'value'",
                       "part of an array is written { each = \"i in 2..N\", value = \"...\" }");
    const DocumentEntry* each = table.find("each");
    if (each && is_single())
      throw ModelError(each->key.whole(),
                       fmt::format("this value of '{}' is one number and takes no 'each'", statement_.name));
    if (!each && is_single()) return add({}, statement_.indices, number(value->value), value->value.where);
    if (!each) return whole_array(value->value);

    const Syntax loops = parse_loops(expect_string(each->value, "'each'"));
    const FamilyLoops family(scope_, loops);
    const auto& labels = family.labels;
    if (labels.size() != shape_.size() && labels.size() + 1 != shape_.size())
      throw ModelError(loops.locate(loops.root()), fmt::format("'{}' has {} indices, 'each' gives {}", statement_.name,
                                                               shape_.size(), labels.size()));
    std::size_t k = 0;
    for (const auto& loop : loops.root().loops)
      for (std::size_t n = 0; n < loop.names.size(); ++n, ++k)
        check_index(scope_, labels[k], 1, shape_[k], statement_.name, loops.locate(loop.span));
    if (labels.size() == shape_.size()) return add(family.loops, labels, number(value->value), value->value.where);
    add_vector(family.loops, labels, read_value(scope_, value->value, rules_.purpose, what()), value->value.where);
  }

  // [[0, 0, 0], ["s", "s", "s"], ...], nested as deep as the array has indices.
  void read_list(const DocumentValue& list, std::vector<Expr> indices) {
    if (indices.size() == shape_.size()) return add({}, indices, number(list), list.where);
    const auto size = static_cast<std::size_t>(shape_[indices.size()]);
    if (indices.size() + 1 < shape_.size() && !indices.empty() && list.is_string()) {
      const Syntax syntax = parse_expression(list.string());
      return read_nested(syntax, syntax.root(), std::move(indices));
    }
    if (indices.size() + 1 == shape_.size() && !indices.empty() && list.is_string())
      return add_vector({}, std::move(indices), read_value(scope_, list, rules_.purpose, what()), list.where);
    if (!list.is_list())
      wrong_type(list, fmt::format("this part of '{}'", statement_.name), fmt::format("a list of {} values", size));
    if (list.items().size() != size)
      throw ModelError(list.where, fmt::format("a list of {} values where '{}' needs {}", list.items().size(),
                                               statement_.name, size));
    indices.emplace_back();
    for (std::size_t k = 0; k < size; ++k) {
      indices.back() = scope_.graph().constant(static_cast<Quad>(k + 1));
      read_list(list.items()[k], indices);
    }
  }

  Expr number(const DocumentValue& value) { return read_number(scope_, value, rules_.purpose, what()); }

  void add(std::vector<Loop> loops, std::vector<Expr> indices, Expr value, const Location& where) {
    result_.push_back({statement_.target->array, std::move(loops), std::move(indices), value, where});
  }

  void add_vector(const std::vector<Loop>& loops, std::vector<Expr> indices, const Value& value,
                  const Location& where) {
    if (!value.is_vector() || static_cast<std::int64_t>(value.size()) != shape_.back())
      throw ModelError(where, fmt::format("{} must be a vector of {} components here, not {}", what(), shape_.back(),
                                          value.describe()));
    indices.emplace_back();
    for (std::size_t c = 0; c < value.size(); ++c) {
      indices.back() = scope_.graph().constant(static_cast<Quad>(c + 1));
      add(loops, indices, value[c], where);
    }
  }

  Scope& scope_;
  const Statement& statement_;
  const std::vector<std::int64_t>& shape_;
  const AssignmentRules& rules_;
  std::vector<Assignment>& result_;
};

}  // namespace

Statement read_statement(Reading& reading, const Excerpt& key, const DocumentValue& value,
                         const AssignmentRules& rules) {
  const Syntax syntax = parse_expression(key);
  const auto& root = syntax.root();
  if (root.kind != SyntaxKind::name && root.kind != SyntaxKind::entry)
    throw ModelError(key.whole(), fmt::format("'{}' has no {}", key.text(), rules.what),
                     fmt::format("[{}] is for {}", rules.section, rules.targets));
  Statement result{.name = syntax.text(root.name), .value = &value, .where = key.whole()};
  result.target = reading.scope.find(result.name);
  if (!result.target || !is_target(*result.target, rules))
    no_such_target(reading, result.name, syntax.locate(root.name), rules);
  if (root.kind == SyntaxKind::name) return result;
  const auto& shape = result.target->shape;
  if (root.children.size() > shape.size())
    throw ModelError(syntax.locate(root),
                     fmt::format("'{}' has {} indices, not {}", result.name, shape.size(), root.children.size()));
  for (std::size_t k = 0; k < root.children.size(); ++k) {
    const auto& node = syntax.node(root.children[k]);
    const auto index =
        resolve_integer(reading.scope, syntax, node, 1, shape[k], fmt::format("index of '{}'", result.name));
    result.indices.push_back(reading.scope.graph().constant(static_cast<Quad>(index)));
  }
  return result;
}

std::vector<Statement> read_statements(Reading& reading, std::span<const DocumentEntry> entries,
                                       const AssignmentRules& rules) {
  std::vector<Statement> result;
  for (const auto& [key, value] : entries) result.push_back(read_statement(reading, key, value, rules));
  return result;
}

std::vector<Assignment> read_assignments(Reading& reading, std::span<const Statement> statements,
                                         const AssignmentRules& rules) {
  std::vector<Assignment> result;
  for (const auto& statement : statements) AssignmentReader(reading, statement, rules, result).read();
  return result;
}

AssignedEntries::AssignedEntries(std::span<const Assignment> assignments, const ParameterMap& parameters)
    : assignments_(assignments), parameters_(parameters) {
  for (std::size_t k = 0; k < assignments.size(); ++k) by_target_[assignments[k].target].push_back(k);
}

std::span<const std::size_t> AssignedEntries::of(SymbolId target) const {
  const auto found = by_target_.find(target);
  if (found == by_target_.end()) return {};
  return found->second;
}

namespace {

// Loops 1..n over every index, each used as it is.
bool is_whole(const Assignment& assignment, const std::vector<std::int64_t>& shape) {
  if (assignment.loops.size() != shape.size()) return false;
  for (std::size_t k = 0; k < shape.size(); ++k) {
    const auto& [index, lo, hi] = assignment.loops[k];
    const Expr used = assignment.indices[k];
    const bool is_plain = used.op() == Op::symbol && used.symbol_id() == index;
    if (!is_plain || !lo.is_constant(1) || !hi.is_constant(static_cast<double>(shape[k]))) return false;
  }
  return true;
}

}  // namespace

Coverage AssignedEntries::coverage(SymbolId target, const std::vector<std::int64_t>& shape) const {
  Coverage result;
  if (of(target).size() == 1 && is_whole(assignments_[of(target)[0]], shape)) return result;  // millions of entries
  std::vector<bool> assigned(static_cast<std::size_t>(entry_count(shape)));
  for (const std::size_t number : of(target)) {
    const Assignment& assignment = assignments_[number];
    std::vector<SymbolId> loops;
    for (const Loop& loop : assignment.loops) loops.push_back(loop.index);
    std::vector<IndexFunction> functions;
    for (const Expr e : assignment.indices) functions.emplace_back(e, loops, parameters_);
    EntryIndices indices(functions.size());
    Instances instances(assignment.loops, parameters_);
    instances.each([&] {
      for (std::size_t k = 0; k < indices.size(); ++k)
        indices[k] = static_cast<std::int64_t>(functions[k](instances.point()));
      const auto place = place_of(indices, shape);
      COTANGENT_CHECK(place);  // the reader has looked at the bounds
      if (assigned[*place] && !result.repeated) result.repeated.emplace(indices, number);
      assigned[*place] = true;
      return false;
    });
  }
  const auto missing = std::find(assigned.begin(), assigned.end(), false);
  if (missing != assigned.end()) result.missing = indices_at(missing - assigned.begin(), shape);
  return result;
}

}  // namespace cotangent
