#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "cotangent/monitor/probe/map_probe.hpp"
#include "cotangent/monitor/registry.hpp"
#include "cotangent/monitor/section.hpp"
#include "cotangent/monitor/watch/invariant_watch.hpp"
#include "cotangent/monitor/watch/jump_watch.hpp"
#include "cotangent/output/run_report.hpp"
#include "cotangent/run/parts/run_machine.hpp"
#include "cotangent/simulation/simulate.hpp"

namespace cotangent {

/// Companions of a run that look at it: monitors, a Poincaré section, the probes of a certificate.
template <class T>
class RunWatch {
 public:
  /// @param machine outlives this. @throws ModelError for what cannot be watched. Options that watch nothing are noted.
  RunWatch(const RunMachine<T>& machine, Notes& notes);

  MonitorSet<T>& monitors() { return monitors_; }

  /// Every point of the section goes there.
  std::function<void(const PhasePoint<T>&)> on_crossing;

  /// Has the signals of monitors kept, where somebody draws conclusions from them.
  void follow(Simulation<T>& simulation);

  /// Warnings about the equations along the run: functions that jump, also in a step that failed, and declared
  /// invariants that change. Before certificate(). @param z the last point.
  void warn(const Point<T>& z, Summary& summary);

  /// Conclusions, as far as they were asked for: growth exponents, warnings about the section, a certificate.
  void fit_growth(Summary& summary) const;
  std::optional<SectionReport> section(Summary& summary) const;
  std::optional<Certificate> certificate(const Summary& summary) const;

 private:
  bool begins_after_step(const Monitor<T>& monitor) const;
  void describe_error(RunEvidence::Error& error) const;

  const RunMachine<T>& machine_;
  const RunPlan& plan_;
  MonitorSet<T> monitors_;
  std::shared_ptr<JumpWatch<T>> jumps_;            // where functions of the model have pieces
  std::shared_ptr<InvariantWatch<T>> invariants_;  // where some are declared
  std::vector<std::string> changing_, in_doubt_;   // of these, as warn() has found
  std::shared_ptr<Section<T>> section_;
  std::shared_ptr<MapProbe<T>> probe_;  // of what is certified, or fitted
  std::vector<Series> series_;
};

}  // namespace cotangent
