#include "cotangent/derivatives/partials.hpp"

#include <quadmath.h>

#include <unordered_set>
#include <vector>

#include "cotangent/base/check.hpp"

namespace cotangent {
namespace {

bool is_square(Expr e) {
  if (e.op() == Op::mul && e.arg(0).is_constant() && e.arg(0).value() > 0) e = e.arg(1);
  if (e.op() != Op::pow || !e.arg(1).is_constant()) return false;
  const Quad half = e.arg(1).value() / 2;
  return half > 0 && floorq(half) == half;
}

}  // namespace

bool is_sum_of_squares(Expr e) {
  std::vector<Expr> stack{e};
  std::unordered_set<NodeId> seen;
  while (!stack.empty()) {
    const Expr term = stack.back();
    stack.pop_back();
    if (!seen.insert(term.id()).second) continue;
    if (term.op() == Op::add) {
      stack.push_back(term.arg(0));
      stack.push_back(term.arg(1));
    } else if (!is_square(term)) {
      return false;
    }
  }
  return true;
}

Expr partial(Expr e, int k) {
  Graph& graph = e.graph();
  const Expr one = graph.constant(1);
  const Expr a = e.arg(0);
  switch (e.op()) {
    case Op::add:
      return one;
    case Op::mul:
      return e.arg(1 - k);
    case Op::div:
      return k == 0 ? 1 / e.arg(1) : -(e / e.arg(1));
    case Op::pow: {
      const Expr b = e.arg(1);
      if (k == 0) return b * pow(a, b - 1);
      return e * log(a);
    }
    case Op::sin:
      return cos(a);
    case Op::cos:
      return -sin(a);
    case Op::tan:
      return 1 + e * e;
    case Op::asin:
      return 1 / sqrt(1 - a * a);
    case Op::acos:
      return -1 / sqrt(1 - a * a);
    case Op::atan:
      return 1 / (1 + a * a);
    case Op::sinh:
      return graph.apply(Op::cosh, a);
    case Op::cosh:
      return graph.apply(Op::sinh, a);
    case Op::tanh:
      return 1 - e * e;
    case Op::exp:
      return e;
    case Op::log:
      return 1 / a;
    case Op::erf:
    case Op::erfc: {
      const Quad factor = 2 / sqrtq(M_PIq);
      return graph.constant(e.op() == Op::erf ? factor : -factor) * exp(-(a * a));
    }
    case Op::sqrt:
      return 0.5 / (is_sum_of_squares(a) ? e + graph.apply(Op::eq, e, graph.constant(0)) : e);
    case Op::abs:
      return graph.apply(Op::sign, a);
    case Op::atan2: {
      // atan2(y, x): (x, -y) / (x^2 + y^2)
      const Expr y = a, x = e.arg(1), r2 = x * x + y * y;
      return k == 0 ? x / r2 : -y / r2;
    }
    case Op::mod:
      return k == 0 ? one : -graph.apply(Op::floor, a / e.arg(1));
    case Op::rounded:
      return one;
    case Op::sign:
    case Op::floor:
    case Op::ceil:
    case Op::round:
    case Op::sum_error:
    case Op::lt:
    case Op::le:
    case Op::eq:
    case Op::ne:
      return {};
    case Op::constant:
    case Op::symbol:
    case Op::entry:
    case Op::sum:
    case Op::min:
    case Op::max:
    case Op::select:
      break;
  }
  check_failed("e is a differentiable operation");
}

}  // namespace cotangent
