#pragma once

#include <optional>
#include <vector>

#include "cotangent/base/phase_point.hpp"
#include "cotangent/manifold/constraint_matrix.hpp"
#include "cotangent/manifold/impulse_response.hpp"
#include "cotangent/manifold/row_scales.hpp"
#include "cotangent/solve/iteration/gmres.hpp"
#include "cotangent/solve/iteration/stopping.hpp"
#include "cotangent/system/forcing.hpp"
#include "cotangent/system/system.hpp"

namespace cotangent {

/// How a solve on the manifold ended, per lane.
template <class T>
struct SolveReport {
  Mask<T> converged = Mask<T>(true);
  bool regular = true;  ///< no pivot of G H_pp G' vanished, in any lane
  int iterations = 0;
  T residual = T(0);      ///< the largest of a row in units of what is added up in it, see Ratio
  T tolerance = T(0);     ///< what that was to become
  std::int64_t row = -1;  ///< the constraint whose pivot vanished
};

/// How the multipliers were found, per lane.
template <class T>
struct MultiplierReport {
  Mask<T> regular;    ///< R was solved with
  Mask<T> converged;  ///< the equation has been solved to rounding: that with R, and where forces depend on them all

  Mask<T> found() const { return regular & converged; }
};

/// The geometry of the constraint manifold { g(q, t) = 0, psi(q, p, t) = G H_p + g_t = 0 } of one system.
///
/// Every solve goes on until each row of the residual is at its own rounding level, epsilon times the sum of the
/// magnitudes of what is added up in it, whatever the units of other rows are.
template <class T>
class Manifold {
 public:
  /// @param system must outlive the manifold.
  explicit Manifold(System<T>& system);
  ~Manifold();
  Manifold(const Manifold&) = delete;

  System<T>& system() { return system_; }
  ConstraintMatrix<T>& matrix() { return matrix_; }
  Forcing<T>& forcing() { return forcing_; }

  /// max |g| and its rounding level; likewise max |psi|.
  struct Residual {
    T value, level;
  };
  Residual position_residual(const T* q, const T& t);
  Residual momentum_residual(const PointRef<T>& z);

  /// Moves q by -H_pp G(q)' mu, again and again, until g = 0: to first order the nearest point in the mass metric.
  [[nodiscard]] SolveReport<T> project_position(PhasePoint<T>& z);

  /// The nearest point in the mass metric: q - q_given = -H_pp G(q)' mu at the new q. Where it is not found (far from
  /// the manifold there may be none, or several) the point stays that of project_position.
  [[nodiscard]] SolveReport<T> project_position_nearest(PhasePoint<T>& z);

  /// Moves p by -G' mu until G H_p(q, p - G' mu) + g_t = 0: orthogonal in the metric H_pp; one linear solve where H is
  /// quadratic in p. z is changed only in lanes that converged.
  [[nodiscard]] SolveReport<T> project_momentum(PhasePoint<T>& z);

  /// The multipliers of the constrained motion at z: differentiating psi = 0 along the flow,
  ///
  ///   R lambda = b,  b = g''[(v, 1), (v, 1)] + G (H_pq v + H_pp F + H_pt),  v = H_p,  R = G H_pp G',
  ///
  /// with F = -H_q + forces. Where forces depend on the multipliers (friction) the equation is nonlinear: Newton's
  /// method for lambda - R^-1 b(lambda) = 0, its linear equations by minimal residuals.
  ///
  /// @param v = H_p at z, which every caller has.
  /// @param F and power as Forcing::force gives them at the multipliers found.
  [[nodiscard]] MultiplierReport<T> multipliers(const PointRef<T>& z, const T* v, T* lambda, T* F, T& power);

 private:
  RowScales<T>& row_scales();
  using Scale = void (RowScales<T>::*)(const T* x, const T& time, T* out) const;
  bool goes_on(RoundingStop<T>& stop, SolveReport<T>& report, Scale scale, const std::vector<T>& sizes, const T& time);
  void multiplier_equation(const PointRef<T>& z, const T* v, const T* F, T* b);
  void finish(const RoundingStop<T>& stop, SolveReport<T>& report, std::vector<T>& target, std::vector<T>& low);
  bool drop_singular(const Mask<T>& regular, RoundingStop<T>& stop, SolveReport<T>& report);

  System<T>& system_;
  ConstraintMatrix<T> matrix_;
  Forcing<T> forcing_;
  ImpulseResponse<T> response_;
  std::vector<T> rows_, mu_, x_, y_, v_;
  std::optional<RowScales<T>> row_scales_;  // made for the first projection
  std::vector<T> scale_, sizes_;

  // For forces that depend on the multipliers.
  std::vector<T> zero_, zero_states_, dF_, correction_, residual_;
  std::optional<Gmres<T>> gmres_;
};

}  // namespace cotangent
