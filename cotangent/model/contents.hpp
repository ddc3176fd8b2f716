#pragma once

#include <unordered_map>

#include "cotangent/expr/expr.hpp"
#include "cotangent/model/purpose.hpp"

namespace cotangent {

/// Which kinds of name expressions contain. Remembers every node it has seen, so that a long chain of definitions is
/// walked once and not once for each of its links.
class Contents {
 public:
  NameKinds of(Expr e);

 private:
  std::unordered_map<NodeId, NameKinds> known_;
};

}  // namespace cotangent
