#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cotangent/projection/projection_policy.hpp"

namespace cotangent {

/// How charts of the state-space form are found.
enum class ChartKind : std::uint8_t { partition, qr, svd };

/// When the chart of a step is chosen.
enum class ChartUpdate : std::uint8_t {
  midpoint,    ///< from a finite set, by the middle of the step: symmetric in time, and locally constant
  hysteresis,  ///< from the same set, kept until it has degraded: not symmetric, energy drifts
  every_step,  ///< at the beginning of every step, from the tangent space there: not symplectic
};

/// The freedom that some formulations have.
struct FormulationOptions {
  double gauge = 0;                                  ///< alpha in R eta = -psi + alpha g
  double baumgarte_alpha = 10, baumgarte_beta = 10;  ///< g'' + 2 alpha g' + beta^2 g = 0
  ChartKind chart = ChartKind::partition;
  ChartUpdate chart_update = ChartUpdate::midpoint;
  std::int64_t impetus_reset = 0;               ///< after so many steps; 0: never
  double impetus_reset_above = 0;               ///< where |p* - p| has grown larger than that; 0: never
  std::optional<Metric> stage_projection = {};  ///< the field is evaluated at projected stages, see stage_projected.cpp
  std::vector<std::string> stage_invariants = {};  ///< to which stages return as well

  bool operator==(const FormulationOptions&) const = default;
};

}  // namespace cotangent
