#pragma once

#include <optional>
#include <vector>

#include "cotangent/analysis/series.hpp"
#include "cotangent/monitor/map_probe.hpp"
#include "cotangent/monitor/registry.hpp"
#include "cotangent/run/run_parts.hpp"
#include "cotangent/simulation/adaptive_options.hpp"
#include "cotangent/simulation/certificate.hpp"
#include "cotangent/simulation/changing_invariants.hpp"
#include "cotangent/simulation/summary.hpp"

namespace cotangent {

/// Puts together everything that is known about a run for its certificate.
template <class T>
class Certifier {
 public:
  /// All must outlive this. @param facts of the method under its formulation.
  Certifier(const RunParts& parts, const MethodFacts& facts, const MonitorSet<T>& monitors, const MapProbe<T>& probe)
      : parts_(parts), facts_(facts), monitors_(monitors), probe_(probe) {}

  /// Whether what a monitor sees is claimed after steps only: residuals of constraints that steps return to, where the
  /// initial data need not meet them.
  bool begins_after_step(const Monitor<T>& monitor) const;

  /// @param series of the monitors. @param adaptive how steps were chosen, if they were.
  /// @param changing invariants that are declared, but none.
  Certificate operator()(const std::vector<Series>& series, const Summary& summary,
                         const std::optional<AdaptiveOptions>& adaptive,
                         const std::vector<ChangingInvariant>& changing) const;

 private:
  void describe_error(RunEvidence::Error& error) const;

  RunParts parts_;
  const MethodFacts& facts_;
  const MonitorSet<T>& monitors_;
  const MapProbe<T>& probe_;
};

}  // namespace cotangent
