#include "cotangent/derivatives/evaluation_error.hpp"

#include <array>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cotangent/derivatives/partials.hpp"
#include "cotangent/expr/algorithm.hpp"

namespace cotangent {
namespace {

class ErrorAnalysis {
 public:
  ErrorAnalysis(Expr f, const std::function<ArgumentError(Expr)>& argument)
      : graph_(f.graph()), zero_(graph_.constant(0)) {
    for (const Expr& e : reachable(std::array{f})) errors_.emplace(e.id(), e.op() == Op::symbol ? argument(e) : of(e));
  }

  /// As of a part of something.
  Expr error(Expr e) const {
    const Expr known = errors_.at(e.id()).error;
    return known.valid() ? known : zero_;
  }

  /// As of a whole: without the constants at the top of it.
  Expr error_of_terms(Expr f) const {
    Expr sum = zero_;
    std::vector<std::pair<Expr, Expr>> terms{{graph_.constant(1), f}};  // with their factors
    while (!terms.empty()) {
      const auto [factor, e] = terms.back();
      terms.pop_back();
      if (e.op() == Op::add) {
        for (int k = 0; k < 2; ++k) terms.emplace_back(factor, e.arg(k));
      } else if (e.op() == Op::mul && !varies(e.arg(0))) {
        terms.emplace_back(factor * abs(e.arg(0)), e.arg(1));
      } else if (e.op() == Op::mul && !varies(e.arg(1))) {
        terms.emplace_back(factor * abs(e.arg(1)), e.arg(0));
      } else if (e.op() == Op::div && !varies(e.arg(1))) {
        terms.emplace_back(factor / abs(e.arg(1)), e.arg(0));
      } else {
        sum = sum + factor * error(e);
      }
    }
    return sum;
  }

 private:
  bool varies(Expr e) const { return errors_.at(e.id()).varies; }

  ArgumentError of(Expr e) const {
    bool any = false;
    for (int k = 0; k < e.arity(); ++k) any = any || varies(e.arg(k));
    if (!any) return {};
    return {true, error_of_operation(e)};
  }

  Expr error_of_operation(Expr e) const {
    if (e.op() == Op::select) return select(e.arg(0), error(e.arg(1)), error(e.arg(2)));
    if (e.op() == Op::min || e.op() == Op::max) return max(error(e.arg(0)), error(e.arg(1)));
    Expr sum = zero_;
    for (int k = 0; k < e.arity(); ++k) {
      const Expr x = e.arg(k);
      if (e.op() == Op::add && !varies(x)) sum = sum + abs(x);
      if (error(x).is_constant(0)) continue;
      if (const Expr by_x = partial(e, k); by_x.valid()) sum = sum + abs(by_x) * error(x);
    }
    return is_rounded_anew(e) ? sum + abs(e) : sum;
  }

  // Whether the error of the value is not one of the arguments, by their derivatives: |e| is more than |e' x|.
  static bool is_rounded_anew(Expr e) {
    if (e.op() == Op::pow) return !e.arg(1).is_constant();
    const bool is_covered = e.op() == Op::sqrt || e.op() == Op::abs || is_whole(e.op());
    return e.op() == Op::atan2 || (is_unary_function(e.op()) && !is_covered);
  }

  Graph& graph_;
  Expr zero_;
  std::unordered_map<NodeId, ArgumentError> errors_;
};

}  // namespace

Expr evaluation_error(Expr f, bool is_part, const std::function<ArgumentError(Expr symbol)>& argument) {
  const ErrorAnalysis analysis(f, argument);
  return is_part ? analysis.error(f) : analysis.error_of_terms(f);
}

}  // namespace cotangent
