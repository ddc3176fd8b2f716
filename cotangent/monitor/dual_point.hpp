#pragma once

#include <cmath>
#include <vector>

#include "cotangent/base/dual.hpp"
#include "cotangent/base/phase_point.hpp"

namespace cotangent {

/// Whether these are values of the same variables, and not of another chart.
template <class T>
bool is_alike(const std::vector<T>& y, const std::vector<Tangents>& x);

/// Sets the values of w to those of z, and of the variables that a formulation has left there; counts that its memory
/// has go along. If they were other ones
/// beyond rounding w is another point: what methods keep for the next step is then of no use.
template <class T>
void set_values(const PhasePoint<T>& z, PhasePoint<Tangents>& w);

/// z, without tangents.
template <class T>
PhasePoint<Tangents> dual_point(const PhasePoint<T>& z);

}  // namespace cotangent
