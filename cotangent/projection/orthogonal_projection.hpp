#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cotangent/base/step_report.hpp"
#include "cotangent/manifold/hidden_constraint.hpp"
#include "cotangent/manifold/manifold.hpp"
#include "cotangent/projection/kept_invariants.hpp"
#include "cotangent/projection/normal_matrix.hpp"
#include "cotangent/projection/projection_policy.hpp"
#include "cotangent/solve/gmres.hpp"
#include "cotangent/system/momentum_map.hpp"

namespace cotangent {

/// What a point is to meet, and what may be moved for it.
struct ProjectionRows {
  bool g = false;
  bool psi = false;
  bool moves_q = true;  ///< otherwise p and the states only
};

/// The nearest point z = (q, p, s) to z~ that meets c(z) = 0, where the rows of c are constraints g, psi and invariants
/// I - I(0), as many of them as are wanted, all at once; C = c':
///
///   z = z~ - N C(z)' nu,   c(z) = 0                                                            (*)
///
/// with the inverse metric N = (H_pp, H_pp^-1, 1) or N = (1, 1, 1) for (q, p, s), all of it at the point that is found
/// (orthogonal to the surface there). For weights nu = (l, m, n) of g, psi = G H_p + g_t and I,
///
///   mass        N C' nu = (H_pp (G'l + psi_q'm + I_q'n),  G'm + H_pp^-1 I_p'n,  I_s'n)
///   euclidean   N C' nu = (G'l + psi_q'm + I_q'n,  H_pp G'm + I_p'n,  I_s'n)
///
/// The work done, a witness among the states, is not moved. Newton's method for (*), without the derivative of N C'
/// times nu, which vanishes with the distance:
///
///   r = x - z~ + N C' nu,   K dnu = c(x) - C r,   K = C N C',   dx = -r - N C' dnu,   all at x.
///
/// The equation with K is solved by minimal residuals over a Krylov space. Its block of constraints is factored where
/// it is sparse (normal_matrix.hpp), so that there is one dimension for it and one for each invariant, however large
/// the system. Otherwise R = G H_pp G' stands in place of the blocks for g and for psi: then dimensions grow with what
/// the rows of psi_q are in comparison with those of G, differences of velocities in units of lengths. Dependent
/// constraints leave part of nu open, and nothing of z: solves with R keep both l and m in its range, where there is
/// one solution. The iteration goes on to rounding, for every row by its own scale; a point that meets its rows stays
/// as it is to the last bit.
///
/// References: [hlw06, IV.4], [leimkuhler-reich94, section 4].
template <class T>
class OrthogonalProjection {
 public:
  /// @param manifold and invariants (may be null) must outlive this.
  /// @throws std::invalid_argument if invariants need the mass metric of a system that has none.
  OrthogonalProjection(Manifold<T>& manifold, Metric metric, const ProjectionRows& rows,
                       KeptInvariants<T>* invariants = nullptr);

  /// Moves z to the nearest point; or says why not, and leaves it in lanes where none was found. Does not allocate.
  [[nodiscard]] StepReport<T> operator()(PhasePoint<T>& z);

  /// nu of the last projection: multipliers of g, psi and invariants, those of them that there are.
  const std::vector<T>& multipliers() const { return nu_; }

  /// (dq, dp, ds) = N C' nu at the point where the last projection ended.
  void normal(const T* nu, T* dq, T* dp, T* ds);

  /// Products with K that the last projection took.
  int products() const { return products_; }

 private:
  void evaluate();
  void set_gradients();
  bool goes_on(RoundingStop<T>& stop, StepReport<T>& report);
  Ratio<T> ratio_of_rows(const T& level);
  Ratio<T> ratio_of_shift();
  void grow_velocity_sizes();
  bool factor(RoundingStop<T>& stop, StepReport<T>& report);
  void factor_normal_matrix();
  void times(const T* dq, const T* dp, const T* ds, T* rows);
  void constraints_times(const T* dq, const T* dp, T* rows);
  void precondition(T* rows);
  void solve(T* b, double goal, T* x);
  void correct(const Mask<T>& active);
  void commit(const Mask<T>& found, PhasePoint<T>& z);
  void explain(const Mask<T>& lost, StepReport<T>& report);
  std::int64_t dependent_invariant(int at);

  Manifold<T>& manifold_;
  const Metric metric_;
  const ProjectionRows rows_;
  KeptInvariants<T>* invariants_;
  const std::size_t n_, m_, s_, k_;         // s_: states that may be moved
  const std::size_t psi_at_, I_at_, size_;  // where the rows of psi and I begin, and how many there are
  std::size_t active_invariants_;           // those beyond do not count, for dependent_invariant()
  HiddenConstraint<T> at_;
  std::optional<RowScales<T>> scales_;
  std::optional<NormalMatrix<T>> normal_matrix_;  // where it is not R
  std::optional<MomentumMap<T>> mass_;            // where it is not constant and diagonal
  Gmres<T> gmres_;
  PhasePoint<T> given_, x_;
  std::vector<T> nu_, c_, correction_, right_;
  std::vector<T> r_q_, r_p_, r_s_, d_q_, d_p_, d_s_, a_, b_;
  std::vector<T> v_sizes_, row_scale_, noise_, signs_;
  // Of each invariant its gradient, that times N, and the length of the latter.
  std::vector<std::vector<T>> I_q_, I_p_, I_s_, NI_q_, NI_p_;
  std::vector<T> I_squared_, I_scale_;
  T time_ = T(0);
  int products_ = 0;
};

extern template class OrthogonalProjection<double>;
extern template class OrthogonalProjection<long double>;
extern template class OrthogonalProjection<Quad>;
extern template class OrthogonalProjection<Tangents>;
extern template class OrthogonalProjection<Lanes>;

}  // namespace cotangent
