#pragma once

#include <string>
#include <vector>

#include "cotangent/base/phase_point.hpp"
#include "run_machine.hpp"

/// Whether a run can begin at z, where the initial data may be off the constraints. A trajectory that begins with a
/// jump is noted.
/// @throws cotangent::ModelError for a formulation that has no such point.
template <class T>
void check_start(const RunMachine<T>& machine, const cotangent::PhasePoint<T>& z, std::vector<std::string>& notes);
