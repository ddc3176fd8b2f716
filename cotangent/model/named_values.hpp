#pragma once

#include <string>
#include <vector>

#include "cotangent/expr/expr.hpp"
#include "cotangent/model/source/source.hpp"

namespace cotangent {

/// One loop of a family: index in lo..hi; the bounds may use indices of loops before it.
struct Loop {
  SymbolId index;
  Expr lo, hi;
};

/// Named values: for every instance of the loops (one if there are none) one number, or one for each component of
/// a vector. They are numbered with the component running fastest, then the instances, the innermost loop before the
/// outer ones.
///
/// A loop over an index list, (a, b) in pairs, is a loop k in 1..count in which a and b are the entries pairs[k,1] and
/// pairs[k,2].
struct NamedValues {
  std::string name;
  std::vector<Loop> loops;
  std::vector<Expr>
      labels;  ///< the indices as the user knows them, in terms of the loops: i, or pairs[k,1], pairs[k,2]
  std::vector<Expr> components;  ///< one unless is_vector
  bool is_vector = false;        ///< the number of the component is a further index
  Location where = {};           ///< the text of the value; no source if nobody wrote it
};

}  // namespace cotangent
