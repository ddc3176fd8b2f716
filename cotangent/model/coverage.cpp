#include "cotangent/model/coverage.hpp"

#include <algorithm>
#include <map>
#include <numeric>

#include "cotangent/expr/algorithm.hpp"

namespace cotangent {
namespace {

// Which entries of an array are assigned, the first index running fastest.
class Coverage {
 public:
  explicit Coverage(const std::vector<std::int64_t>& shape) : shape_(shape) {
    std::int64_t size = 1;
    for (const std::int64_t n : shape) {
      stride_.push_back(size);
      size *= n;
    }
    assigned_.resize(static_cast<std::size_t>(size));
  }

  void mark(const Assignment& value) {
    if (is_whole(value)) {
      std::fill(assigned_.begin(), assigned_.end(), true);
    } else {
      visit(value, 0);
    }
  }

  std::optional<std::vector<std::int64_t>> first_missing() const {
    const auto it = std::find(assigned_.begin(), assigned_.end(), false);
    if (it == assigned_.end()) return std::nullopt;
    std::int64_t rest = it - assigned_.begin();
    std::vector<std::int64_t> indices;
    for (const std::int64_t n : shape_) {
      indices.push_back(rest % n + 1);
      rest /= n;
    }
    return indices;
  }

 private:
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

  std::int64_t evaluate(Expr e) const {
    if (e.op() == Op::symbol) return index_.at(e.symbol_id());
    return static_cast<std::int64_t>(cotangent::evaluate<double>(
        e, [&](SymbolId symbol, std::span<const std::int64_t>) { return static_cast<double>(index_.at(symbol)); }));
  }

  void visit(const Assignment& value, std::size_t level) {
    if (level < value.loops.size()) {
      const auto& loop = value.loops[level];
      const std::int64_t hi = evaluate(loop.hi);
      for (std::int64_t i = evaluate(loop.lo); i <= hi; ++i) {
        index_[loop.index] = i;
        visit(value, level + 1);
      }
      return;
    }
    std::int64_t at = 0;
    for (std::size_t k = 0; k < stride_.size(); ++k) at += stride_[k] * (evaluate(value.indices[k]) - 1);
    assigned_[static_cast<std::size_t>(at)] = true;
  }

  const std::vector<std::int64_t>& shape_;
  std::vector<std::int64_t> stride_;
  std::vector<bool> assigned_;
  std::map<SymbolId, std::int64_t> index_;
};

}  // namespace

std::optional<std::vector<std::int64_t>> first_missing_entry(std::span<const Assignment> initial, SymbolId target,
                                                             const std::vector<std::int64_t>& shape) {
  Coverage coverage(shape);
  for (const auto& value : initial)
    if (value.target == target) coverage.mark(value);
  return coverage.first_missing();
}

}  // namespace cotangent
