#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cotangent/analyze/dirac/dirac.hpp"
#include "cotangent/analyze/dirac/imposed.hpp"
#include "cotangent/analyze/dirac/report.hpp"
#include "cotangent/analyze/stability/stability.hpp"
#include "cotangent/model/model.hpp"
#include "cotangent/run/options/run_plan.hpp"
#include "cotangent/run/options/run_words.hpp"

namespace cotangent {

/// What follows from a model before it is integrated: the constraints in phase space, by Dirac's algorithm in symbols
/// or, for large systems with imposed constraints and for those that symbols do not decide, by the rank of R.
class Analysis {
 public:
  /// @param stated the model; initial values may be missing. @param complete gives it with all of them, which ranks
  /// need. @param in_symbols whether nothing else will do, as for brackets.
  /// @throws ModelError, and std::invalid_argument for a system that is too large.
  Analysis(const Model& stated, const std::function<Model()>& complete, bool in_symbols);

  /// A null pointer if the constraints were found by their rank.
  const DiracAlgorithm* symbols() const { return symbols_.get(); }

  /// The Dirac bracket of two expressions, "x, p_x"; reports have it, too. @pre symbols()
  DiracBracket bracket(const std::string& text);

  /// For people, and for programs. @param latex expressions in LaTeX, and the equations of motion after them.
  std::string text(bool latex = false);
  std::string json();

 private:
  DiracReport report();

  const Model& model_;
  std::unique_ptr<DiracAlgorithm> symbols_;
  std::optional<ImposedConstraints> ranks_;
  std::vector<DiracBracket> brackets_;
};

/// The motion that an analysis of stability follows: that of a run, in as many steps unless these are adaptive.
/// @throws ModelError or OptionError
StabilityOptions stability_options(const RunPlan& plan, const RunWords& words);

}  // namespace cotangent
