#pragma once

#include <vector>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/base/phase_point.hpp"
#include "cotangent/system/system.hpp"

namespace cotangent {

/// What changes momenta and states, but for the constraint forces:
///
///   F(q, p, s, t, lambda) = -H_q + f - D_v           p' = F - G' lambda
///   s' = rates,  and the work done  w' = (f - D_v)'v + H_t + lambda'g_t,  so that H - w is constant.
///
/// (dH/dt = H_q'v + v'(F - G' lambda) + H_t, where v = H_p and G v = -g_t.)
template <class T>
class Forcing {
 public:
  /// @param system must outlive this.
  explicit Forcing(System<T>& system);

  /// There are neither forces nor a dissipation: F = -H_q.
  bool is_conservative() const { return !has_force_ && !has_dissipation_; }
  bool uses_multipliers() const { return uses_multipliers_; }

  /// F, at v = H_p(z). `power` is (f - D_v)'v.
  void force(const PointRef<T>& z, const T* v, const T* lambda, T* F, T& power);

  /// The derivative of F along (a_p, a_v, a_s, a_lambda), where a_v = H_pp a_p.
  void force_along(const PointRef<T>& z, const T* v, const T* lambda, const T* a_p, const T* a_v, const T* a_s,
                   const T* a_lambda, T* dF);

  /// s', with the power that force() gave as its last part where the system has work. @param lambda may be null if
  /// uses_multipliers() is false; then lambda'g_t is left out.
  void rates(const PointRef<T>& z, const T* v, const T* lambda, const T& power, T* s_dot);

  /// The derivative of the states' rates along the same; nothing comes back from the work.
  void rates_along(const PointRef<T>& z, const T* v, const T* lambda, const T* a_p, const T* a_v, const T* a_s,
                   const T* a_lambda, T* ds);

 private:
  System<T>& system_;
  bool has_force_, has_dissipation_, has_time_, uses_multipliers_;
  std::vector<T> zero_, x_;
};

COTANGENT_DECLARE(NUMBERS, Forcing);

}  // namespace cotangent
