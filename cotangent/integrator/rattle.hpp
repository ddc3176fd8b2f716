#pragma once

#include <vector>

#include "cotangent/integrator/integrator.hpp"
#include "cotangent/manifold/manifold.hpp"

namespace cotangent {

/// RATTLE for H(q, p) = T(p) + V(q) with constraints g(q) = 0; without constraints it is the Störmer-Verlet scheme.
///
/// One step (q, p) -> (Q, P) of size h, with G = dg/dq:
///
///   p' = p  - h/2 H_q(q) - G(q)' l       kick;  l from 0 = g(Q)
///   Q  = q  + h H_p(p')                  drift
///   P  = p' - h/2 H_q(Q) - G(Q)' m       kick;  m from 0 = G(Q) H_p(P)
///
/// The position solve is Newton's iteration l <- l + K^-1 g(Q) / h with K = G(Q) H_pp G(q)', factored once per step and
/// again only where it contracts slowly. It starts from l = m + w of the step before, with w = l - m extrapolated:
/// l and m agree to first order by symmetry, so w is small and the guess is good to O(h^3) of the multiplier. The guess
/// changes the number of iterations but, since all solves go on to rounding error, not the result.
///
/// Updates of q and p are compensated: see PhasePoint.
///
/// References: [andersen83]; [leimkuhler-skeel94]; [hlw06, VII.1.4].
template <class T>
class Rattle final : public Integrator<T> {
 public:
  static MethodFacts sheet();

  /// @param manifold must outlive the integrator.
  /// @throws std::invalid_argument if H is not separable.
  explicit Rattle(Manifold<T>& manifold);

  [[nodiscard]] StepReport<T> step(PhasePoint<T>& z, LaneOf<T> h) override;

 private:
  void prepare(const PhasePoint<T>& z, LaneOf<T> h);
  void predict();
  bool solve_position(const PhasePoint<T>& z, LaneOf<T> h, StepReport<T>& report);
  bool solve_momentum(const PhasePoint<T>& z, LaneOf<T> h, StepReport<T>& report);
  void drift(const PhasePoint<T>& z, LaneOf<T> h);
  void velocity(const T* p, T* v);
  void commit(PhasePoint<T>& z, LaneOf<T> h, const Mask<T>& ok);
  bool end_solve(const RoundingStop<T>& stop, StepStatus failure, StepReport<T>& report);
  bool end_singular(const Mask<T>& regular, StepReport<T>& report);

  System<T>& system_;
  ConstraintMatrix<T>& matrix_;
  Frame<T> at_q_, at_Q_;
  std::size_t n_, rows_count_;

  std::vector<T> Q_, P_, v_;
  std::vector<T> drift_;      // H_p(p')
  std::vector<T> kick_;       // p' - p, then P - p
  std::vector<T> f_, F_;      // H_q at q and at Q
  std::vector<T> c_;          // G' times multipliers
  std::vector<T> l_, m_;
  std::vector<T> rows_;          // residuals and corrections
  std::vector<T> w_, w_before_;  // l - m of the last two steps
  int history_ = 0;              // how many of them are known
  std::vector<T> norms_;
  T g_scale_{}, psi_scale_{};  // rounding scales of the residuals at (q, p)

  // What is known at the beginning of a step if the point is the one that the last step left.
  std::uint64_t known_revision_ = 0;
  LaneOf<T> last_h_ = 0;
  RevisionSource next_revision_;
};

}  // namespace cotangent
