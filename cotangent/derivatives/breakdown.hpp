#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cotangent/expr/algorithm.hpp"
#include "cotangent/expr/expr.hpp"

namespace cotangent {

/// The operation at which an expression stops being a number: its arguments are finite, and its value is not, or its
/// derivative by one of them.
struct Breakdown {
  Expr operation;
  std::vector<double> arguments;
  double value = 0;                                                ///< of the operation, or of its derivative
  std::vector<std::pair<std::string, std::int64_t>> indices = {};  ///< of the sums around it
};

/// What is looked for.
enum class BreakdownOf : std::uint8_t { value, derivative };

/// The first breakdown in e, in branches that are chosen. Nothing if there is none, or if sums are too long to look
/// through.
std::optional<Breakdown> find_breakdown(Expr e, const LeafValue<double>& leaf, BreakdownOf of);

/// A number of a message; all that are not numbers look alike.
std::string printed(double value);

/// "logarithm of -1", "division by 0", "square root of 0, whose derivative is inf": for messages.
std::string describe(const Breakdown& breakdown, BreakdownOf of);

}  // namespace cotangent
