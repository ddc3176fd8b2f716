#pragma once

#include <string>
#include <vector>

#include "cotangent/analyze/dirac/dirac.hpp"
#include "cotangent/output/json.hpp"

namespace cotangent {

/// What Dirac's algorithm found, with brackets that were asked for.
struct DiracReport {
  const DiracAlgorithm& analysis;
  std::vector<DiracBracket> brackets;
  BracketLaws laws;
};

/// Members of the JSON of an analysis.
std::vector<std::pair<std::string, Json>> json_of(const DiracReport& report);

/// For people. @param latex expressions in LaTeX.
std::string text_of(const DiracReport& report, bool latex);

}  // namespace cotangent
