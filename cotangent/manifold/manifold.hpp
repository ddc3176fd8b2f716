#pragma once

#include <vector>

#include "cotangent/base/phase_point.hpp"
#include "cotangent/manifold/constraint_matrix.hpp"
#include "cotangent/solve/stopping.hpp"
#include "cotangent/system/system.hpp"

namespace cotangent {

/// How a solve on the manifold ended, per lane.
template <class T>
struct SolveReport {
  Mask<T> converged = Mask<T>(true);
  bool regular = true;  ///< no pivot of G H_pp G' vanished, in any lane
  int iterations = 0;
  T residual = T(0);
  T tolerance = T(0);
  std::int64_t row = -1;  ///< the constraint whose pivot vanished
};

/// The geometry of the constraint manifold { g(q) = 0, psi(q, p) = G(q) H_p(q, p) = 0 } of one system.
///
/// Every solve goes on until the residual is at its rounding level, epsilon times the sum of the magnitudes of what is
/// added up in it.
template <class T>
class Manifold {
 public:
  /// @param system must outlive the manifold.
  explicit Manifold(System<T>& system);

  System<T>& system() { return system_; }
  ConstraintMatrix<T>& matrix() { return matrix_; }

  /// max |g(q)| and its rounding level; likewise max |G H_p|.
  struct Residual {
    T value, level;
  };
  Residual position_residual(const T* q);
  Residual momentum_residual(const T* q, const T* p);

  /// Moves q by -H_pp G(q)' mu, again and again, until g = 0: to first order the nearest point in the mass metric.
  [[nodiscard]] SolveReport<T> project_position(PhasePoint<T>& z);

  /// Moves p by -G' mu until G H_p(q, p - G' mu) = 0: orthogonal in the metric H_pp; one linear solve where H is
  /// quadratic in p. z is changed only in lanes that converged.
  [[nodiscard]] SolveReport<T> project_momentum(PhasePoint<T>& z);

  /// The multipliers of the constrained motion at (q, p): differentiating psi = 0 along the flow,
  ///
  ///   R lambda = b,  b = g_qq[v, v] + G (H_pq v - H_pp H_q),  v = H_p,  R = G H_pp G'.
  ///
  /// Needs v = H_p and f = H_q at (q, p), which every caller has.
  [[nodiscard]] FactorReport<T> multipliers(const T* q, const T* p, const T* v, const T* f, T* lambda);

 private:
  T momentum_level(const T* q, const T* p);
  void finish(const RoundingStop<T>& stop, SolveReport<T>& report, PhasePoint<T>& z, std::vector<T>& target,
              std::vector<T>& low);
  bool drop_singular(const Mask<T>& regular, RoundingStop<T>& stop, SolveReport<T>& report);

  System<T>& system_;
  ConstraintMatrix<T> matrix_;
  Request<T> g_, g_qq_, G_times_, G_transposed_times_, H_p_, H_pp_times_, H_p_along_;
  Frame<T> frame_;
  std::vector<T> rows_, mu_, norms_, x_, y_, v_;
};

}  // namespace cotangent
