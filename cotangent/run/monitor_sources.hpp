#pragma once

#include "cotangent/monitor/registry.hpp"
#include "cotangent/run/run_parts.hpp"

namespace cotangent {

/// What monitors need that make steps of their own beside a run.
/// @throws ModelError for monitors and references that make no sense here.
template <class T>
MonitorSources<T> monitor_sources(const RunParts& parts);

}  // namespace cotangent
