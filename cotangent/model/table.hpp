#pragma once

#include "cotangent/model/document.hpp"
#include "cotangent/model/model.hpp"
#include "cotangent/model/scope.hpp"
#include "cotangent/model/syntax.hpp"

namespace cotangent {

/// Fills the shape and the entries of a table parameter from nested lists of numbers and expressions.
/// @throws ModelError unless all lists of one level are of one length, none is empty and there are at most
/// Graph::kMaxArity levels.
void read_table(Scope& scope, const DocumentValue& list, Parameter& table);

/// The same from the text "[[1, 2], [3, 4]]". @pre the root is a vector.
void read_table(Scope& scope, const Syntax& text, Parameter& table);

/// The names that the expressions of a list mention.
void append_mentioned_names(const DocumentValue& list, std::vector<std::string>& names);

}  // namespace cotangent
