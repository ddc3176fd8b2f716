#pragma once

#include <string>
#include <vector>

#include "cotangent/monitor/level_watch.hpp"
#include "cotangent/monitor/registry.hpp"
#include "cotangent/monitor/reversal_probe.hpp"
#include "cotangent/simulation/certificate.hpp"

namespace cotangent {

/// What monitors have seen, each with the rounding level it is to be compared with:
///
///   position, momentum, energy, invariants   those of LevelWatch
///   error                                    epsilon times the size of the point
///   wedge                                    the random walk of rounding errors in each step, TangentFlow::rounding(),
///                                            of momenta that are differences of larger numbers times as much
///
/// Monitors that no claim is about are left out.
/// @param series of the first monitors of the set, in their order.
template <class T>
std::vector<WatchedSignal> watched_signals(const MonitorSet<T>& monitors, const std::vector<Series>& series,
                                           const LevelWatch<T>& levels);

/// log of how far neighbours have separated, by the tangents of the monitor `wedge`; 0 where there are none.
template <class T>
double separation(const MonitorSet<T>& monitors);

template <class T>
RunEvidence::Reversal reversal_of(const ReversalProbe<T>& probe);

}  // namespace cotangent
