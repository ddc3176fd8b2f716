#pragma once

#include <cstdint>
#include <vector>

#include "cotangent/base/index_map.hpp"
#include "cotangent/expr/expr.hpp"
#include "cotangent/model/language/index_function.hpp"
#include "cotangent/model/model.hpp"

namespace cotangent {

/// The instances of nested loops, numbered k = 0, 1, ... with the innermost index running fastest.
///
/// One loop is never enumerated: its index is lo + k, and affine index expressions in it are affine in k. Deeper
/// nests are written out as lists.
class LoopNest {
 public:
  /// @pre the bounds contain only constants, indices of loops before them, and entries of tables. No loops: one
  /// instance.
  /// @param tables must outlive the nest.
  /// @throws std::invalid_argument if there are more instances than 32 bits can count, or more than
  /// kLimits.entries of all loops but the innermost, which may be empty in most of them.
  LoopNest(std::vector<Loop> loops, const ParameterMap& tables);

  const std::vector<Loop>& loops() const { return loops_; }
  std::int64_t count() const { return count_; }

  /// The value of a loop's index, for each instance.
  const IndexMap& index(std::size_t loop) const { return indices_[loop]; }

  /// The number of the instance of the first d loops that each instance of all loops lies in.
  const IndexMap& prefix(std::size_t d) const { return prefixes_[d]; }

  /// The value of an integer expression in the indices and in entries of tables, for each instance.
  /// @throws std::invalid_argument if it is not an integer somewhere, or leaves a table.
  IndexMap map(Expr e) const;

 private:
  std::vector<Loop> loops_;
  std::vector<SymbolId> symbols_;  // of their indices
  const ParameterMap* tables_;
  std::int64_t count_ = 1;
  std::vector<IndexMap> indices_;   // one per loop
  std::vector<IndexMap> prefixes_;  // one per depth, from 0 on
};

}  // namespace cotangent
