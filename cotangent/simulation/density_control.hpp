#pragma once

#include <cstdint>

#include "cotangent/base/archive.hpp"
#include "cotangent/base/instantiate.hpp"
#include "cotangent/formulation/standard.hpp"
#include "cotangent/simulation/step_density.hpp"

namespace cotangent {

/// Explicit reversible control of the step density rho, which follows Q(z):
///
///   rho_{n+1/2} = rho_n + eps/2 G(z_n),   z_{n+1} = Phi_h(z_n), h = eps / rho_{n+1/2},
///   rho_{n+1} = rho_{n+1/2} + eps/2 G(z_{n+1}),   G = d/dt log Q along the motion.
///
/// With a symmetric Phi this is a symmetric map of (z, rho): the same with -eps leads back. G is taken as a difference,
///
///   G(z) = (log Q(z + d f) - log Q(z - d f)) / (2 d),   d = eps / (4 Q(z)),
///
/// with f the field of `standard`. That changes the rule by O(eps^2), like the rule itself is off Q, but not its
/// symmetry; d is as long as the step permits, so that rounding errors of log Q are not blown up.
///
/// Where Q changes too much for that the rule is left, and the run is not reversible there: eps is made smaller, and
/// after a few steps grows again to what it was, twice as large in each of them; a rho that has lost Q is set to it.
///
/// Reference: [hairer-soderlind05].
template <class T>
class DensityControl {
 public:
  /// @param manifold, density must outlive this.
  DensityControl(Manifold<T>& manifold, StepDensity<T>& density);

  /// Begins a run at z with steps of about the length h.
  void start(const PhasePoint<T>& z, T h);

  /// From z, where start() was called or move() has led to, steps are to have about the length h for now: not
  /// reversible.
  void adjust(const PhasePoint<T>& z, T h);

  /// The length of the step from the point that it knows.
  T length();
  /// Whether a step of length h to z has led to where it is more than ten times longer than the usual eps / Q. If the
  /// next call is move(), it is to the same z.
  bool is_too_long(const PhasePoint<T>& z, T h);
  /// The step was made, to z.
  void move(const PhasePoint<T>& z);

  /// From now on steps go the other way.
  void reverse() {
    eps_ = -eps_;
    usual_eps_ = -usual_eps_;
  }

  T density() const { return rho_; }

  /// Whether Q was a positive number at the point that it knows. Where it was not, the density stays what it is.
  bool has_density() const { return has_density_; }

  /// How often eps was changed: by adjust(), or because the density would have changed to more
  /// than four times or less than a quarter in one step.
  std::int64_t adjustments() const { return adjustments_; }
  /// How often rho had become more than ten times Q, or less than a tenth of it.
  std::int64_t losses() const { return losses_; }
  std::int64_t evaluations() const { return evaluations_; }  ///< of the field

  void state(Archive& archive) {
    archive("eps", eps_);
    archive("usual_eps", usual_eps_);
    archive("Q", Q_);
    archive("rho", rho_);
    archive("G", G_);
    archive("has_density", has_density_);
    archive("adjustments", adjustments_);
    archive("losses", losses_);
    archive("wait", wait_);
  }

 private:
  void look(const PhasePoint<T>& z);
  T density_at(const PhasePoint<T>& z);
  T rate_there(const PhasePoint<T>& z);
  bool changes_too_much(const T& eps, const T& rho) const;
  void limit(const T& rho);

  StepDensity<T>& density_;
  Standard<T> standard_;
  PhasePoint<T> rate_, other_, other_rate_;
  T eps_ = T(0), usual_eps_ = T(0), Q_ = T(1), rho_ = T(1), rho_half_ = T(1), G_ = T(0);
  bool has_density_ = true;
  // The point that was looked at last: rate_ is of it, and Q, which is zero if it is none.
  bool is_end_ = false;  // it is where the step that was made last ends
  T seen_Q_ = T(0);
  bool seen_field_ = true;
  std::int64_t adjustments_ = 0, losses_ = 0, evaluations_ = 0;
  int wait_ = 0;  // so many steps until eps may grow
};

COTANGENT_DECLARE(PRECISIONS, DensityControl);

}  // namespace cotangent
