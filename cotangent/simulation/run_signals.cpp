#include "cotangent/simulation/run_signals.hpp"

#include <optional>
#include <string_view>

#include "cotangent/monitor/tangent_monitors.hpp"

namespace cotangent {
namespace {

template <class T>
const TangentFlow<T>* tangents(const MonitorSet<T>& monitors) {
  const auto* wedge = dynamic_cast<const WedgeMonitor<T>*>(monitors.find("wedge"));
  return wedge ? &wedge->flow() : nullptr;
}

template <class T>
std::optional<LevelHistory> level_of(const std::string& monitor, const MonitorSet<T>& monitors,
                                     const LevelWatch<T>& levels) {
  if (monitor == "position") return levels.position();
  if (monitor == "momentum") return levels.momentum();
  if (monitor == "energy") return levels.energy();
  if (monitor == "error") return levels.size();
  if (monitor == "wedge") return LevelHistory(levels.cancellation() * tangents(monitors)->rounding());
  constexpr std::string_view invariants = "invariants.";
  if (monitor.starts_with(invariants)) return levels.invariant(monitor.substr(invariants.size()));
  return std::nullopt;
}

}  // namespace

template <class T>
std::vector<WatchedSignal> watched_signals(const MonitorSet<T>& monitors, const std::vector<Series>& series,
                                           const LevelWatch<T>& levels) {
  std::vector<WatchedSignal> signals;
  for (std::size_t k = 0; k < series.size(); ++k) {
    const std::string name = monitors.list()[k]->full_name();
    if (const auto level = level_of(name, monitors, levels))
      signals.push_back({.name = name,
                         .series = series[k],
                         .level = *level,
                         .terms = name == "energy" ? levels.energy_terms() : LevelHistory(),
                         .walks = name != "wedge"});
  }
  return signals;
}

template <class T>
double separation(const MonitorSet<T>& monitors) {
  const TangentFlow<T>* flow = tangents(monitors);
  return flow && !flow->loss() ? flow->log_growth() : 0;
}

template <class T>
RunEvidence::Reversal reversal_of(const ReversalProbe<T>& probe) {
  return {probe.defect(), probe.level(), probe.count(), probe.failed(), probe.blurred(), probe.elsewhere()};
}

#define COTANGENT_FUNCTIONS(T)                                                                          \
  template std::vector<WatchedSignal> watched_signals(const MonitorSet<T>&, const std::vector<Series>&, \
                                                      const LevelWatch<T>&);                            \
  template double separation(const MonitorSet<T>&);                                                     \
  template RunEvidence::Reversal reversal_of(const ReversalProbe<T>&);
COTANGENT_FOR_PRECISIONS(COTANGENT_FUNCTIONS)

}  // namespace cotangent
