#pragma once

#include <optional>
#include <vector>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/system/legendre/gradient_inverse.hpp"
#include "cotangent/system/system.hpp"

namespace cotangent {

/// The momenta of velocities, and how they change along a motion with q' = v and v' = a:
///
///   p(q, v, t)  solves  H_p(q, p, t) = v
///   p' = M (a - H_pq v - H_pt),   M = H_pp^-1
///
/// Of a Lagrangian these are products, p = L_v, M = L_vv and p' = L_vv a + L_vq v + L_vt. Where H_pp is constant and
/// diagonal M is a division. Otherwise see gradient_inverse.hpp: M only ever is a solve with the sparse H_pp.
template <class T>
class MomentumMap {
 public:
  /// @param system must outlive this.
  /// @throws std::invalid_argument if H_pp is seen to be singular, is full and too large, or is that of a black box.
  explicit MomentumMap(System<T>& system);

  /// Finds p() at (q, v, t), which must stay where they are as long as what follows is used. False in lanes where there
  /// is none.
  [[nodiscard]] Mask<T> at(const T* q, const T* v, const T& t);

  const std::vector<T>& p() const { return p_; }

  /// M a.
  void mass_times(const T* a, T* result);

  /// p' where v' = a.
  void rate(const T* a, T* p_dot);

 private:
  At<T> here() const { return system_.at(q_, p_, t_).with(v_); }

  System<T>& system_;
  const T *q_ = nullptr, *v_ = nullptr;
  T t_ = T(0);
  std::vector<T> p_, zero_, rest_;

  // Where H_pp is neither constant and diagonal nor that of a Lagrangian.
  std::optional<GradientInverse<T>> inverse_;
};

COTANGENT_DECLARE(NUMBERS, MomentumMap);

}  // namespace cotangent
