#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/integrator/integrator.hpp"
#include "cotangent/manifold/hidden_constraint.hpp"
#include "cotangent/manifold/manifold.hpp"
#include "cotangent/manifold/row_scales.hpp"
#include "cotangent/solve/fixed_point.hpp"

namespace cotangent {

/// Hairer's symmetric projection of a symmetric one-step method Phi_h, with z = (q, p) and c = (g, psi): leave the
/// manifold, make a step, and return to it by the same multipliers mu = (mu_1, mu_2):
///
///   z~  = z + N(z) mu,    Z~ = Phi_h(z~),    Z = Z~ + N(Z) mu,     mu from 0 = c(Z)
///
///   N(z) mu = (H_pp G' mu_1, G' mu_2)       at z, with its t
///
/// so that c' N = ((R, 0), (.., R)) with R = G H_pp G' is regular, in whatever units q and p are. Exchanging the ends
/// and h by -h changes nothing but the sign of mu: the map is symmetric. It has the order of Phi_h, and both
/// constraints hold. It is not symplectic, even where Phi_h is. Where there are no constraints it is Phi_h.
///
/// Phi_h is any Integrator; off the manifold it follows the field of its formulation. mu and the shift d = N(Z) mu are
/// found together by FixedPoint, from the equations r = d - N(Z) mu, c(Z) = 0, with the preconditioner
///
///   R a = g - G r_q,   2 R dmu_2 = psi - psi'[(r_q + H_pp G' a, r_p)],   2 dmu_1 + h dmu_2 = a,   dd = r + N dmu
///
/// at z: mu acts twice, and what mu_2 does to p moves q during the step. It leaves an error of O(h), so that few steps
/// of Phi_h are needed.
///
/// References: [hairer00]; [hlw06, V.4.1].
template <class T>
class SymmetricProjection final : public Integrator<T> {
 public:
  /// @param manifold must outlive the integrator.
  /// @param method symmetric, in the variables q and p.
  SymmetricProjection(MethodFacts facts, Manifold<T>& manifold, std::unique_ptr<Integrator<T>> method,
                      FixedPointSolver solver = FixedPointSolver::automatic);

  /// One in each step; what moves a point is the shift at its end, d.
  void count_projections(ProjectionTally<T>* tally) override {
    tally_ = tally;
    method_->count_projections(tally);
  }

 private:
  [[nodiscard]] StepReport<T> make_step(const Point<T>& z, LaneOf<T> h, Point<T>& end) override;
  void evaluate(const PhasePoint<T>& z, LaneOf<T> h, const T* x, T* r);
  void shift(HiddenConstraint<T>& at, const T* mu, T* q, T* p);
  void precondition(LaneOf<T> h, T* r);
  void set_sizes(const PhasePoint<T>& z);
  void weigh(const PhasePoint<T>& z);
  void commit(const StepReport<T>& report, Memory<T>& after);

  Manifold<T>& manifold_;
  std::unique_ptr<Integrator<T>> method_;
  ConstraintMatrix<T> matrix_;             // the method has use for that of the manifold
  HiddenConstraint<T> at_begin_, at_end_;  // at z and at Z
  std::size_t n_, m_;
  FixedPoint<T> solver_;  // of mu_1, mu_2 and both parts of d
  Point<T> shifted_;      // z~
  Point<T> end_;          // Z
  StepReport<T> inner_;   // of the last step of the method
  std::int64_t steps_ = 0, evaluations_ = 0;
  std::vector<T> v_, a_, shift_, rows_;
  RowScales<T> scales_;
  std::vector<T> position_sizes_, momentum_sizes_;  // of mu_1 and mu_2 that move some q, some p by 1
  // What rounding leaves, in units of epsilon.
  std::vector<T> mu_noise_;
  T q_noise_ = T(0), p_noise_ = T(0);
  ProjectionTally<T>* tally_ = nullptr;
};

/// What the projection of a method claims.
MethodFacts symmetric_projection_facts(const std::string& name, const MethodFacts& method);

COTANGENT_DECLARE(NUMBERS, SymmetricProjection);

}  // namespace cotangent
