#pragma once

#include <unordered_map>

#include "cotangent/expr/expr.hpp"
#include "cotangent/model/source/source.hpp"

namespace cotangent {

/// Where the operations of a model were written that can fail to give a number: 1/x, log(x), sqrt(x), ... Equal
/// expressions are one node, which then has several places.
class SourcePlaces {
 public:
  /// Remembers the place of an expression, if it is such an operation, also with a constant factor.
  void add(Expr e, const Location& where);

  /// The place of an operation inside another place if it was written there, else anywhere; a null pointer if nowhere.
  const Location* find(Expr e, const Location& inside) const;

 private:
  std::unordered_multimap<NodeId, Location> places_;
};

/// Whether a place lies in another one. False where either has no source.
bool contains(const Location& all, const Location& part);

}  // namespace cotangent
