#pragma once

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
  /// @param model is kept; initial values may be missing, but ranks need them all.
  /// @param stop nonzero: what takes long is given up, now and later.
  /// @throws ModelError, std::invalid_argument for a system that is too large, and Interrupted.
  explicit Analysis(const Model& model, const volatile std::sig_atomic_t* stop = nullptr);

  /// Dirac brackets of two expressions, "x, p_x", for reports. Where there are no symbols they have values only.
  void add_brackets(const std::vector<std::string>& texts);
  /// The same, one of them.
  DiracBracket bracket(const std::string& text);

  /// For people, and for programs. @param latex expressions in LaTeX, and the equations of motion after them.
  std::string text(bool latex = false);
  std::string json();

 private:
  DiracReport report();

  const Model& model_;
  std::unique_ptr<DiracAlgorithm> symbols_;
  std::optional<ImposedConstraints> ranks_;  // then nothing else counts
  std::vector<DiracBracket> brackets_;
};

/// The motion that an analysis of stability follows: that of a run, in as many steps unless these are adaptive.
/// @throws ModelError or OptionError
StabilityOptions stability_options(const RunPlan& plan, const RunWords& words);

}  // namespace cotangent
