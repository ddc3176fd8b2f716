#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "cotangent/model/index_range.hpp"
#include "cotangent/model/model.hpp"

namespace cotangent {

/// An entry of an array by its indices; none for a scalar.
using EntryIndices = std::vector<std::int64_t>;

/// An entry that has two values, and the number of the assignment with the second.
struct RepeatedEntry {
  EntryIndices indices;
  std::size_t second = 0;
};

/// Which entries of which targets a list of assignments gives values to. The list is sorted by targets once: a model
/// may have as many targets as assignments.
///
/// Shapes are those of the targets. @pre indices of the assignments are in range.
class AssignedEntries {
 public:
  /// @param assignments and parameters must outlive this.
  AssignedEntries(std::span<const Assignment> assignments, const ParameterMap& parameters);

  /// Whether any entry has a value.
  bool any_of(SymbolId target) const { return by_target_.contains(target); }

  /// The first entry that no assignment gives a value to; nothing if all have one.
  std::optional<EntryIndices> first_missing(SymbolId target, const std::vector<std::int64_t>& shape) const;

  std::optional<RepeatedEntry> first_repeated(SymbolId target, const std::vector<std::int64_t>& shape) const;

  /// The assignments of a target, by their numbers.
  std::span<const std::size_t> of(SymbolId target) const;

 private:
  std::span<const Assignment> assignments_;
  const ParameterMap& parameters_;
  std::unordered_map<SymbolId, std::vector<std::size_t>> by_target_;
};

/// "x", or "x[2,3]".
std::string entry_text(const std::string& name, const EntryIndices& indices);

}  // namespace cotangent
