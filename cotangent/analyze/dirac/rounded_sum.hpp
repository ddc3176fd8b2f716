#pragma once

#include "cotangent/base/scalar.hpp"
#include "cotangent/expr/expr.hpp"

namespace cotangent {

/// A sum of expressions that is 0 where only numbers are left of it, and what they come to is rounding in Quad.
class RoundedSum {
 public:
  explicit RoundedSum(Expr first) : sum_(first) { note(first); }

  RoundedSum& operator+=(Expr e) { return sum_ = sum_ + e, note(e); }
  RoundedSum& operator-=(Expr e) { return sum_ = sum_ - e, note(e); }

  Expr value() const {
    const bool is_rounding = sum_.is_constant() && abs(sum_.value()) <= kRounding * size_;
    return is_rounding ? sum_.graph().constant(0) : sum_;
  }

 private:
  static constexpr Quad kRounding = 1e-30Q;  // of many sums one after the other; a unit of Quad is 2e-34

  RoundedSum& note(Expr e) {
    if (e.is_constant()) size_ += abs(e.value());
    return *this;
  }

  Expr sum_;
  Quad size_ = 0;
};

}  // namespace cotangent
