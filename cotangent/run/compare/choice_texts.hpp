#pragma once

#include <string>

#include "cotangent/model/model.hpp"
#include "cotangent/run/compare/compare.hpp"
#include "cotangent/run/options/run_words.hpp"

namespace cotangent {

/// Choices as they are typed: lists with commas; what is empty is left to the program.
struct ChoiceTexts {
  std::string methods, formulations, projections, steps, tolerances, accuracy, threads;
};

/// Each part of a list is read as the option of a run of the same name would be.
/// @param spelling of options, in messages. @throws ModelError or OptionError
Choices choices_of(const ChoiceTexts& texts, const Model& model, RunWords::Spelling spelling);

/// The plan of words alone: the keys of [run] of the model are added run by run. @throws ModelError or OptionError
RunPlan plan_without_model(RunWords& words, const Model& model);

}  // namespace cotangent
