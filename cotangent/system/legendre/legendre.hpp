#pragma once

#include <memory>
#include <vector>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/system/legendre/gradient_inverse.hpp"
#include "cotangent/system/system.hpp"

namespace cotangent {

/// The Legendre transformation of a Lagrangian L(q, v, t) with regular M = L_vv.
///
///   v(q, p, t)  solves  L_v(q, v, t) = p     see gradient_inverse.hpp
///   H = p'v - L,  H_q = -L_q,  H_p = v,  H_t = -L_t
///
/// and so on for derivatives of H, each a few contractions of L and solves with M: see legendre.cpp. H itself is never
/// written down.
template <class T>
class Legendre final : public OperationSource<T> {
 public:
  /// @param system of a Lagrangian; must outlive this.
  explicit Legendre(System<T>& system) : system_(system), inverse_(system, Contraction::Of::L, Space::v) {}

  /// v at (q, p, t); not numbers in lanes where none was found. Valid until the next call.
  const std::vector<T>& velocity(const T* q, const T* p, const T& t) { return inverse_(q, p, t); }

  /// x <- M^-1 x at (q, p, t).
  void solve_mass(const T* q, const T* p, const T& t, T* x) { inverse_.solve(q, p, t, x); }

  /// The lanes where M is regular at (q, p, t) but not positive definite.
  Mask<T> indefinite(const T* q, const T* p, const T& t) { return inverse_.indefinite(q, p, t); }

  /// M at (q, p, t), in triplets, for whoever puts it into a larger matrix.
  const std::vector<TripletPlace>& mass_entries() const { return inverse_.entries(); }
  void mass(const T* q, const T* p, const T& t, T* values) { inverse_.matrix(q, p, t, values); }

  /// H and its derivatives as operations on (q, p, t).
  std::unique_ptr<Operation<T>> make(const Contraction& contraction) override;

  System<T>& system() { return system_; }

  /// Whether H_q depends on v.
  bool force_needs_velocity() const { return !system_.is_separable(); }

 private:
  System<T>& system_;
  GradientInverse<T> inverse_;
};

COTANGENT_DECLARE(NUMBERS, Legendre);

}  // namespace cotangent
