#pragma once

#include "cotangent/base/instantiate.hpp"
#include "cotangent/manifold/manifold.hpp"
#include "cotangent/monitor/monitor.hpp"

namespace cotangent {

/// |H - H(0) - W|, W the work that forces, the driving and moving constraints have done since the start: what a step
/// adds to the energy or loses of it. Where nothing does work, |H - H(0)|.
template <class T>
class EnergyMonitor final : public Monitor<T> {
 public:
  /// @param manifold must outlive the monitor.
  explicit EnergyMonitor(Manifold<T>& manifold);

  void state(Archive& archive) override {
    Monitor<T>::state(archive);
    archive("reference", reference_);
  }

 private:
  void set_reference(const PhasePoint<T>& z) override { reference_ = closed_energy(z); }
  T measure(const PhasePoint<T>& z) override { return closed_energy(z) - reference_; }
  T closed_energy(const PhasePoint<T>& z);

  System<T>& system_;
  T reference_ = T(0);
};

COTANGENT_DECLARE(VALUES, EnergyMonitor);

}  // namespace cotangent
