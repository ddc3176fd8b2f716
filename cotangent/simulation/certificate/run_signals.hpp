#pragma once

#include <cstdint>
#include <vector>

#include "cotangent/analysis/fit_growth.hpp"
#include "cotangent/monitor/probe/map_probe.hpp"
#include "cotangent/monitor/registry.hpp"
#include "cotangent/simulation/certificate/certificate.hpp"

namespace cotangent {

/// What monitors and the probe have seen of a run: signals, wedge products, steps back.
/// @param series of the first monitors of the set, in their order.
template <class T>
RunEvidence measured_evidence(const MonitorSet<T>& monitors, const std::vector<Series>& series,
                              const MapProbe<T>& probe);

/// How the growth of what a monitor has seen is fitted, after that many steps.
template <class T>
GrowthOptions growth_options(const Monitor<T>& monitor, const MapProbe<T>& probe, std::int64_t steps);

}  // namespace cotangent
