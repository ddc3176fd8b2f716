#pragma once

#include <cstdint>
#include <optional>

#include "cotangent/integrator/integrator.hpp"
#include "cotangent/simulation/pace/controller.hpp"
#include "cotangent/simulation/pace/time_span.hpp"

namespace cotangent {

/// What a user asks for. Numbers are decimals, see decimal().
struct AdaptiveOptions {
  Tolerance tolerance;
  Controller controller = Controller::pi;
  double end = 0;                          ///< the final time
  double start = 0;                        ///< the first one
  std::optional<double> first_step = {};   ///< its length, that is tried; chosen if not given
  std::optional<std::int64_t> every = {};  ///< record every K-th step; every step if neither is given
  std::optional<double> sample = {};       ///< record DT, 2 DT, ... after the start, by dense output
  double refinement = 1;                   ///< steps are that many times as short as all of this asks for

  TimeSpan span() const { return {start, end}; }
};

/// The length of adaptive steps at time t that are too short to be made: they make no difference to the time.
/// @param unit of rounding.
template <class T>
T shortest_step(const T& t, const TimeSpan& span, const T& unit) {
  return T(16) * unit * max(abs(t), unit * T(span.length()));
}

}  // namespace cotangent
