#pragma once

#include <array>
#include <cstddef>

#include "cotangent/base/scalar.hpp"

namespace cotangent {

/// sinh(y)/y and cosh(y) - 1 as functions of w = y^2, to a few units of rounding: Taylor series for w <= 1, where
/// sinh(2y) = 2 sinh(y) cosh(y) and cosh(2y) - 1 = 2 (cosh(y) - 1) (cosh(y) + 1) lead.
template <class T>
struct HyperbolicOfSquare {
  T sinh_ratio, cosh_less_one;

  explicit HyperbolicOfSquare(T w) {
    constexpr std::size_t kMostHalvings = 12;  // beyond y = 4096 both are too large for a number anyway
    constexpr int kTerms = 16;                 // 1/33! is 1e-37
    std::array<Mask<T>, kMostHalvings> is_halved;
    std::size_t halvings = 0;
    for (; halvings < kMostHalvings && any(w > T(1)); ++halvings) {
      is_halved[halvings] = w > T(1);
      w = select(is_halved[halvings], w / T(4), w);
    }
    sinh_ratio = T(1);
    cosh_less_one = T(1);
    for (int k = kTerms; k > 0; --k) {
      sinh_ratio = T(1) + w / T(2 * k * (2 * k + 1)) * sinh_ratio;
      cosh_less_one = T(1) + w / T((2 * k + 1) * (2 * k + 2)) * cosh_less_one;
    }
    cosh_less_one *= w / T(2);
    while (halvings-- > 0) {
      sinh_ratio = select(is_halved[halvings], sinh_ratio * (T(1) + cosh_less_one), sinh_ratio);
      cosh_less_one = select(is_halved[halvings], T(2) * cosh_less_one * (T(2) + cosh_less_one), cosh_less_one);
    }
  }
};

/// eta of a group-preserving step x + eta f. With X = (x, |x|) on the cone X'gX = 0, g = diag(1, -1), and
/// X' = A X, A = (0, f/|x|; f'/|x|, 0) in the algebra of the Lorentz group, X(t + h) = exp(h A) X has
///
///   eta = [(cosh z - 1) f.x + sinh z |x| |f|] / |f|^2,   z = h |f| / |x|,
///
/// which is computed as h S(z^2) + h^2 f.x / (2 |x|^2) S(z^2/4)^2, S(z^2) = sinh(z)/z: without a quotient by |f|, and
/// as a smooth function of x and f where f = 0. There eta = h, at x = 0 too.
///
/// References: [liu01], [liu06, equations (22) and (23)], with cosh z - 1 = 2 sinh^2(z/2).
template <class T>
T lorentz_factor(const T& xx, const T& fx, const T& ff, LaneOf<T> h) {
  const T step(h), w = step * step * ff / xx;
  const T half = HyperbolicOfSquare<T>(w / T(4)).sinh_ratio;
  const T eta = step * HyperbolicOfSquare<T>(w).sinh_ratio + step * step * fx / (T(2) * xx) * half * half;
  return select(ff > T(0), eta, step);
}

}  // namespace cotangent
