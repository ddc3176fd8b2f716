#pragma once

#include <cstdint>
#include <optional>

#include "cotangent/integrator/integrator.hpp"
#include "cotangent/simulation/pace/controller.hpp"

namespace cotangent {

/// What a user asks for. Numbers are decimals, see decimal().
struct AdaptiveOptions {
  Tolerance tolerance;
  Controller controller = Controller::pi;
  double end = 0;                          ///< the final time; trajectories begin at 0
  std::optional<double> first_step = {};   ///< that is tried; chosen if not given
  std::optional<std::int64_t> every = {};  ///< record every K-th step; every step if neither is given
  std::optional<double> sample = {};       ///< record at the times 0, DT, 2 DT, ..., by dense output
  double refinement = 1;                   ///< steps are that many times as short as all of this asks for
};

/// A symmetric method keeps its long-time behaviour under variable steps only if these are reversible, too.
inline Controller default_controller(const MethodFacts& facts) {
  return facts.symmetric ? Controller::reversible : Controller::pi;
}

}  // namespace cotangent
