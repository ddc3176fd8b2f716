#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "cotangent/analysis/series.hpp"
#include "cotangent/monitor/level_watch.hpp"
#include "cotangent/monitor/registry.hpp"
#include "cotangent/monitor/reversal_probe.hpp"
#include "cotangent/run/run_parts.hpp"
#include "cotangent/simulation/adaptive_options.hpp"
#include "cotangent/simulation/certificate.hpp"
#include "cotangent/simulation/changing_invariants.hpp"
#include "cotangent/simulation/summary.hpp"

/// Goes along with a run that is to be certified, and draws the conclusions.
template <class T>
class Certifier {
 public:
  /// All must outlive this. @param facts of the method under its formulation.
  Certifier(const cotangent::RunParts& parts, const cotangent::MethodFacts& facts, cotangent::Manifold<T>& manifold,
            cotangent::MonitorSet<T>& monitors);

  /// Whether what a monitor sees is claimed after steps only: residuals of constraints that steps return to, where the
  /// initial data need not meet them.
  bool begins_after_step(const cotangent::Monitor<T>& monitor) const;

  /// @param series of the monitors. @param z the last point. @param adaptive how steps were chosen, if they were.
  /// @param changing invariants that are declared, but none.
  cotangent::Certificate operator()(const std::vector<cotangent::Series>& series, const cotangent::Summary& summary,
                                    const cotangent::PhasePoint<T>& z,
                                    const std::optional<cotangent::AdaptiveOptions>& adaptive,
                                    const std::vector<cotangent::ChangingInvariant>& changing) const;

 private:
  cotangent::RunParts parts_;
  const cotangent::MethodFacts& facts_;
  const cotangent::MonitorSet<T>& monitors_;
  std::shared_ptr<cotangent::LevelWatch<T>> levels_;
  std::shared_ptr<cotangent::ReversalProbe<T>> reversal_;
};
