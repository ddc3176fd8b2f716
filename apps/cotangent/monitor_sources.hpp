#pragma once

#include "cotangent/monitor/registry.hpp"
#include "run_parts.hpp"

/// What monitors need that make steps of their own beside a run.
/// @throws cotangent::ModelError for monitors and references that make no sense here.
template <class T>
cotangent::MonitorSources<T> monitor_sources(const RunParts& parts);
