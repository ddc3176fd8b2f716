#pragma once

#include <functional>
#include <string>
#include <vector>

#include "benchmarks/peers/candidate.hpp"

namespace cotangent::peers {

/// The time of something that was done many times, in turn with others.
struct Timing {
  double seconds = 0;  ///< the median of the rounds, of processor time
  double noise = 0;    ///< half the distance of the quartiles, relative to the median
};

/// Times all, in turn: whatever else the machine does meanwhile slows down all alike. Each is done for a while first,
/// so that caches are filled and code that is made on the way exists.
std::vector<Timing> time_in_turn(const std::vector<std::function<void()>>& work);

/// A candidate that has got to the end.
struct Measured {
  std::string method;
  double setting = 0;
  double error = 0;  ///< the largest of a coordinate or a momentum, at the end
  Timing time;
};

/// Leaves out those that fail or take more than some seconds; `left_out` says so.
std::vector<Measured> measure(const Candidates& candidates, const Vector& reference,
                              std::vector<std::string>& left_out);

}  // namespace cotangent::peers
