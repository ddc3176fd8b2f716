#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/base/step_report.hpp"
#include "cotangent/manifold/manifold.hpp"
#include "cotangent/projection/normal_rows.hpp"

namespace cotangent {

/// The nearest point z = (q, p, s) to z~ that meets c(z) = 0, where the rows of c are constraints g, psi and invariants
/// I - I(0), as many of them as are wanted, all at once; C = c':
///
///   z = z~ - N C(z)' nu,   c(z) = 0                                                            (*)
///
/// with the inverse metric N, all of it at the point that is found (orthogonal to the surface there): see
/// normal_rows.hpp.
///
/// The work done, a witness among the states, is not moved. Newton's method for (*), without the derivative of N C'
/// times nu, which vanishes with the distance:
///
///   r = x - z~ + N C' nu,   K dnu = c(x) - C r,   K = C N C',   dx = -r - N C' dnu,   all at x.
///
/// Dependent constraints leave part of nu open, and nothing of z. The iteration goes on to rounding, for every row by
/// its own scale; a point that meets its rows stays as it is to the last bit. Invariants whose rounding errors cannot
/// be taken away, as those of the energy at rest, where it has no gradient, are met: then only constraints move the
/// point.
///
/// References: [hlw06, IV.4], [leimkuhler-reich94, section 4].
template <class T>
class OrthogonalProjection {
 public:
  /// @param manifold and invariants (may be null) must outlive this.
  /// @throws std::invalid_argument if invariants need the mass metric of a system that has none.
  OrthogonalProjection(Manifold<T>& manifold, Metric metric, const ProjectionRows& rows,
                       KeptInvariants<T>* invariants = nullptr);

  /// Points are those of steps of this length. The unit of time, in which the mass metric compares dq with dp (see
  /// NormalRows), are so many of them, and 1 to begin with: steps are usually chosen by the time in which velocities
  /// change, about so many to it.
  static constexpr int kStepsOfUnit = 16;
  void set_step(LaneOf<T> h) { c_at_.set_unit_of_time(kStepsOfUnit * abs(h)); }

  /// Moves z to the nearest point; or says why not, and leaves it in lanes where none was found. Does not allocate.
  [[nodiscard]] StepReport<T> operator()(PhasePoint<T>& z);

  /// nu of the last projection: multipliers of g, psi and invariants, those of them that there are.
  const std::vector<T>& multipliers() const { return nu_; }

  /// (dq, dp, ds) = N C' nu at the point where the last projection ended.
  void normal(const T* nu, T* dq, T* dp, T* ds) { c_at_.normal(nu, dq, dp, ds); }

  /// Products with K that the last projection took.
  int products() const { return products_; }

 private:
  void evaluate();
  bool goes_on(RoundingStop<T>& stop, StepReport<T>& report);
  Ratio<T> ratio_of_rows(const T& level);
  Ratio<T> ratio_of_shift();
  void find_shift_noise(const Mask<T>& lanes);
  void grow_velocity_sizes();
  bool factor(RoundingStop<T>& stop, StepReport<T>& report);
  void correct(const Mask<T>& active);
  void commit(const Mask<T>& found, PhasePoint<T>& z);
  void look_back(PhasePoint<T>& z, StepReport<T>& report);
  void explain(const Mask<T>& lost, StepReport<T>& report);
  bool goes_to_constraints(int at_lane);
  bool has_invariants() const { return size_ > c_at_.I_at(); }

  Manifold<T>& manifold_;
  NormalRows<T> c_at_;
  const ProjectionRows rows_;
  const std::size_t n_, m_, s_, size_;  // s_: states that may be moved; size_: rows
  std::optional<RowScales<T>> scales_;
  PhasePoint<T> given_, x_;
  std::vector<T> nu_, c_, correction_, right_;
  std::vector<T> r_q_, r_p_, r_s_, d_q_, d_p_, d_s_, a_, b_;
  std::vector<T> v_sizes_, row_scale_, noise_, signs_;
  struct {
    T q = T(0), p = T(0), s = T(0);
  } shift_noise_;  // of the shift, in units of epsilon
  int products_ = 0;
};

COTANGENT_DECLARE(NUMBERS, OrthogonalProjection);

}  // namespace cotangent
