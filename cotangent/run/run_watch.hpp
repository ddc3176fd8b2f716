#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cotangent/monitor/registry.hpp"
#include "cotangent/run/certifier.hpp"
#include "cotangent/run/poincare.hpp"
#include "cotangent/run/run_machine.hpp"
#include "cotangent/simulation/simulate.hpp"

namespace cotangent {

/// What goes along with a run and looks at it: monitors, a Poincaré section, what a certificate needs.
template <class T>
class RunWatch {
 public:
  /// @param machine outlives this. @throws ModelError for what cannot be watched.
  RunWatch(const RunMachine<T>& machine, Notes& notes);

  MonitorSet<T>& monitors() { return monitors_; }
  PoincareSection<T>& section() { return section_; }

  /// `growth` where nothing is watched.
  void note_idle_growth(Notes& notes) const;

  /// Has the signals of monitors kept, where somebody draws conclusions from them.
  void follow(Simulation<T>& simulation);

  /// Growth exponents, if they were asked for.
  void fit_growth(Summary& summary) const;

  /// The certificate, if there is to be one; see Certifier.
  std::optional<Certificate> certificate(const Summary& summary, const std::optional<AdaptiveOptions>& adaptive,
                                         const std::vector<ChangingInvariant>& changing) const;

 private:
  const RunPlan& plan_;
  MonitorSet<T> monitors_;
  PoincareSection<T> section_;
  std::shared_ptr<MapProbe<T>> probe_;  // of what is certified, or fitted
  std::optional<Certifier<T>> certifier_;
  std::vector<Series> series_;
};

}  // namespace cotangent
