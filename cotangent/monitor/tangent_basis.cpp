#include "cotangent/monitor/tangent_basis.hpp"

#include <algorithm>
#include <cmath>

namespace cotangent {
namespace {

// Vectors that are so many times as long as they began, or as short, are exchanged.
constexpr double kLong = 8;

using Pairs = std::vector<TangentPair>;

// take(wedge product) of the vectors i < k, in order.
template <class F>
void each_product(const Pairs& pairs, std::size_t dimension, const F& take) {
  for (std::size_t i = 0; i < dimension; ++i)
    for (std::size_t k = i + 1; k < dimension; ++k)
      take(wedge(pairs[i / 2], static_cast<int>(i % 2), pairs[k / 2], static_cast<int>(k % 2)) / pairs[i / 2].unit());
}

// Gram and Schmidt's method, in the order of the vectors.
bool orthonormalise(Pairs& pairs, std::size_t dimension) {
  for (std::size_t i = 0; i < dimension; ++i) {
    TangentPair& x = pairs[i / 2];
    const int a = static_cast<int>(i % 2);
    for (std::size_t k = 0; k < i; ++k) {
      const int b = static_cast<int>(k % 2);
      x.add(a, -inner(x, a, pairs[k / 2], b), pairs[k / 2], b);
    }
    const double length = std::sqrt(inner(x, a, x, a));
    if (!(length > 0) || !std::isfinite(length)) return false;
    x.scale(a, 1 / length);
  }
  return true;
}

}  // namespace

void TangentBasis::start(const Pairs& pairs, std::size_t dimension) {
  dimension_ = dimension;
  before_.clear();
  each_product(pairs, dimension_, [&](double product) { before_.push_back(product); });
  sum_.assign(before_.size(), 0);
}

bool TangentBasis::keep_in_shape(Pairs& pairs, const std::function<void(TangentPair&)>& renew) {
  bool is_in_shape = true;
  for (std::size_t i = 0; i < dimension_; ++i) {
    const int a = static_cast<int>(i % 2);
    const double length2 = inner(pairs[i / 2], a, pairs[i / 2], a);
    is_in_shape = is_in_shape && length2 < kLong * kLong && length2 > 1 / (kLong * kLong);
  }
  if (is_in_shape) return true;
  std::size_t at = 0;
  each_product(pairs, dimension_, [&](double product) {
    sum_[at] += product - before_[at];
    ++at;
  });
  if (!orthonormalise(pairs, dimension_)) return false;
  for (TangentPair& pair : pairs) renew(pair);
  at = 0;
  each_product(pairs, dimension_, [&](double product) { before_[at++] = product; });
  return true;
}

double TangentBasis::largest(const Pairs& pairs) const {
  double most = 0;
  std::size_t at = 0;
  each_product(pairs, dimension_, [&](double product) {
    most = std::max(most, std::abs(sum_[at] + (product - before_[at])));
    ++at;
  });
  return most;
}

}  // namespace cotangent
