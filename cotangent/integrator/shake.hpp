#pragma once

#include <vector>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/integrator/end_kick.hpp"
#include "cotangent/integrator/integrator.hpp"
#include "cotangent/integrator/row_solve.hpp"
#include "cotangent/manifold/manifold.hpp"

namespace cotangent {

/// SHAKE for H(q, p) = T(p) + V(q) with constraints g(q) = 0: the leapfrog scheme, whose momenta belong to the middles
/// of steps and are not projected. From (q, p') with p' of the step before, of length h':
///
///   p' <- p' - (h' + h)/2 H_q(q) - G(q)' l      kick;  l from 0 = g(Q)
///   Q   = q + h H_p(p')                         drift
///
/// The momentum that is given out at the end of a step is the physical one,
///
///   P   = p' - h/2 H_q(Q) - G(Q)' m,            m from 0 = G(Q) H_p(P)       (end_kick.hpp)
///
/// and nothing depends on it afterwards. At the beginning, or from a point that is not the end of the last step, p' =
/// p - h/2 H_q(q) - G(q)' l. Since p' differs from P by h/2 H_q(Q) and forces along G(Q)' only, which the next l makes
/// up for, both ways give the same Q: (q, p) -> (Q, P) is the map of RATTLE, up to rounding errors.
///
/// References: [ryckaert77]; [hlw06, VII.1.4]; the equivalence: [leimkuhler-skeel94].
template <class T>
class Shake final : public Integrator<T> {
 public:
  static MethodFacts sheet();

  /// @param manifold must outlive the integrator.
  /// @throws std::invalid_argument if H is not separable, or depends on the time, or there are forces or states.
  explicit Shake(Manifold<T>& manifold);

  [[nodiscard]] StepReport<T> step(PhasePoint<T>& z, LaneOf<T> h) override;

 private:
  void begin(const PhasePoint<T>& z, LaneOf<T> h);
  bool solve_position(const PhasePoint<T>& z, StepReport<T>& report);
  void drift(const PhasePoint<T>& z);
  void commit(PhasePoint<T>& z, LaneOf<T> h, const Mask<T>& ok);

  Manifold<T>& manifold_;
  Request<T> H_q_, H_p_, G_transposed_times_;
  Frame<T> frame_;
  std::size_t n_, m_;
  T h_{}, t_end_{};
  std::vector<T> base_, base_low_, kick_;  // what p' starts from, and -(h' + h)/2 H_q(q)
  std::vector<T> l_, rows_, v_, c_, sizes_, zero_, norms_;
  std::vector<T> p_, p_low_, Q_, Q_low_;  // p' and Q
  RowResiduals<T> residuals_;
  EndKick<T> end_;
  // p' of the step before, in lanes that have made it.
  std::vector<T> carried_, carried_low_;
  Mask<T> is_carried_ = false;
  LaneOf<T> last_h_ = 0;
  std::uint64_t known_revision_ = 0;
  RevisionSource next_revision_;
};

COTANGENT_DECLARE(NUMBERS, Shake);

}  // namespace cotangent
