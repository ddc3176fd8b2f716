#pragma once

#include <array>
#include <deque>
#include <memory>
#include <vector>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/base/phase_point.hpp"
#include "cotangent/base/step_report.hpp"
#include "cotangent/kernel/series_code.hpp"
#include "cotangent/manifold/manifold.hpp"
#include "cotangent/system/operation/jet_operation.hpp"

namespace cotangent {

/// Coefficients of the motion through a point, q(t + h) = q_0 + q_1 h + q_2 h^2 + ..., one after the other.
template <class T>
struct MotionCoefficients {
  std::vector<T> q, p, s;
  StepReport<T> report;  ///< why there are none, where there are none
};

/// The power series of the constrained motion through a point, order by order:
///
///   (k+1) q_{k+1} = [v]_k,    v = H_p(q, p, t)
///   (k+1) p_{k+1} = [F]_k - [G' lambda]_k,    F = -H_q + f - D_v
///   (k+1) s_{k+1} = [rates]_k
///   g_{k+2} = 0,    g_k = [g(q, t)]_k
///
/// where [.]_k is coefficient k. With lambda_k = 0 in place of the multiplier that is looked for, p_{k+1} becomes p*,
/// and in turn v*_{k+1} and q*_{k+2}, which miss the constraint by g*_{k+2}. All of them are linear in the newest
/// coefficient, with the matrix of the beginning of the step:
///
///   R lambda_k = (k+1) (k+2) g*_{k+2},    R = G H_pp G'  at (q_0, p_0)
///
/// So R is factored once for all orders. What is redundant is so in all of them alike. Then the newest coefficients are
/// evaluated again; sums over lower orders (see JetProgram) are not.
///
/// For a Lagrangian, v_k comes from L_vv v_k = p_k - [L_v]_k with v_k = 0 on the right, and -H_q = L_q. Without
/// constraints, and for equations u' = f(u, t), the same without what is not there.
///
/// What that takes is written down once, as actions (SeriesPlan). They are interpreted, in every number type, or become
/// machine code, in double precision: the same bits.
///
/// Reference: [jorba-zou05]; [pryce98], where the same idea serves any system of differential-algebraic equations.
template <class T>
class MotionSeries {
 public:
  /// @param order K: coefficients 0 .. K are found. @param manifold must outlive this.
  /// @throws std::invalid_argument for systems whose functions have no coefficients, or that forces make implicit.
  MotionSeries(Manifold<T>& manifold, int order);
  ~MotionSeries();

  int order() const { return order_; }

  /// The coefficients at z. Does not allocate after the first call with these coefficients.
  void find(const PointRef<T>& z, MotionCoefficients<T>& c);

  bool has_pieces() const { return has_pieces_; }
  /// The first time, from that of z on towards h, at which functions in pieces leave those of z; h if there is none.
  /// @pre find() was called last for that point.
  T first_change(const T& h) const;

 private:
  using Act = SeriesPlan::Act;
  using Action = SeriesPlan::Action;
  using Row = SeriesPlan::Row;

  // Series, and from F on those of which there is only the coefficient that is being found.
  struct Vec {
    enum : int { q, p, s, v, lambda, time, f, F, x, pulled, rows, rates, H_t, g_t, count };
  };
  // What is no action on rows.
  struct Call {
    enum : int { find_velocity, solve_mass, solve_multipliers, add_power };
  };
  struct Code;

  int make(const Contraction& contraction, int result, int orders, const typename JetKernel<T>::Again& again = {});
  void plan_order();
  void plan_velocities(int ahead, bool again, std::vector<Action>& to);
  void plan_forces(std::vector<Action>& to);
  void plan_momenta(bool again, std::vector<Action>& to);
  void plan_states(std::vector<Action>& to);
  void evaluate(int operation, int ahead, bool again, std::vector<Action>& to) const;

  void begin(const PointRef<T>& z, MotionCoefficients<T>& c);
  void run(const std::vector<Action>& actions, int k);
  void run(const Action& action, int k);
  void call(int what, int k);
  void tell_operations();
  void interpret();
  void make_code();
  bool run_code();

  T* row(int vector, int k) const { return vectors_[static_cast<std::size_t>(vector)].row(k); }

  Manifold<T>& manifold_;
  System<T>& system_;
  const int order_;
  const std::size_t n_, m_, states_;
  std::deque<JetOperation<T>> operations_;
  int v_of_ = -1, L_v_ = -1, H_q_ = -1, force_ = -1, D_v_ = -1, g_ = -1, pull_back_ = -1, rate_ = -1, H_t_ = -1,
      g_t_ = -1;
  bool has_pieces_ = false;
  std::array<std::vector<T>, Vec::count> own_;
  std::array<JetVector<T>, Vec::count> vectors_;
  std::vector<Action> start_, each_order_, rest_;  // actions; `index` is that of an operation, or a Call
  PointRef<T> z_{nullptr, nullptr, nullptr, T(0)};
  StepReport<T>* report_ = nullptr;
  std::unique_ptr<Code> code_;
};

COTANGENT_DECLARE(NUMBERS, MotionSeries);

}  // namespace cotangent
