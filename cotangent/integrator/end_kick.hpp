#pragma once

#include <vector>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/integrator/integrator.hpp"
#include "cotangent/integrator/row_solve.hpp"
#include "cotangent/manifold/manifold.hpp"
#include "cotangent/solve/gmres.hpp"

namespace cotangent {

/// The last kick of a step whose position is known: with w = h b_s, the weight of the last stage (Q, p', s') at t',
///
///   P = (p + kick) + w F(Q, p', s', t', m/w) - G(Q, t')' m,     m from 0 = G(Q, t') H_p(Q, P, t') + g_t
///
/// where p + kick is what earlier stages make of p. One solve with R = G H_pp G' where H is quadratic in P and forces
/// do not depend on multipliers; Newton's method otherwise.
template <class T>
class EndKick {
 public:
  /// @param manifold must outlive this.
  explicit EndKick(Manifold<T>& manifold);

  /// @param stage (Q, p', s', t').
  /// @return whether some lane is left.
  [[nodiscard]] bool solve(const std::vector<T>& p, const std::vector<T>& p_low, const std::vector<T>& kick,
                           const PointRef<T>& stage, const T& weight, StepReport<T>& report);

  const std::vector<T>& P() const { return P_; }
  const std::vector<T>& P_low() const { return P_low_; }
  std::vector<T>& m() { return m_kick_; }
  const std::vector<T>& lambda() const { return lambda_; }   ///< m / w
  const std::vector<T>& velocity() const { return v_; }      ///< H_p at the stage
  const std::vector<T>& last_kick() const { return last_; }  ///< w F - G'm
  const T& power() const { return power_; }                  ///< of F, as Forcing::force gives it

 private:
  void kick(const std::vector<T>& p, const std::vector<T>& p_low, const std::vector<T>& before,
            const PointRef<T>& stage, const T& weight);

  Manifold<T>& manifold_;
  Forcing<T>& forcing_;
  System<T>& system_;
  std::size_t n_, m_;
  std::vector<T> v_, F_, c_, lambda_, m_kick_, last_, P_, P_low_;
  std::vector<T> y_, u_, psi_, right_, rows_, zero_, dF_;
  T power_ = T(0);
  RowResiduals<T> residuals_;
  Gmres<T> gmres_;
};

COTANGENT_DECLARE(NUMBERS, EndKick);

}  // namespace cotangent
