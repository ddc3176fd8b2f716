#include "cotangent/simulation/certificate/run_signals.hpp"

#include <cmath>

namespace cotangent {

namespace {

// What rounding errors of all steps come to in the wedge product: those of one unit in each step, times what a step
// makes of a unit.
template <class T>
double wedge_level(const Monitor<T>& wedge, const MapProbe<T>& probe) {
  return probe.amplification() * wedge.rounding();
}

}  // namespace

template <class T>
RunEvidence measured_evidence(const MonitorSet<T>& monitors, const std::vector<Series>& series,
                              const MapProbe<T>& probe) {
  RunEvidence run;
  run.samples = probe.samples();
  run.failed = probe.failed();
  const auto& [figure, level, defect, count, elsewhere] = probe.reversal();
  run.reversal = {figure, level, defect, count, elsewhere};
  for (std::size_t k = 0; k < series.size(); ++k) {
    const Monitor<T>& monitor = *monitors.list()[k];
    const std::string name = monitor.full_name();
    if (const auto* signal = probe.find(name))
      run.signals.push_back({name, series[k], signal->levels, signal->change, signal->defect});
    if (name == "wedge") run.wedge = {series[k], wedge_level(monitor, probe), probe.wedge_defect()};
    if (name == "error") run.error = {.series = series[k]};
    if (monitor.group() == "errors")
      run.error->parts.push_back({monitor.name(), series[k], probe.size(monitor.name())});
  }
  return run;
}

template <class T>
GrowthOptions growth_options(const Monitor<T>& monitor, const MapProbe<T>& probe, std::int64_t steps) {
  GrowthOptions options;
  const std::string name = monitor.full_name();
  if (const auto* signal = probe.find(name)) {
    options.levels = signal->levels;
  } else if (name == "wedge") {
    options.levels = Levels(wedge_level(monitor, probe) / std::sqrt(static_cast<double>(steps)));
  } else if (name == "error" || monitor.group() == "errors") {
    const double size = name == "error" ? probe.largest() : probe.size(monitor.name());
    options.levels = Levels(probe.amplification() * static_cast<double>(epsilon<T>()) * size);
    options.most = size;
  } else {
    // Numbers that do not begin with 0: the largest multiplier, the condition of constraints, momenta.
    options.from_first =
        name == "condition" || name == "multipliers" || name == "impetus" || monitor.group() == "impetuses";
  }
  return options;
}

#define COTANGENT_FUNCTIONS(T)                                                                                  \
  template RunEvidence measured_evidence(const MonitorSet<T>&, const std::vector<Series>&, const MapProbe<T>&); \
  template GrowthOptions growth_options(const Monitor<T>&, const MapProbe<T>&, std::int64_t);
COTANGENT_FOR_PRECISIONS(COTANGENT_FUNCTIONS)

}  // namespace cotangent
