#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cotangent/model/model.hpp"
#include "cotangent/output/json.hpp"

namespace cotangent {

/// left = right, in the language of models and in LaTeX.
struct PaperEquation {
  std::string left, left_latex;
  std::string right, right_latex;
};
struct PaperSection {
  std::string name;
  std::string remark;  ///< empty, or what else is to be known
  std::vector<PaperEquation> equations;
};

/// The equations of a system written out: the model, its constraints, the equations for multipliers and the right-hand
/// side of each formulation that has one in closed form. In the letters of notation.md; rows are named after
/// constraints,
///
///   psi_a = G_a H_p + g_t,   R_ab = G_a H_pp G_b',   b_a = psi_a'[(v, F, 1)],   S_ab = {psi_a, psi_b}.
///
/// What occurs several times in a section gets a name there, c_1, c_2, ...
struct PaperEquations {
  std::vector<PaperSection> sections;
  std::string summary;  ///< in the place of sections: why the system is not written out
};

/// @throws ModelError for Lagrangians without a Legendre transformation in symbols.
PaperEquations equations_for_papers(const Model& model);

/// A text that LaTeX takes, with amsmath.
std::string latex_of(const PaperEquations& equations);
Json json_of(const PaperEquations& equations);

}  // namespace cotangent
