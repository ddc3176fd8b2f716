#pragma once

#include <csignal>
#include <span>
#include <unordered_map>
#include <vector>

#include "cotangent/base/interruption.hpp"
#include "cotangent/expr/expr.hpp"

namespace cotangent {

/// A factor of a polynomial: base^exponent.
struct Factor {
  Expr base;
  unsigned exponent;
};

/// Normal forms of expressions without sums and arrays: quotients of polynomials with integer coefficients,
///
///   e = num(a_1, ..., a_k)/den(a_1, ..., a_k),
///
/// in atoms a_j: symbols, and functions of normal forms. Powers of atoms are lowered by
///
///   sqrt(A)^2 = A,  sin^2 = 1 - cos^2,  cosh^2 = 1 + sinh^2,  abs(A)^2 = A^2,
///
/// and tan = sin/cos, (A == B) = 0, exp(-A) = 1/exp(A), A^(k/2) = sqrt(A)^k. So an expression in which these are the
/// only relations between atoms is zero exactly if its normal form is. Quotients are reduced: x/x is 1 here, unlike in
/// a Graph.
///
/// Polynomials are FLINT's [flint23]; expressions go in and come out. An expression that would cost too much is left as
/// it is: nothing but its length depends on that.
class Algebra {
 public:
  explicit Algebra(Graph& graph) : graph_(graph) {}

  /// While the flag is not zero normal forms are given up. @throws Interrupted from then on
  void stop_if(const volatile std::sig_atomic_t* flag) { interruption_ = Interruption(flag); }

  /// The normal form.
  Expr simplified(Expr e);

  /// The same where some expressions are zero: numerator and denominator are divided by their numerators, with
  /// remainders, if that makes them shorter. Zero only if e vanishes where they do.
  Expr reduced(Expr e, std::span<const Expr> zero);

  /// The irreducible factors of the numerator of e, without those of numbers and parameters.
  std::vector<Factor> factors(Expr e);

 private:
  friend class Conversion;

  Expr atom(Expr e);

  // Of one call, and of all together: what is printed is short, and the rest is evaluated.
  static constexpr long kCost = 100'000, kAllCosts = 4'000'000;

  long left_ = kAllCosts;
  Graph& graph_;
  Interruption interruption_{nullptr};
  std::unordered_map<NodeId, Expr> simplified_;
};

}  // namespace cotangent
