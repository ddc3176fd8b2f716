#pragma once

#include <memory>
#include <vector>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/integrator/end_kick.hpp"
#include "cotangent/integrator/integrator.hpp"
#include "cotangent/manifold/manifold.hpp"
#include "cotangent/manifold/row_scales.hpp"
#include "cotangent/solve/gmres.hpp"

namespace cotangent {

/// RATTLE for any H(q, p, t), with forces, states beside the coordinates, and constraints g(q, t) = 0 that may move.
///
/// One step (q, p, s) at t -> (Q, P, S) at t' = t + h, with F = -H_q + forces and r the rates of the states:
///
///   p' = p + h/2 F(q, p', s', t, 2l/h) - G(q, t)' l            kick;   l from 0 = g(Q, t')
///   s' = s + h/2 r(q, p', s', t, 2l/h)
///   Q  = q + h/2 (H_p(q, p', t) + H_p(Q, p', t'))              drift
///   P  = p' + h/2 F(Q, p', s', t', 2m/h) - G(Q, t')' m         kick;   m from 0 = G(Q, t') H_p(Q, P, t') + g_t
///   S  = s' + h/2 r(Q, p', s', t', 2m/h)
///
/// It is the partitioned Runge-Kutta method Lobatto IIIA-IIIB of two stages: symmetric, of order two, and symplectic on
/// the manifold where there are no forces. The time is treated as a coordinate, states as momenta. For H = T(p) + V(q)
/// it is the scheme of rattle.hpp.
///
/// The first half is one nonlinear system for x = (p', Q, l, s'), solved by Newton's method. Its matrix differs by O(h)
/// from
///
///   dp' + G(q)' dl = ..,   dQ - h W dp' = ..,   G(Q) dQ = ..,   ds' = ..,     W = H_pp(q, p'),
///
/// which is solved with the factors of K = G(Q) W G(q)' and serves as a preconditioner for minimal residuals: products
/// with the exact matrix are directional derivatives of H and of the forces. So no second derivative is ever assembled,
/// and the cost is that of the sparse K.
///
/// References: [jay96]; [hlw06, VII.1.4]; [saad-schultz86].
template <class T>
class ImplicitRattle final : public Integrator<T> {
 public:
  /// @param manifold must outlive the integrator.
  explicit ImplicitRattle(Manifold<T>& manifold);

 private:
  [[nodiscard]] StepReport<T> make_step(const Point<T>& z, LaneOf<T> h, Point<T>& end) override;

  // A vector with the parts p', Q, l, s'.
  struct Parts {
    T *p, *Q, *l, *s;
  };
  Parts parts(std::vector<T>& x) const { return parts(x.data()); }
  Parts parts(T* x) const { return {x, x + n_, x + 2 * n_, x + 2 * n_ + m_}; }

  void begin(const PhasePoint<T>& z, LaneOf<T> h, const Memory<T>& before);
  void guess(const PhasePoint<T>& z);
  bool solve_first_half(const PhasePoint<T>& z, StepReport<T>& report);
  bool solve_second_half(const PhasePoint<T>& z, StepReport<T>& report);
  struct Residual {
    Ratio<T> motion, states;
  };
  Residual residual(const PhasePoint<T>& z);
  void set_weights();
  void multiply(const PhasePoint<T>& z, const T* a, T* out);
  void precondition(const PhasePoint<T>& z, T* x);
  void commit(PhasePoint<T>& z, LaneOf<T> h, const StepReport<T>& report, Memory<T>& after);

  Manifold<T>& manifold_;
  System<T>& system_;
  Forcing<T>& forcing_;
  std::size_t n_, m_, states_;

  T h_{}, half_{}, t_{}, t_end_{}, near_states_{};
  std::vector<T> x_, e_, dx_, scale_;                            // the unknowns, the residual, a correction
  std::vector<T> va_, vb_, F_, c_, rate_, first_rate_, lambda_;  // at the first end: H_p, F, G'l, s'; vb at the second
  std::vector<T> Q_, S_, Q_low_, S_low_;                         // the end of the step
  std::vector<T> l_minus_m_, kick_, rows_, y_, u_, dF_, ds_;
  RowScales<T> scales_first_, scales_end_;  // of G at both ends
  Gmres<T> gmres_;
  EndKick<T> end_;
  int history_ = 0;
};

COTANGENT_DECLARE(NUMBERS, ImplicitRattle);

}  // namespace cotangent
