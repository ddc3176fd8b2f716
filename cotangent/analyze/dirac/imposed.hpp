#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cotangent/model/model.hpp"
#include "cotangent/monitor/discovery/redundancy.hpp"
#include "cotangent/output/json.hpp"

namespace cotangent {

/// Dirac's algorithm for a regular system with imposed holonomic constraints, by the rank r of R = G H_pp G' at the
/// initial data; for systems that are too large for symbols. With m constraints,
///
///   p_lambda = 0 (m),   g = 0,   G H_p + g_t = 0,   b - R lambda = 0 (r each),
///
/// of which 4 r are second class, r multipliers u are determined, and m - r of the p_lambda are first class: the
/// multipliers of redundant constraints are arbitrary. There are n - r degrees of freedom.
struct ImposedConstraints {
  std::int64_t n = 0, m = 0;
  std::vector<std::pair<std::string, std::int64_t>> families = {};  ///< of constraints, with their numbers of rows
  std::vector<RedundantConstraint> redundant;

  std::int64_t rank() const { return m - static_cast<std::int64_t>(redundant.size()); }
};

/// Nothing if the model has other constraints, or L_vv or R is singular in other ways. Sparse: a chain of thousands of
/// links takes seconds. @throws ModelError for initial data that a run would refuse.
std::optional<ImposedConstraints> imposed_constraints(const Model& model);

/// Members of the JSON of an analysis, and the same for people.
std::vector<std::pair<std::string, Json>> json_of(const ImposedConstraints& found);
std::string text_of(const ImposedConstraints& found);

}  // namespace cotangent
