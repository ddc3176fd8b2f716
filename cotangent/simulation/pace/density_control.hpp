#pragma once

#include <cstdint>
#include <memory>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/formulation/formulation.hpp"
#include "cotangent/integrator/runge_kutta/doubled.hpp"
#include "cotangent/simulation/pace/step_control.hpp"
#include "cotangent/simulation/pace/step_noise.hpp"

namespace cotangent {

/// Explicit reversible control of the step density rho, which follows Q(z): symmetric methods stay symmetric maps, and
/// keep their long-time behaviour.
///
///   rho_{n+1/2} = rho_n + eps/2 G(z_n),   z_{n+1} = Phi_h(z_n), h = eps / rho_{n+1/2},
///   rho_{n+1} = rho_{n+1/2} + eps/2 G(z_{n+1}),   G = d/dt log Q along the motion.
///
/// With a symmetric Phi this is a symmetric map of (z, rho): the same with -eps leads back. G is taken as a difference,
///
///   G(z) = (Q_+ - Q_-) / (d (Q_+ + Q_-)),   Q_+- = Q(z +- d f),   d = eps / (4 Q(z)),
///
/// with f the field of the motion. That changes the rule by O(eps^2), like the rule itself is off Q, but not its
/// symmetry; d is as long as the step permits, so that rounding errors of Q are not blown up.
///
/// The tolerance is met once, before the start: the error of a step is estimated by dividing it, and eps is chosen so
/// that it is what is tolerated at the first point. Where Q is a frequency the motion is then followed for about two
/// periods, with few steps, to look at other points, and eps is made smaller until errors are tolerated there, too; and
/// h Q is at most 5 tolerance^(1/(p+1)). Afterwards errors are looked at now and then, only to tell what was reached:
/// to follow them would be to tell the future from the past.
///
/// Two things are not reversible, and warned of. After a step that fails, or that leads to where it is ten times longer
/// than eps / Q, eps is half as large, and returns within some steps. Where rho has lost Q by a factor of ten it is set
/// to Q. A density of the user's that is not a positive number ends the run.
///
/// Reference: [hairer-soderlind05].
template <class T>
class DensityControl final : public StepControl<T> {
 public:
  /// All must outlive this. @param density FrequencyDensity if there is none.
  DensityControl(Integrator<T>& integrator, Manifold<T>& manifold, const AdaptiveOptions& options,
                 StepDensity<T>* density);

  void start(const Point<T>& z) override;
  T propose() override;
  [[nodiscard]] StepReport<T> attempt(const Point<T>& z, T h, Point<T>& end) override;
  void reject(const PhasePoint<T>& z, T h, const StepReport<T>& report) override;
  void accept(const Point<T>& begin, T h, const StepReport<T>& report, const Point<T>& end) override;
  void finish(Summary& summary) const override;
  void state(Archive& archive) override;

  /// Begins at z with steps of about h, which is negative where time goes backwards.
  void begin(const PhasePoint<T>& z, T h);

  /// From now on steps go the other way.
  void reverse() {
    eps_ = -eps_;
    usual_eps_ = -usual_eps_;
  }

 private:
  // What happens now and then: how often, and when for the first time.
  struct Incidents {
    std::int64_t count = 0;
    double first = 0;

    void note(const PhasePoint<T>& z) {
      if (count++ == 0) first = static_cast<double>(z.t);
    }
    void state(Archive& archive) {
      archive("count", count);
      archive("first", first);
    }
  };
  // The density at a point; zero where it is not a positive number.
  struct Seen {
    T Q = T(0), G = T(0);

    void state(Archive& archive) {
      archive("Q", Q);
      archive("G", G);
    }
  };

  T good_length(const Point<T>& z);
  T length_along(const Point<T>& z, T h);
  template <class Visit>
  void visit_places(const Point<T>& z, const Visit& visit);
  double doubled_error(const Point<T>& z, T h);
  bool field(const PhasePoint<T>& z, PhasePoint<T>& rate);
  Seen look(const PhasePoint<T>& z);
  void half_step(T& rho) const;

  const std::unique_ptr<StepDensity<T>> default_density_;
  StepDensity<T>& density_;
  std::unique_ptr<Formulation<T>> field_;
  StepDoubling<T> doubled_;
  StepNoise<T> find_noise_;
  Point<T> doubled_end_;
  PhasePoint<T> rate_, other_, other_rate_;
  T eps_ = T(0), usual_eps_ = T(0), rho_ = T(1), rho_half_ = T(1);
  Seen here_, next_;  // at the point of the run, and at the end of the step that was tried last
  std::int64_t accepted_ = 0;
  double worst_error_ = 0, worst_time_ = 0;
  Incidents shortened_, lost_,
      failed_;  // failed: shortened since they could not be made, the last time for that reason
  StepStatus reason_ = StepStatus::ok;
};

COTANGENT_DECLARE(PRECISIONS, DensityControl);

}  // namespace cotangent
