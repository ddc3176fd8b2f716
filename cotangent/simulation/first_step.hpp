#pragma once

#include <cstdint>

#include "cotangent/formulation/formulation.hpp"
#include "cotangent/integrator/integrator.hpp"

namespace cotangent {

/// A first step for a method whose error is O(h^k), from the sizes of z, z' and z'' = f'f in units of the tolerance:
///
///   h0 = |z| / (100 |f|),   |z''| = |f(z + h0 f) - f(z)| / h0,   h1^k max(|f|, |z''|) = 1/100,   h = min(100 h0, h1)
///
/// It may be wrong by far, as every guess from one point; it is there to be tried.
/// Reference: [hnw93, II.4].
/// @param evaluations of the field are added.
template <class T>
T first_step(Formulation<T>& field, const PhasePoint<T>& z, const Tolerance& tolerance, int k, T end,
             std::int64_t& evaluations);

}  // namespace cotangent
