#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cotangent/projection/scaling_sets.hpp"

namespace cotangent {

/// Which constraints a point returns to, and when.
enum class Projection : std::uint8_t {
  none,
  position,    ///< g(q) = 0
  momentum,    ///< psi(q, p) = 0
  both,        ///< g(q) = 0, then psi = 0 there
  joint,       ///< both at once
  stage,       ///< both at once, before the field of a formulation is evaluated: see stage_projected.cpp
  symmetric,   ///< both, at both ends of a step alike: see symmetric_projection.hpp
  stabilise,   ///< one step of a joint projection, without iteration: see stabilisation.hpp
  relaxation,  ///< invariants return along the step, and the time with them: see relaxation.hpp
  scaling,     ///< to invariants, by scaling sets of variables: see scaling_projection.hpp
};

/// What is nearest. With M = H_pp^-1:
///
///   mass        |dq|^2 = dq' M dq,  |dp|^2 = dp' M^-1 dp     the same in all coordinates
///   euclidean   |dq|^2 = dq' dq,    |dp|^2 = dp' dp
enum class Metric : std::uint8_t { mass, euclidean };

/// What a projection claims; printed by `cotangent list projections`.
struct ProjectionFacts {
  Projection projection;
  std::string name;
  std::string description;  ///< one line
  std::string rows;         ///< what holds afterwards
  std::string moves;        ///< what is changed, and how
  std::string metrics;      ///< in which it is the nearest point
  std::string keeps;        ///< of what a method keeps, and what is lost
};

/// Every projection the program has.
const std::vector<ProjectionFacts>& projections();

const std::string& name_of(Projection projection);
const std::string& name_of(Metric metric);

/// @throws UnknownName
Projection find_projection(std::string_view name);
Metric find_metric(std::string_view name);

/// When a point is projected, and to what: after every K-th step, and there only if a residual is larger than EPS.
struct ProjectionPolicy {
  Projection projection = Projection::none;
  std::int64_t every = 1;            ///< K
  std::optional<double> above = {};  ///< EPS, held against max |g|, max |psi| and |I - I(0)| of what is projected to
  Metric metric = Metric::mass;
  std::vector<std::string> invariants = {};  ///< "energy", and names of invariants of the model
  ScalingSets sets = {};                     ///< of `scaling`

  /// Which constraints a step that is projected returns to. (Those of `stage` and `symmetric` are the method's
  /// affair.)
  bool to_position() const { return projection == Projection::position || to_both(); }
  bool to_momentum() const { return projection == Projection::momentum || to_both(); }

  /// Whether it does so to rounding, after every step.
  bool is_exact() const { return every == 1 && !above && projection != Projection::stabilise; }

  /// Whether it does anything after a step, in a system with this number of constraints.
  bool is_active(std::int64_t constraints) const {
    return !invariants.empty() || (constraints > 0 && (to_position() || to_momentum()));
  }

  bool operator==(const ProjectionPolicy&) const = default;

 private:
  bool to_both() const {
    return projection == Projection::both || projection == Projection::joint || projection == Projection::stabilise;
  }
};

}  // namespace cotangent
