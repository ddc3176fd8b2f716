#pragma once

#include <unordered_map>
#include <vector>

#include "cotangent/expr/expr.hpp"

namespace cotangent {

/// Values of symbols, by their nodes.
using SymbolValues = std::unordered_map<NodeId, Quad>;

/// A value, and the sum of the sizes of what is added up in it: the value is zero where it is smaller than that by many
/// orders.
struct Sized {
  Quad value = 0;
  Quad size = 0;

  bool is_finite() const;
};

/// Several expressions without sums and arrays at a point, what they share evaluated once.
class Evaluation {
 public:
  explicit Evaluation(std::vector<Expr> roots);

  std::vector<Sized> operator()(const SymbolValues& point) const;

 private:
  std::vector<Expr> roots_, nodes_;
  std::unordered_map<NodeId, std::size_t> place_;
};

}  // namespace cotangent
