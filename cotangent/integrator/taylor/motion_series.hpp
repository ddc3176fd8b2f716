#pragma once

#include <optional>
#include <vector>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/base/phase_point.hpp"
#include "cotangent/base/step_report.hpp"
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
/// Reference: [jorba-zou05]; [pryce98], where the same idea serves any system of differential-algebraic equations.
template <class T>
class MotionSeries {
 public:
  /// @param order K: coefficients 0 .. K are found. @param manifold must outlive this.
  /// @throws std::invalid_argument for systems whose functions have no coefficients, or that forces make implicit.
  MotionSeries(Manifold<T>& manifold, int order);

  int order() const { return order_; }

  /// The coefficients at z. Does not allocate after the first call with these coefficients.
  void find(const PointRef<T>& z, MotionCoefficients<T>& c);

  bool has_pieces() const { return has_pieces_; }
  /// The first time, from that of z on towards h, at which functions in pieces leave those of z; h if there is none.
  /// @pre find() was called last for that point.
  T first_change(const T& h) const;

 private:
  void begin(const PointRef<T>& z, MotionCoefficients<T>& c);
  void find_velocities(int k, bool again, const PointRef<T>& z, MotionCoefficients<T>& c);
  void find_forces(int k);
  void add_momenta(int k, bool again, MotionCoefficients<T>& c);
  void find_multipliers(int k, const PointRef<T>& z, MotionCoefficients<T>& c);
  void add_states(int k, MotionCoefficients<T>& c);
  void make(std::optional<JetOperation<T>>& operation, const Contraction& contraction, int orders,
            const typename JetKernel<T>::Again& again = {});

  Manifold<T>& manifold_;
  System<T>& system_;
  const int order_;
  const std::size_t n_, m_, states_;
  std::optional<JetOperation<T>> v_of_, L_v_, H_q_, force_, D_v_, g_, pull_back_, rate_, H_t_, g_t_;
  std::vector<JetOperation<T>*> all_;
  bool has_pieces_ = false;
  std::vector<T> v_, lambda_, time_, f_;        // series
  std::vector<T> F_, x_, pulled_, rows_, one_;  // the coefficient that is being computed
};

COTANGENT_DECLARE(NUMBERS, MotionSeries);

}  // namespace cotangent
