#include "cotangent/analyze/dirac/printed.hpp"

#include <array>
#include <unordered_map>

#include "cotangent/expr/algorithm.hpp"

namespace cotangent {

bool is_readable(Expr e) {
  constexpr double kReadable = 400;  // operations and leaves
  std::unordered_map<NodeId, double> length;
  for (const Expr node : reachable(std::array{e})) {
    double sum = 1;
    for (int k = 0; k < node.arity(); ++k) sum += length.at(node.arg(k).id());
    length[node.id()] = sum;
  }
  return length.at(e.id()) <= kReadable;
}

std::string printed(Expr e) { return is_readable(e) ? to_text(e) : "(too long to print)"; }

}  // namespace cotangent
