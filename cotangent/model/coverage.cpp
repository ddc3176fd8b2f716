#include "cotangent/model/coverage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <utility>

#include "cotangent/model/index_program.hpp"

namespace cotangent {
namespace {

// Which entries of an array are assigned, the first index running fastest.
class Coverage {
 public:
  Coverage(const std::vector<std::int64_t>& shape, const ParameterMap& parameters)
      : shape_(shape), parameters_(parameters) {
    std::int64_t size = 1;
    for (const std::int64_t n : shape) {
      stride_.push_back(size);
      size *= n;
    }
    assigned_.resize(static_cast<std::size_t>(size));
  }

  /// Returns an entry that had a value before, if there is one.
  std::optional<EntryIndices> mark(const Assignment& value) {
    repeated_.reset();
    if (is_whole(value)) {
      const auto old = std::find(assigned_.begin(), assigned_.end(), true);
      if (old != assigned_.end()) repeated_ = old - assigned_.begin();
      std::fill(assigned_.begin(), assigned_.end(), true);
    } else {
      visit_all(value);
    }
    if (!repeated_) return std::nullopt;
    return indices_of(*repeated_);
  }

  std::optional<EntryIndices> first_missing() const {
    const auto it = std::find(assigned_.begin(), assigned_.end(), false);
    if (it == assigned_.end()) return std::nullopt;
    return indices_of(it - assigned_.begin());
  }

 private:
  EntryIndices indices_of(std::int64_t at) const {
    EntryIndices indices;
    for (const std::int64_t n : shape_) {
      indices.push_back(at % n + 1);
      at /= n;
    }
    return indices;
  }

  // Loops 1..n over every index, each used as it is.
  bool is_whole(const Assignment& value) const {
    if (value.loops.size() != shape_.size()) return false;
    for (std::size_t k = 0; k < shape_.size(); ++k) {
      const auto& [index, lo, hi] = value.loops[k];
      const bool plain = value.indices[k].op() == Op::symbol && value.indices[k].symbol_id() == index;
      if (!plain || !lo.is_constant(1) || !hi.is_constant(static_cast<double>(shape_[k]))) return false;
    }
    return true;
  }

  // An index or a bound of a loop as a function of the loop indices; mostly constants.
  class Index {
   public:
    Index(Expr e, const std::unordered_map<SymbolId, std::size_t>& position, const ParameterMap& parameters) {
      if (e.is_constant()) {
        constant_ = static_cast<std::int64_t>(e.value());
      } else {
        program_.emplace(e, position, parameters);
      }
    }
    std::int64_t operator()(std::span<const double> point) {
      return program_ ? static_cast<std::int64_t>(std::nearbyint((*program_)(point))) : constant_;
    }

   private:
    std::optional<IndexProgram> program_;
    std::int64_t constant_ = 0;
  };

  void visit_all(const Assignment& value) {
    std::unordered_map<SymbolId, std::size_t> position;
    std::vector<std::pair<Index, Index>> bounds;
    for (const auto& [index, lo, hi] : value.loops) {
      bounds.emplace_back(Index(lo, position, parameters_), Index(hi, position, parameters_));
      position.emplace(index, position.size());
    }
    std::vector<Index> indices;
    for (const Expr e : value.indices) indices.emplace_back(e, position, parameters_);
    std::vector<double> point(value.loops.size());
    visit(bounds, indices, point, 0);
  }

  void visit(std::vector<std::pair<Index, Index>>& bounds, std::vector<Index>& indices, std::vector<double>& point,
             std::size_t level) {
    if (level < bounds.size()) {
      const std::int64_t hi = bounds[level].second(point);
      for (std::int64_t i = bounds[level].first(point); i <= hi; ++i) {
        point[level] = static_cast<double>(i);
        visit(bounds, indices, point, level + 1);
      }
      return;
    }
    std::int64_t at = 0;
    for (std::size_t k = 0; k < stride_.size(); ++k) at += stride_[k] * (indices[k](point) - 1);
    const auto place = static_cast<std::size_t>(at);
    if (assigned_[place] && !repeated_) repeated_ = at;
    assigned_[place] = true;
  }

  const std::vector<std::int64_t>& shape_;
  const ParameterMap& parameters_;
  std::vector<std::int64_t> stride_;
  std::vector<bool> assigned_;
  std::optional<std::int64_t> repeated_;
};

}  // namespace

AssignedEntries::AssignedEntries(std::span<const Assignment> assignments, const ParameterMap& parameters)
    : assignments_(assignments), parameters_(parameters) {
  for (std::size_t k = 0; k < assignments.size(); ++k) by_target_[assignments[k].target].push_back(k);
}

std::span<const std::size_t> AssignedEntries::of(SymbolId target) const {
  const auto found = by_target_.find(target);
  if (found == by_target_.end()) return {};
  return found->second;
}

std::optional<EntryIndices> AssignedEntries::first_missing(SymbolId target,
                                                           const std::vector<std::int64_t>& shape) const {
  Coverage coverage(shape, parameters_);
  for (const std::size_t k : of(target)) coverage.mark(assignments_[k]);
  return coverage.first_missing();
}

std::optional<RepeatedEntry> AssignedEntries::first_repeated(SymbolId target,
                                                             const std::vector<std::int64_t>& shape) const {
  Coverage coverage(shape, parameters_);
  for (const std::size_t k : of(target))
    if (auto indices = coverage.mark(assignments_[k])) return RepeatedEntry{std::move(*indices), k};
  return std::nullopt;
}

std::string entry_text(const std::string& name, const EntryIndices& indices) {
  return indices.empty() ? name : fmt::format("{}[{}]", name, fmt::join(indices, ","));
}

}  // namespace cotangent
