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
  void begin(Point<X>& z, const std::vector<std::int64_t>& counts) {
    map_.integrator->begin(z);
    if (!counts.empty()) z.trajectory().counts = counts;
  }

  /// A step of length h. False if it cannot be made.
  bool step(const Point<X>& z, LaneOf<X> h, Point<X>& end) {
    const StepReport<X> report = map_.integrator->step(z, h, end);
    changes_chart_ = report.charts > 0;
    return all(report.ok);
  }
  /// Whether the last one was made in another chart than the one before.
  bool changes_chart() const { return changes_chart_; }

  /// Moves a point onto the constraints. False if there is none near it.
  bool settle(Point<X>& point) {
    PhasePoint<X>& z = point.change();
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

  /// The momenta whose wedge product a symplectic method keeps: those of `impetus` are its own.
  const std::vector<X>& momenta(const Point<X>& z) const {
    return map_.integrator->facts().has_impetus && z.own().is_current ? z.own().p : z->p;
  }

  void state(Archive& archive) {
    archive("map", map_);
    archive("signals", signals_);
  }

 private:
  StepMap<X> map_;
  MonitorSet<X> signals_;
  bool changes_chart_ = false;
};

}  // namespace cotangent
