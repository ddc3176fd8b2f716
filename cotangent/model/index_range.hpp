#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>

#include "cotangent/expr/expr.hpp"

namespace cotangent {

/// A loop that an expression stands in: index in lo..hi, with bounds in the indices of the loops around it.
struct ActiveLoop {
  std::string name;
  SymbolId index;
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

/// Instances that are tried at most: where indices, bounds and guards are affine in the loop indices, and
/// where they have to be evaluated.
inline constexpr std::int64_t kMaxAffineInstances = 100'000'000;
inline constexpr std::int64_t kMaxEvaluatedInstances = 1'000'000;

/// Looks for an instance of the loops, admitted by the guards, for which `index` is not an integer in lo..hi.
///
/// An index affine in the loop indices is checked at the ends of the loops; instances are tried one by one
/// only where that leaves a doubt (dependent bounds with empty loops, guards) or the index is not affine. A
/// guard that depends on more than indices and parameters excludes nothing.
///
/// @param index and the bounds of the loops contain loop indices and constants only.
/// @param loops from the outermost to the innermost.
std::optional<IndexFault> find_index_fault(Expr index, double lo, double hi, std::span<const ActiveLoop> loops,
                                           std::span<const Guard> guards, const std::map<SymbolId, double>& parameters);

}  // namespace cotangent
