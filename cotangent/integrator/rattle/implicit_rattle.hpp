#pragma once

#include <algorithm>
#include <vector>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/integrator/integrator.hpp"
#include "cotangent/manifold/manifold.hpp"
#include "cotangent/manifold/row_scales.hpp"
#include "cotangent/solve/iteration/gmres.hpp"

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
/// The last kick is one solve with R = G H_pp G' where H is quadratic in P and forces do not depend on multipliers, and
/// Newton's method in the same way otherwise.
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
  void evaluate(const PointRef<T>& first);
  void guess(const PhasePoint<T>& z);
  bool solve_first_half(const PhasePoint<T>& z, StepReport<T>& report);
  Ratio<T> residual(const PhasePoint<T>& z);
  void find_noise(const PhasePoint<T>& z, const Mask<T>& lanes);
  void improve(const PhasePoint<T>& z, const Mask<T>& active, StepReport<T>& report);
  void set_weights();
  void multiply(const PhasePoint<T>& z, const T* a, T* out);
  void precondition(const PhasePoint<T>& z, T* x);
  bool solve_second_half(const PhasePoint<T>& z, StepReport<T>& report);
  void last_kick(const PhasePoint<T>& z, const PointRef<T>& middle);
  Ratio<T> momentum_residual(const PhasePoint<T>& z, const PointRef<T>& end);
  bool solve_momentum(const PhasePoint<T>& z, const PointRef<T>& middle, StepReport<T>& report);
  void commit(PhasePoint<T>& z, LaneOf<T> h, const StepReport<T>& report, Memory<T>& after);

  static std::vector<T> zeros(std::size_t size) { return std::vector<T>(size, T(0)); }

  Manifold<T>& manifold_;
  System<T>& system_ = manifold_.system();
  Forcing<T>& forcing_ = manifold_.forcing();
  const std::size_t n_ = static_cast<std::size_t>(system_.n()), m_ = static_cast<std::size_t>(system_.m());
  const std::size_t states_ = static_cast<std::size_t>(system_.elements().states);

  T h_{}, half_{}, t_{}, t_end_{}, power_{};
  std::vector<T> x_ = zeros(2 * n_ + m_ + states_), e_ = x_, dx_ = x_, scale_ = x_;  // unknowns, residual, correction
  std::vector<T> noise_ = x_, moved_ = x_;
  PhasePoint<T> beside_{system_.n(), system_.state_count()};
  // H_p, F, G'l, the rates of the states at the first end, then with m at the second; vb: H_p at the second.
  std::vector<T> va_ = zeros(n_), vb_ = va_, F_ = va_, c_ = va_, lambda_ = zeros(m_);
  std::vector<T> rate_ = zeros(static_cast<std::size_t>(system_.state_count())), first_rate_ = rate_;
  PhasePoint<T> Z_{system_.n(), system_.state_count()};    // the end of the step
  std::vector<T> m_kick_ = lambda_, l_minus_m_ = lambda_;  // m; for the next guess
  std::vector<T> kick_ = va_, rows_ = lambda_, psi_ = lambda_, right_ = lambda_, y_ = va_, u_ = va_, dF_ = va_;
  std::vector<T> ds_ = rate_, zero_ = zeros(std::max(n_, rate_.size()));
  RowScales<T> scales_first_{system_}, scales_end_{system_};  // of G at both ends
  Gmres<T> gmres_, multiplier_gmres_;
  bool has_history_ = false;
};

COTANGENT_DECLARE(NUMBERS, ImplicitRattle);

}  // namespace cotangent
