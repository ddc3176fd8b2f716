#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "cotangent/model/index_function.hpp"
#include "cotangent/model/model.hpp"
#include "cotangent/model/shape.hpp"

namespace cotangent {

/// What a list of assignments does with the entries of a target.
struct Coverage {
  /// An entry that has two values, and the number of the assignment with the second.
  struct Repeated {
    EntryIndices indices;
    std::size_t second = 0;
  };
  std::optional<Repeated> repeated;     ///< the first one
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

}  // namespace cotangent
