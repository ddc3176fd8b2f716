#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "certifier.hpp"
#include "cotangent/monitor/registry.hpp"
#include "cotangent/simulation/simulate.hpp"
#include "poincare.hpp"
#include "run_machine.hpp"

/// What goes along with a run and looks at it: monitors, a Poincaré section, what a certificate needs.
template <class T>
class RunWatch {
 public:
  /// @param machine outlives this. @throws cotangent::ModelError for what cannot be watched.
  RunWatch(const RunMachine<T>& machine, std::vector<std::string>& notes);

  cotangent::MonitorSet<T>& monitors() { return monitors_; }
  PoincareSection<T>& section() { return section_; }

  /// --growth where nothing is watched.
  void note_idle_growth(std::vector<std::string>& notes) const;

  /// Has the signals of monitors kept, where somebody draws conclusions from them.
  void follow(cotangent::Simulation<T>& simulation);

  /// Growth exponents, if they were asked for.
  void fit_growth(cotangent::Summary& summary) const;

  /// The certificate, if there is to be one; see Certifier.
  std::optional<cotangent::Certificate> certificate(const cotangent::Summary& summary,
                                                    const std::optional<cotangent::AdaptiveOptions>& adaptive,
                                                    const std::vector<cotangent::ChangingInvariant>& changing) const;

 private:
  const RunOptions& options_;
  cotangent::MonitorSet<T> monitors_;
  PoincareSection<T> section_;
  std::shared_ptr<cotangent::MapProbe<T>> probe_;  // of what is certified, or fitted
  std::optional<Certifier<T>> certifier_;
  std::vector<cotangent::Series> series_;
};
