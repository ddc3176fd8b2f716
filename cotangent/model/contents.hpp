#pragma once

#include <cstdint>
#include <unordered_map>

#include "cotangent/expr/expr.hpp"
#include "cotangent/model/purpose.hpp"

namespace cotangent {

/// Which kinds of name expressions contain. Remembers every node it has seen, so that a long chain of definitions is
/// walked once and not once for each of its links.
class Contents {
 public:
  /// One bit for each kind.
  using Kinds = std::uint32_t;
  static Kinds bit(NameKind kind) { return Kinds{1} << static_cast<unsigned>(kind); }

  Kinds of(Expr e);

 private:
  std::unordered_map<NodeId, Kinds> known_;
};

}  // namespace cotangent
