#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cotangent/model/sections.hpp"

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

/// Puts initial values into an order in which each comes after those that it uses, and after those that it replaces.
/// An array whose entries use each other, x = "if(i == 1, 0, x[i-1] + 1)", becomes one assignment for each entry.
/// @throws ModelError for values that depend on each other in a circle.
void order_initial_values(Graph& graph, const ParameterMap& parameters, std::vector<Assignment>& initial);

}  // namespace cotangent
