#pragma once

#include <utility>
#include <vector>

#include "cotangent/manifold/redundancy.hpp"
#include "cotangent/monitor/registry.hpp"
#include "cotangent/monitor/step_map.hpp"

namespace cotangent {

/// The map of a run as a function of points, made of objects of its own, in numbers X: to look at what it does.
template <class X>
class ProbedMap {
 public:
  explicit ProbedMap(StepMap<X> map)
      : map_(std::move(map)), signals_({"energy", "position", "momentum"}, *map_.manifold) {}

  void start(const PhasePoint<X>& z) {
    settle_redundancy(*map_.manifold, z);
    signals_.start(z);
  }

  /// A trajectory begins at z, after steps that have been counted.
  void begin(PhasePoint<X>& z, const std::vector<std::int64_t>& counts) {
    map_.integrator->begin(z);
    if (!counts.empty()) z.memory.counts = counts;
  }

  /// A step of length h. False if it cannot be made.
  bool step(PhasePoint<X>& z, LaneOf<X> h) { return all(map_.integrator->step(z, h).ok); }

  /// Moves a point onto the constraints. False if there is none near it.
  bool settle(PhasePoint<X>& z) {
    z.touch();
    if (map_.system->m() == 0) return true;
    return map_.manifold->project_position(z).converged && map_.manifold->project_momentum(z).converged;
  }

  /// What can be watched at a point: energy, residuals of constraints and declared invariants, as monitors see them.
  const MonitorSet<X>& signals() const { return signals_; }
  void look(const PhasePoint<X>& z, std::vector<X>& values) {
    signals_.observe(z);
    for (std::size_t k = 0; k < values.size(); ++k) values[k] = signals_.list()[k]->signal();
  }

  const Elements& elements() const { return map_.system->elements(); }
  std::int64_t chart_changes() const { return map_.integrator->chart_changes(); }

  /// The momenta whose wedge product a symplectic method keeps: those of `impetus` are its own.
  const std::vector<X>& momenta(const PhasePoint<X>& z) const {
    return map_.integrator->facts().has_impetus && z.own.revision == z.revision ? z.own.p : z.p;
  }

  void state(Archive& archive) {
    archive("map", map_);
    archive("signals", signals_);
  }

 private:
  StepMap<X> map_;
  MonitorSet<X> signals_;
};

}  // namespace cotangent
