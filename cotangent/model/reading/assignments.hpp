#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cotangent/model/language/index_function.hpp"
#include "cotangent/model/language/shape.hpp"
#include "cotangent/model/reading/sections.hpp"

namespace cotangent {

/// name = value, or "name[3]" = value: what [initial], [forces] and [equations] consist of.
struct Statement {
  std::string name;
  const Named* target = nullptr;
  std::vector<Expr> indices = {};  ///< of a single entry, or the first ones, of a row; empty for the whole target
  const DocumentValue* value = nullptr;
  Location where;
};

/// What a section assigns values to, and what these may use.
struct AssignmentRules {
  std::string_view what;     ///< "initial value": for messages
  std::string_view section;  ///< "initial"
  std::string_view targets;  ///< "coordinates, momenta, velocities and states": for messages
  NameKinds kinds;           ///< of the targets
  const Purpose& purpose;    ///< of the values
};

/// The statement of a key. @throws ModelError if it names no target.
Statement read_statement(Reading& reading, const Excerpt& key, const DocumentValue& value,
                         const AssignmentRules& rules);

/// The statements of a section.
std::vector<Statement> read_statements(Reading& reading, std::span<const DocumentEntry> entries,
                                       const AssignmentRules& rules);

/// The assignments of statements. For an array the value is
///
///   a number or an expression in the indices i, j, k, l of its entries, a list nested as deep as the array has
///   indices, { each = "i in 2..N", value = "..." }, or a list of such tables;
///
/// and wherever one index is missing at the end, a vector may stand for the entries along it.
std::vector<Assignment> read_assignments(Reading& reading, std::span<const Statement> statements,
                                         const AssignmentRules& rules);

/// What a list of assignments does with the entries of a target.
struct Coverage {
  /// The first entry that has two values, and the number of the assignment with the second.
  std::optional<std::pair<EntryIndices, std::size_t>> repeated;
  std::optional<EntryIndices> missing;  ///< the first entry without a value
};

/// Which entries of which targets a list of assignments gives values to. The list is sorted by targets once: a model
/// may have as many targets as assignments.
class AssignedEntries {
 public:
  /// @param assignments and parameters must outlive this. @pre indices of the assignments are in range.
  AssignedEntries(std::span<const Assignment> assignments, const ParameterMap& parameters);

  /// Whether any entry has a value.
  bool any_of(SymbolId target) const { return by_target_.contains(target); }

  /// @param shape of the target.
  Coverage coverage(SymbolId target, const std::vector<std::int64_t>& shape) const;

  /// The assignments of a target, by their numbers.
  std::span<const std::size_t> of(SymbolId target) const;

 private:
  std::span<const Assignment> assignments_;
  const ParameterMap& parameters_;
  std::unordered_map<SymbolId, std::vector<std::size_t>> by_target_;
};

/// Puts initial values into an order in which each comes after those that it uses, and after those that it replaces.
/// An array whose entries use each other, x = "if(i == 1, 0, x[i-1] + 1)", becomes one assignment for each entry.
/// @throws ModelError for values that depend on each other in a circle.
void order_initial_values(Graph& graph, const ParameterMap& parameters, std::vector<Assignment>& initial);

}  // namespace cotangent
