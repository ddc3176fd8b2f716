#pragma once

#include <string>
#include <vector>

#include "cotangent/base/phase_point.hpp"
#include "cotangent/run/run_machine.hpp"

namespace cotangent {

/// Whether a run can begin at z, where the initial data may be off the constraints. A trajectory that begins with a
/// jump is noted.
/// @throws ModelError for a formulation that has no such point.
template <class T>
void check_start(const RunMachine<T>& machine, const PhasePoint<T>& z, Notes& notes);

}  // namespace cotangent
