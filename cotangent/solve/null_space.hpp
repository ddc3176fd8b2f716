#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cotangent/base/dual.hpp"

namespace cotangent {

/// The d directions in which a positive semidefinite R is smallest, as an orthonormal basis N, for a number d that is
/// known from elsewhere: that of the constraints that follow from others.
///
/// On the constraint manifold R N = 0. Off it dependent constraints are not quite dependent, and R has eigenvalues
/// along N that are as small as the squares of residuals but not zero: solving with them would ask constraint forces
/// for what they cannot do. So what lies in N is taken out of right-hand sides and solutions, there as on the manifold.
///
/// N comes from inverse iteration with K = (R + delta)^-1, from vectors that are always the same: each pass gains the
/// ratio of the eigenvalues inside and outside of N.
template <class T>
class NullSpace {
 public:
  NullSpace(std::size_t size, std::size_t dimension) : basis_(dimension, std::vector<T>(size, T(0))) {}

  bool is_empty() const { return basis_.empty(); }

  /// @param apply (x) replaces x by K x.
  template <class Apply>
  void find(const Apply& apply) {
    std::uint64_t state = 1;
    for (auto& n : basis_)
      for (T& x : n) {
        state = state * 6364136223846793005ULL + 1442695040888963407ULL;
        x = T(static_cast<double>(state >> 11) * 0x1p-52 - 1);
      }
    orthonormalise();
    for (int pass = 0; pass < kPasses; ++pass) {
      for (auto& n : basis_) apply(n.data());
      orthonormalise();
    }
  }

  /// x <- (1 - N N') x.
  void remove_from(T* x) const {
    for (const auto& n : basis_) remove(n, x);
  }

 private:
  static constexpr int kPasses = 3;

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
        T largest(0);
        for (const T& x : n) largest = max(largest, abs(x));
        const T scale = select(largest > T(0), T(1) / largest, T(0));
        for (T& x : n) x *= scale;
        for (std::size_t j = 0; j < k; ++j) remove(basis_[j], n.data());
        T square(0);
        for (const T& x : n) square += x * x;
        const T length = sqrt(square);
        for (T& x : n) x = select(length > T(0), x / length, T(0));
      }
    }
  }

  std::vector<std::vector<T>> basis_;
};

}  // namespace cotangent
