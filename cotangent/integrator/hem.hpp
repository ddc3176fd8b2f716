#pragma once

#include <string>
#include <vector>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/integrator/integrator.hpp"
#include "cotangent/integrator/row_solve.hpp"
#include "cotangent/manifold/manifold.hpp"

namespace cotangent {

/// The coefficients of a half-explicit method: a_21; a_31, a_32; ...; b_1, ..., b_s. The c_i are the sums of rows.
using HalfExplicitTableau = std::vector<std::vector<Quad>>;

/// A half-explicit Runge-Kutta method on the constrained equations in the form of Gear, Gupta and Leimkuhler,
///
///   q' = v - H_pp G' mu,   p' = F - G' lambda,   0 = g,   0 = psi,       v = H_p,  F = -H_q + forces
///
/// in which mu vanishes. Explicit in v and F; the multipliers of a stage are those with which the next one, or the end
/// of the step, is on the manifold: for i = 2 .. s + 1, with a_{s+1,j} = b_j,
///
///   Q_i = q + h sum_{j<i} a_ij (v_j - H_pp G' mu_j),     mu_{i-1}      from 0 = g(Q_i, t_i)
///   P_i = p + h sum_{j<i} a_ij (F_j - G' lambda_j),      lambda_{i-1}  from 0 = psi(Q_i, P_i, t_i)
///
/// with Newton's method and K = G(Q_i) H_pp G(Q_{i-1})'. States are explicit. Neither symmetric nor symplectic: what
/// methods that are should be compared with.
///
///   hem3   3 stages, order 3
///   hem4   5 stages, order 4
///   hem5   8 stages, order 5
///
/// Reference: [brasey-hairer93].
template <class T>
class HalfExplicit final : public Integrator<T> {
 public:
  /// @param manifold must outlive the integrator.
  /// @throws std::invalid_argument if forces or states depend on multipliers.
  HalfExplicit(MethodFacts facts, const HalfExplicitTableau& tableau, Manifold<T>& manifold);

  [[nodiscard]] StepReport<T> step(PhasePoint<T>& z, LaneOf<T> h) override;

 private:
  using Number = LaneOf<T>;

  bool make_stage(const PhasePoint<T>& z, std::size_t j, StepReport<T>& report);
  bool solve_position(const PhasePoint<T>& z, std::size_t j, StepReport<T>& report);
  bool solve_momentum(const PhasePoint<T>& z, std::size_t j, StepReport<T>& report);
  void G_transposed_times(std::size_t j, const std::vector<T>& u, std::vector<T>& out);
  PointRef<T> point(std::size_t j) const { return {Q_[j].data(), P_[j].data(), S_[j].data(), t_[j]}; }

  std::vector<std::vector<Number>> a_;  // with the row of the b_j
  std::vector<Number> c_;
  Manifold<T>& manifold_;
  Forcing<T>& forcing_;
  Request<T> H_p_, H_pp_times_, G_transposed_times_;
  Frame<T> frame_;
  std::size_t n_, m_;
  RowResiduals<T> residuals_;

  T h_{};
  std::vector<T> t_;
  std::vector<std::vector<T>> Q_, P_, S_;  // stages, and the end
  std::vector<std::vector<T>> q_rate_, p_rate_, s_rate_;
  std::vector<T> v_, F_, c_force_, shift_, increment_, sizes_, mu_, lambda_, rows_, norms_;
  std::vector<T> Q_low_, P_low_, S_low_;  // of the stage that is being made
  RevisionSource next_revision_;
};

MethodFacts hem_facts(int order);
/// @param order 3, 4 or 5
HalfExplicitTableau hem_tableau(int order);

COTANGENT_DECLARE(NUMBERS, HalfExplicit);

}  // namespace cotangent
