#pragma once

#include <cstdint>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/base/scalar.hpp"

namespace cotangent {

/// The number that the shortest decimal of x names: a step of 0.1 is 0.1 in every precision, not the double
/// nearest to it.
template <class T>
T decimal(double x);

/// start + k x for decimals, each the number nearest to the decimal: 3 * 0.1 is 0.3, and 0.1 + 2 * 0.1 as well.
///
/// With x = digits / 10^places it is one division of two integers, rounded once, as long as both fit into T. Beyond
/// that, it is a rounded product and sum.
template <class T>
class DecimalMultiples {
 public:
  DecimalMultiples() = default;
  explicit DecimalMultiples(double x, double start = 0);

  bool is_exact(std::int64_t k) const { return static_cast<T>(k) <= last_exact_; }

  T operator()(std::int64_t k) const {
    return is_exact(k) ? (start_digits_ + static_cast<T>(k) * digits_) / power_ : start_ + static_cast<T>(k) * x_;
  }

 private:
  T x_ = T(0), start_ = T(0);
  T digits_ = T(0), start_digits_ = T(0), power_ = T(1);
  T last_exact_ = T(-1);
};

COTANGENT_DECLARE(PRECISIONS, DecimalMultiples);

}  // namespace cotangent
