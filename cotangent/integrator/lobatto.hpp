#pragma once

#include <string>
#include <vector>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/integrator/end_kick.hpp"
#include "cotangent/integrator/integrator.hpp"
#include "cotangent/integrator/lobatto_pair.hpp"
#include "cotangent/integrator/point_operations.hpp"
#include "cotangent/integrator/stage_continuation.hpp"
#include "cotangent/manifold/manifold.hpp"
#include "cotangent/manifold/row_scales.hpp"
#include "cotangent/solve/fixed_point.hpp"

namespace cotangent {

/// The partitioned Runge-Kutta method Lobatto IIIA-IIIB with s stages on the constrained equations, for any H(q, p, t),
/// with forces, states beside the coordinates, and constraints g(q, t) = 0 that may move.
///
/// One step (q, p, u) at t -> (Q_s, P, U), with F = -H_q + forces, r the rates of the states u, t_i = t + c_i h and
/// l_i = h lambda_i:
///
///   Q_i = q + h sum_j a_ij H_p(Q_j, P_j, t_j)                                  i = 2 .. s,   Q_1 = q
///   P_i = p + sum_j â_ij (h F(Q_j, P_j, U_j, t_j, lambda_j) - G(Q_j, t_j)' l_j)  i = 1 .. s
///   U_i = u + h sum_j â_ij r(Q_j, P_j, U_j, t_j, lambda_j)
///   0   = g(Q_i, t_i)                                                          i = 2 .. s
///
///   P   = p + sum_j b_j (h F_j - G_j' l_j),     l_s from 0 = G(Q_s, t') H_p(Q_s, P, t') + g_t      (end_kick.hpp)
///   U   = u + h sum_j b_j r_j
///
/// (a_ij) is Lobatto IIIA and (â_ij) Lobatto IIIB, of which the last column is zero. Order 2 s - 2, symmetric, and
/// symplectic on the manifold where there are no forces; with two stages it is RATTLE. The time is treated as a
/// coordinate, states as momenta.
///
/// The stages x = (Q_i - q, P_i - p, l_i, U_i - u) are found by FixedPoint, with the preconditioner that the derivative
/// of the equations tends to for small h:
///
///   dQ_i - h sum_j a_ij W dP_j = ..,   dP_i + sum_j â_ij G' dl_j = ..,   G dQ_i = ..,       W = H_pp
///
/// with G and W in the middle of the step. With the invertible matrix M = (sum_j a_ij â_jk), i = 2 .. s, k = 1 .. s -
/// 1, its multipliers are dl = (M^-1 x R^-1) .. / h, R = G W G': one factorisation of the sparse R in each step, s - 1
/// solves in each iteration, and no other matrix.
///
/// The iteration starts from the polynomials through the velocities, the forces and the multipliers of the step before.
///
/// References: [jay96]; [hlw06, VII.1.5].
template <class T>
class Lobatto final : public Integrator<T> {
 public:
  static MethodFacts sheet(int stages, const std::string& name);

  /// @param manifold must outlive the integrator.
  Lobatto(MethodFacts facts, int stages, Manifold<T>& manifold, FixedPointSolver solver = FixedPointSolver::automatic);

  [[nodiscard]] StepReport<T> step(PhasePoint<T>& z, LaneOf<T> h) override;
  void begin_anew() override { solver_.begin_anew(); }

 private:
  using Number = LaneOf<T>;
  using Stages = std::vector<std::vector<T>>;

  // The unknowns, stage by stage; of stages that count from 0.
  std::size_t q_at(std::size_t i) const { return (i - 1) * n_; }
  std::size_t p_at(std::size_t i) const { return (stages_ - 1 + i) * n_; }
  std::size_t l_at(std::size_t i) const { return p_at(stages_) + i * m_; }
  std::size_t s_at(std::size_t i) const { return l_at(stages_ - 1) + i * states_; }

  bool begin(const PhasePoint<T>& z, Number h, StepReport<T>& report);
  void guess(const PhasePoint<T>& z, Number h);
  void rates_at(const PhasePoint<T>& z);
  void drop_redundant();
  void set_noise(const PhasePoint<T>& z);
  void set_position_noise();
  void evaluate(const PhasePoint<T>& z, const T* x, T* r);
  void precondition(T* r);
  void weigh(const PhasePoint<T>& z, const T* x);
  auto remove_rounding(PhasePoint<T>& z);
  bool end(const PhasePoint<T>& z, StepReport<T>& report);
  void commit(PhasePoint<T>& z, Number h, const StepReport<T>& report);

  PointRef<T> stage(std::size_t i) const { return {Q_[i].data(), P_[i].data(), U_[i].data(), t_[i]}; }
  PointRef<T> middle() const { return {q_middle_.data(), p_middle_.data(), nullptr, t_middle_}; }

  std::size_t stages_;
  LobattoPair<Number> pair_;

  Manifold<T>& manifold_;
  Forcing<T>& forcing_;
  PointOperations<T> at_;
  std::size_t n_, m_, states_;

  T h_{}, t_middle_{};
  Number t_end_{};
  std::vector<T> t_;
  Stages Q_, P_, U_;                 // the points of the stages
  Stages v_, kick_, rate_, lambda_;  // there: H_p, h F - G'l, r and l / h
  Stages y_, u_, rows_;
  std::vector<T> q_middle_, p_middle_, F_, c_force_;
  struct {
    std::vector<T> v, kick, rate, lambda;
  } fresh_;  // at the beginning of a step
  std::vector<T> sum_;
  PhasePoint<T> end_;
  EndKick<T> end_kick_;
  RowScales<T> scales_;
  std::vector<T> row_noise_, row_sizes_, column_;  // of l: what rounding leaves of it, what a momentum of 1 takes
  T q_noise_{}, p_noise_{}, s_noise_{};            // what rounding leaves of all kinds, in units of epsilon
  FixedPointSolver solver_kind_;
  FixedPoint<T> solver_;

  StageContinuation<T> continue_;
  Number last_h_ = 0;
  Stages old_v_, old_kick_, old_rate_, old_lambda_;
  Mask<T> has_history_ = false;
  std::uint64_t known_revision_ = 0;
  RevisionSource next_revision_;
};

COTANGENT_DECLARE(NUMBERS, Lobatto);

}  // namespace cotangent
