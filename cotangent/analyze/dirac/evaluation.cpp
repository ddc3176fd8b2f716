#include "cotangent/analyze/dirac/evaluation.hpp"

#include <array>
#include <utility>

#include "cotangent/base/scalar.hpp"
#include "cotangent/expr/algorithm.hpp"
#include "cotangent/expr/arithmetic.hpp"

namespace cotangent {

bool Sized::is_finite() const { return isfinite(value) && isfinite(size); }

Evaluation::Evaluation(std::vector<Expr> roots) : roots_(std::move(roots)), nodes_(reachable(roots_)) {
  for (std::size_t k = 0; k < nodes_.size(); ++k) place_[nodes_[k].id()] = k;
}

std::vector<Sized> Evaluation::operator()(const SymbolValues& point) const {
  std::vector<Sized> values(nodes_.size());
  for (std::size_t k = 0; k < nodes_.size(); ++k) {
    const Expr e = nodes_[k];
    std::array<Sized, 3> x{};
    for (int j = 0; j < e.arity(); ++j) x[static_cast<std::size_t>(j)] = values[place_.at(e.arg(j).id())];
    Sized& result = values[k];
    if (e.op() == Op::constant) {
      result.value = e.value();
    } else if (e.op() == Op::symbol) {
      result.value = point.at(e.id());
    } else {
      result.value = apply_scalar<Quad>(e.op(), x[0].value, x[1].value, x[2].value);
    }
    switch (e.op()) {
      case Op::add:
        result.size = x[0].size + x[1].size;
        break;
      case Op::mul:
        result.size = x[0].size * x[1].size;
        break;
      case Op::div:
        result.size = x[0].size / abs(x[1].value);
        break;
      default:
        result.size = abs(result.value);
    }
  }
  std::vector<Sized> result;
  for (const Expr root : roots_) result.push_back(values[place_.at(root.id())]);
  return result;
}

}  // namespace cotangent
