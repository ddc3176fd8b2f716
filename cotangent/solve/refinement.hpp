#pragma once

#include <cstddef>

#include "cotangent/base/scalar.hpp"
#include "cotangent/solve/stopping.hpp"

namespace cotangent {

/// What solving A x = b by refinement came to, per lane.
template <class T>
struct Refinement {
  Mask<T> converged;  ///< the residual is at its rounding level
  T residual;         ///< max_i |b - A x|_i
  int sweeps;         ///< corrections made, in the lane that took most
};

/// r = b - A x, and what is added up in it.
template <class T>
struct RefinementResidual {
  T norm, floor;  ///< max_i |r_i|; the level below which it counts as zero, such as epsilon max_i (|b| + |A| |x|)_i
};

/// Iterative refinement: x <- x + C (b - A x), C an approximate inverse of A, until the residual is at its rounding
/// level, and no longer than it shrinks.
///
/// @param residual (x, r) sets r = b - A x and returns a RefinementResidual<T>.
/// @param correct (r) replaces r by C r.
/// @param r workspace of the size of x.
template <class T, class Residual, class Correct>
Refinement<T> refine(T* x, T* r, std::size_t size, int max_sweeps, const Residual& residual, const Correct& correct) {
  RoundingStop<T> stop({.max_iterations = max_sweeps + 1, .max_stalls = 1});
  while (true) {
    const RefinementResidual<T> now = residual(x, r);
    if (!stop.update(now.norm, now.floor)) break;
    correct(r);
    for (std::size_t i = 0; i < size; ++i) x[i] = select(stop.active(), x[i] + r[i], x[i]);
  }
  return {stop.converged(), stop.residual(), stop.iterations() - 1};
}

/// The largest |r_i| and epsilon times the largest magnitude_i; what is not a number is infinite.
template <class T>
RefinementResidual<T> measure_residual(const T* r, const T* magnitude, std::size_t size) {
  RefinementResidual<T> found{T(0), T(0)};
  for (std::size_t i = 0; i < size; ++i) {
    found.norm = max(found.norm, select(isfinite(r[i]), abs(r[i]), T(infinity<T>())));
    found.floor = max(found.floor, magnitude[i]);
  }
  found.floor *= T(epsilon<T>());
  return found;
}

}  // namespace cotangent
