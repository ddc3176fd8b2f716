#pragma once

#include <array>
#include <optional>
#include <span>
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

  /// Products with K that the last projection took.
  int products() const { return products_; }

 private:
  // What may be moved of a point, where it is in a displacement, and how much rounding leaves of a shift in units of
  // epsilon.
  struct Part {
    std::vector<T> PhasePoint<T>::*number, PhasePoint<T>::*low;
    std::size_t at, count;
    T noise = T(0);
  };

  void go_to(const PhasePoint<T>& z);
  Mask<T> project_to_constraints();
  LaneOf<T> tangent_change() const requires is_dual<T>;
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
  std::span<const Part> moved_parts() const { return std::span<const Part>(parts_).subspan(rows_.moves_q ? 0 : 1); }
  bool has_invariants() const { return size_ > c_at_.I_at(); }

  static std::vector<T> zeros(std::size_t size) { return std::vector<T>(size, T(0)); }

  Manifold<T>& manifold_;
  System<T>& system_ = manifold_.system();
  NormalRows<T> c_at_;
  const ProjectionRows rows_ = c_at_.kinds();
  const std::size_t n_ = static_cast<std::size_t>(system_.n()), m_ = static_cast<std::size_t>(system_.m());
  const std::size_t size_ = c_at_.size();
  std::array<Part, 3> parts_{
      {{&PhasePoint<T>::q, &PhasePoint<T>::q_low, 0, n_},
       {&PhasePoint<T>::p, &PhasePoint<T>::p_low, n_, n_},
       {&PhasePoint<T>::s, &PhasePoint<T>::s_low, 2 * n_, static_cast<std::size_t>(system_.elements().states)}}};
  std::optional<RowScales<T>> scales_;
  PhasePoint<T> given_{system_.n(), system_.state_count()}, x_ = given_;
  std::vector<T> nu_ = zeros(size_), c_ = nu_, correction_ = nu_, right_ = nu_;
  std::vector<T> r_ = zeros(2 * n_ + given_.s.size()), d_ = r_, sizes_ = r_;
  std::vector<T> a_ = zeros(n_), b_ = a_, v_sizes_ = a_, signs_ = std::vector<T>(n_, T(1));
  std::vector<T> row_scale_ = zeros(m_), noise_ = row_scale_;
  int products_ = 0;
};

COTANGENT_DECLARE(NUMBERS, OrthogonalProjection);

}  // namespace cotangent
