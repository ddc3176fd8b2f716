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
///
/// Of functions f and g of q and p, {f, g} - {f, chi_a} C^-1_ab {chi_b, g} needs chi = (g, psi) only, psi = G H_p +
/// g_t, and two solves with R, for C = [[0, R], [-R, S]] with S = {psi, psi}.
struct ImposedConstraints {
  struct Family {
    std::string name;
    std::string expression;  ///< g for any of its instances
    std::int64_t count = 0;  ///< of rows
    std::int64_t rank = 0;   ///< less those that follow from others
  };
  std::int64_t n = 0, m = 0;
  std::vector<Family> families = {};
  std::vector<RedundantConstraint> redundant;
  std::vector<std::pair<std::string, double>> brackets = {};  ///< at the initial point

  std::int64_t rank() const { return m - static_cast<std::int64_t>(redundant.size()); }
};

/// Nothing if the model has other constraints, or L_vv or R is singular in other ways. Sparse: a chain of thousands of
/// links takes seconds. @param brackets "x, p_x". @throws ModelError for initial data that a run would refuse.
std::optional<ImposedConstraints> imposed_constraints(const Model& model, const std::vector<std::string>& brackets);

/// Members of the JSON of an analysis, and the same for people.
std::vector<std::pair<std::string, Json>> json_of(const ImposedConstraints& found);
std::string text_of(const ImposedConstraints& found);

}  // namespace cotangent
