#pragma once

#include <optional>
#include <vector>

#include "cotangent/base/archive.hpp"
#include "cotangent/base/phase_point.hpp"
#include "cotangent/integrator/step_watch.hpp"
#include "cotangent/monitor/monitor.hpp"
#include "cotangent/simulation/summary.hpp"
#include "cotangent/system/system.hpp"

namespace cotangent {

/// Watches whether a run is still a motion of its system: the exact one keeps H less the work W done by forces, driving
/// and moving constraints. The run has lost its energy where
///
///   max |e| > E/2,   e = H - W - H(0),   E the largest |p.v|/2 or |W| so far,
///
/// and stays so: a motion from rest has little energy at first, and an error that is small beside what it gets later
/// does not count. Here |p.v|/2 is the kinetic energy where H is quadratic in p: a constant in H does not matter. Where
/// work is done, W has errors of its own, as in a layer that a stiff method passes in one step: there the energy must
/// have risen by that much, H - H(0) > E/2, and e > E/2 as well. Errors that rounding of the numbers of a point
/// explains do not count.
///
/// At most two functions are evaluated in a step, and none as long as the energy is as good as 1/1000 of E.
template <class T>
class EnergyWatch {
 public:
  /// @param system outlives this. @param energy what monitors the energy, or a null pointer: then the end is looked at.
  EnergyWatch(System<T>& system, const Monitor<T>* energy)
      : system_(system), monitor_(energy), v_(static_cast<std::size_t>(system.n()), T(0)), force_(v_) {}

  void start(const PhasePoint<T>& z);

  /// A step has led to z, and its monitors have seen it.
  void observe(const PhasePoint<T>& z) {
    if (monitor_) look(z, monitor_->signal());
  }

  /// Whether none of the steps that were watched gives reason to look.
  bool is_calm(const StepWatch<T>& steps) const;

  /// H(0), and a warning if there is reason for one.
  void finish(const PhasePoint<T>& z, Summary& summary);

  void state(Archive& archive) {
    archive("start", start_);
    archive("scale", scale_);
    archive("worst", worst_);
    archive("lost_at", lost_at_);
  }

 private:
  T closed(const PhasePoint<T>& z);
  T scale(const PhasePoint<T>& z);
  T rounding(const PhasePoint<T>& z);
  void look(const PhasePoint<T>& z, const T& e);

  System<T>& system_;
  const Monitor<T>* monitor_;
  std::vector<T> v_, force_;
  T start_ = T(0), scale_ = T(0), worst_ = T(0);  // H(0), E, and the largest error that was held against it
  std::optional<double> lost_at_;
};

}  // namespace cotangent
