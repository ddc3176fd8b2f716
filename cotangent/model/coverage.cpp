#include "cotangent/model/coverage.hpp"

#include <algorithm>

namespace cotangent {

AssignedEntries::AssignedEntries(std::span<const Assignment> assignments, const ParameterMap& parameters)
    : assignments_(assignments), parameters_(parameters) {
  for (std::size_t k = 0; k < assignments.size(); ++k) by_target_[assignments[k].target].push_back(k);
}

std::span<const std::size_t> AssignedEntries::of(SymbolId target) const {
  const auto found = by_target_.find(target);
  if (found == by_target_.end()) return {};
  return found->second;
}

Coverage AssignedEntries::coverage(SymbolId target, const std::vector<std::int64_t>& shape) const {
  Coverage result;
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
      const std::size_t place = *place_of(indices, shape);
      if (assigned[place] && !result.repeated) result.repeated = {indices, number};
      assigned[place] = true;
      return false;
    });
  }
  const auto missing = std::find(assigned.begin(), assigned.end(), false);
  if (missing != assigned.end()) result.missing = indices_at(missing - assigned.begin(), shape);
  return result;
}

}  // namespace cotangent
