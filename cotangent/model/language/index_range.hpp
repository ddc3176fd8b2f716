#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cotangent/expr/expr.hpp"
#include "cotangent/model/language/index_function.hpp"
#include "cotangent/model/model.hpp"

namespace cotangent {

/// A loop that an expression stands in: index in lo..hi, with bounds in the indices of the loops around it.
///
/// The user's names for it: the index itself, or, in a loop over an index list, one name for each column.
struct ActiveLoop {
  std::vector<std::string> names;
  std::vector<Expr> values;  ///< of the names: the index, or the entries list[index, 1], list[index, 2], ...
  SymbolId index = 0;
  Expr lo, hi;
};

/// A condition under which an expression is evaluated: a branch of an `if` around it.
struct Guard {
  Expr condition;
  bool holds;  ///< whether the branch is taken when the condition is true
};

/// An instance of the loops for which an index is wrong.
struct IndexFault {
  enum class Kind : std::uint8_t {
    outside,      ///< an integer, but not in the range
    not_integer,  ///< not an integer
    not_checked,  ///< there are too many instances to try
  };
  Kind kind;
  double value = 0;      ///< of the index
  std::string instance;  ///< "i = 1, j = 3"; empty outside loops
};

/// Looks for an instance of the loops, admitted by the guards, for which `index` is not an integer in lo..hi.
///
/// An index affine in the loop indices is checked at the ends of the loops; instances are tried one by one
/// only where that leaves a doubt (dependent bounds with empty loops, guards) or the index is not affine. Loops that
/// the index does not depend on are left out. A guard that depends on more than indices and parameters excludes
/// nothing.
///
/// @param index and the bounds of the loops contain loop indices, constants and entries of tables only.
/// @param loops from the outermost to the innermost.
std::optional<IndexFault> find_index_fault(Expr index, std::int64_t lo, std::int64_t hi,
                                           std::span<const ActiveLoop> loops, std::span<const Guard> guards,
                                           const ParameterMap& parameters);

}  // namespace cotangent
