#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "cotangent/base/dual.hpp"
#include "cotangent/solve/iteration/stopping.hpp"

namespace cotangent {

/// What solving A x = b by refinement came to, per lane.
template <class T>
struct Refinement {
  Mask<T> converged;  ///< the residual is at its rounding level
  T residual;         ///< max_i |b - A x|_i
  int sweeps;         ///< corrections made, in the lane that took most
};

/// Iterative refinement: x <- x + C (b - A x), C an approximate inverse of A, until the largest |r_i|, r = b - A x, is
/// at epsilon max_i (|b| + |A| |x|)_i, and no longer than it shrinks.
///
/// @param residual (x, r, magnitude) sets r = b - A x and magnitude = |b| + |A| |x|.
/// @param correct (r) replaces r by C r.
/// @param r and magnitude workspace of the size of x.
template <class T, class Residual, class Correct>
Refinement<T> refine(T* x, std::vector<T>& r, std::vector<T>& magnitude, const Residual& residual,
                     const Correct& correct) {
  RoundingStop<T> stop({.max_stalls = 1});
  while (true) {
    residual(x, r.data(), magnitude.data());
    T norm(0), level(0);
    for (std::size_t i = 0; i < r.size(); ++i) {
      norm = max(norm, select(isfinite(r[i]), abs(r[i]), T(infinity<T>())));
      level = max(level, magnitude[i]);
    }
    if (!stop.update(norm, level * T(epsilon<T>()))) break;
    correct(r.data());
    for (std::size_t i = 0; i < r.size(); ++i) x[i] = select(stop.active(), x[i] + r[i], x[i]);
  }
  return {stop.converged(), stop.residual(), stop.iterations() - 1};
}

/// The solution of smallest norm of R x = b, where R is positive semidefinite and may be singular or nearly so:
/// redundant constraints make R = G W G' singular, and b is then in the range of R up to rounding.
///
/// The inverse of a shifted matrix is used for iterative refinement [riley55]:
///
///   K = (R + delta I)^-1,   delta = epsilon^(2/3) max_i R(i,i)
///   x = R K K b,   and then in each sweep   x <- x + K R K (b - R x).
///
/// Along an eigenvector of R with eigenvalue s the error is multiplied by 1 - (s / (s + delta))^2, about 2 delta / s,
/// at the beginning and in each sweep: in double one to three sweeps do for s > 1e-6 max R. Along the kernel of R
/// nothing is added.
///
/// The plain x <- x + K (b - R x) has the same limit in theory. But K multiplies what rounding errors of b and R x have
/// in the kernel by 1 / delta: x would be off by epsilon^(1/3). R takes that away, up to the rounding of one product,
/// epsilon^(2/3), and the residual goes down to epsilon.
///
/// Where d constraints are known to follow from others, R N = 0 on the constraint manifold for d directions N. Off it
/// dependent constraints are not quite dependent, and R has eigenvalues along N that are as small as the squares of
/// residuals but not zero: solving with them would ask constraint forces for what they cannot do. So with
/// P = 1 - N N' what lies in N is left out of everything: x = P K P b and x <- x + P K P (b - R x). N comes from
/// inverse iteration with K, from vectors that are always the same: each pass gains the ratio of the eigenvalues inside
/// and outside of N.
template <class T>
class SmallestSolution {
 public:
  explicit SmallestSolution(std::size_t size) : b_(size, T(0)), r_(b_), y_(b_), magnitude_(b_) {}

  void set_nullity(std::size_t d) { basis_.assign(d, std::vector<T>(b_.size(), T(0))); }
  std::size_t nullity() const { return basis_.size(); }

  /// N, if there is any, for a new R. @param solve (x) replaces x by K x.
  template <class Solve>
  void find_null_space(const Solve& solve) {
    std::uint64_t state = 1;
    for (auto& n : basis_)
      for (T& x : n) {
        state = state * 6364136223846793005ULL + 1442695040888963407ULL;
        x = T(static_cast<double>(state >> 11) * 0x1p-52 - 1);
      }
    orthonormalise();
    for (int pass = 0; pass < kPasses; ++pass) {
      for (auto& n : basis_) solve(n.data());
      orthonormalise();
    }
  }

  /// x <- x with R x = b, where x is b at first.
  /// @param solve (x) replaces x by K x. @param multiply (x, y) sets y = R x.
  /// @param residual (b, x, r, magnitude) sets r = b - R x and magnitude = |b| + |R| |x|.
  /// @return converged where the residual is at its rounding level. Elsewhere b is not in the range of R, or R has
  ///   eigenvalues about as large as the shift; x is then what the last sweep made of it.
  template <class Solve, class Multiply, class Residual>
  Refinement<T> operator()(T* x, const Solve& solve, const Multiply& multiply, const Residual& residual) {
    project(x);
    std::copy_n(x, b_.size(), b_.begin());
    solve(x);
    if (!basis_.empty()) {
      project(x);
    } else {
      solve(x);
      std::copy_n(x, y_.size(), y_.begin());
      multiply(y_.data(), x);
    }
    const auto residual_at = [&](const T* at, T* r, T* magnitude) {
      residual(b_.data(), at, r, magnitude);
      project(r);
    };
    const auto correct = [&](T* r) {
      solve(r);
      if (!basis_.empty()) return project(r);
      multiply(r, y_.data());
      solve(y_.data());
      std::copy(y_.begin(), y_.end(), r);
    };
    return refine(x, r_, magnitude_, residual_at, correct);
  }

 private:
  static constexpr int kPasses = 3;

  // x <- P x.
  void project(T* x) const {
    for (const auto& n : basis_) remove(n, x);
  }

  static void remove(const std::vector<T>& n, T* x) {
    T along(0);
    for (std::size_t i = 0; i < n.size(); ++i) along += n[i] * x[i];
    for (std::size_t i = 0; i < n.size(); ++i) x[i] -= along * n[i];
  }

  // Twice, since vectors of the first pass may be nearly parallel.
  void orthonormalise() {
    for (std::size_t k = 0; k < basis_.size(); ++k) {
      auto& n = basis_[k];
      for (int time = 0; time < 2; ++time) {
        // Entries may be as large as 1 / delta, their squares too large.
        T largest(0), square(0);
        for (const T& x : n) largest = max(largest, abs(x));
        const T scale = select(largest > T(0), T(1) / largest, T(0));
        for (T& x : n) x *= scale;
        for (std::size_t j = 0; j < k; ++j) remove(basis_[j], n.data());
        for (const T& x : n) square += x * x;
        const T length = sqrt(square);
        for (T& x : n) x = select(length > T(0), x / length, T(0));
      }
    }
  }

  std::vector<std::vector<T>> basis_;  // N
  std::vector<T> b_, r_, y_, magnitude_;
};

}  // namespace cotangent
