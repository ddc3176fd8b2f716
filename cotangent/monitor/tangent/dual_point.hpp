#pragma once

#include <cmath>
#include <vector>

#include "cotangent/base/dual.hpp"
#include "cotangent/base/point.hpp"

namespace cotangent {

/// Sets the values of w to those of z. Whether they were the same before, up to rounding.
template <class T>
bool set_values(const PhasePoint<T>& z, PhasePoint<Tangents>& w);

/// The same with the variables that a formulation has left there, and counts of steps. If values were other ones beyond
/// rounding w is another point: what was remembered is then of no use; nor are variables of another chart.
template <class T>
void set_values(const Point<T>& z, Point<Tangents>& w);

/// z, without tangents.
template <class T>
PhasePoint<Tangents> dual_point(const PhasePoint<T>& z);

}  // namespace cotangent
