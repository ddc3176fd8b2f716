#include "cotangent/model/contents.hpp"

#include <vector>

namespace cotangent {

NameKinds Contents::of(Expr e) {
  std::vector<Expr> stack{e};
  while (!stack.empty()) {
    const Expr top = stack.back();
    if (known_.contains(top.id())) {
      stack.pop_back();
      continue;
    }
    const std::size_t depth = stack.size();
    NameKinds kinds = top.op() == Op::symbol || top.op() == Op::entry ? kinds_of(kind_of(top.symbol())) : 0;
    for (int k = 0; k < top.arity(); ++k) {
      const auto it = known_.find(top.arg(k).id());
      if (it == known_.end()) {
        stack.push_back(top.arg(k));
      } else {
        kinds |= it->second;
      }
    }
    if (stack.size() > depth) continue;
    known_.emplace(top.id(), kinds);
    stack.pop_back();
  }
  return known_.at(e.id());
}

}  // namespace cotangent
