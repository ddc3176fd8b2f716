#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cotangent/model/model.hpp"
#include "cotangent/run/options/run_plan.hpp"
#include "cotangent/run/options/run_words.hpp"

namespace cotangent {

using Notes = std::vector<std::string>;

/// Words become a plan: those of the command line win over those of [run] of the model. The only reader of words.
/// @param words of the command line; places in the model are added. @param notes what an option of the command line
/// takes the place of.
/// @throws ModelError for a number that is none, an unknown key or word, or a value of a wrong kind.
RunPlan plan_run(RunWords& words, const Model& model, Notes& notes);

/// The same for a run that is resumed: the plan `before` has what the command line leaves open. Options that make the
/// run what it is may be said again, in other words (see is_same_run).
/// @param asked how that run was asked for, before anything was chosen for it.
/// @throws ModelError or OptionError for options that may not change, by name.
RunPlan plan_resumed_run(RunWords& words, const Model& model, const RunPlan& before, const RunPlan& asked);

/// Whether both lead to the same steps, and watch the same: all but what Later::free and Later::anew options say.
/// Lists are in any order, expressions in any form.
bool is_same_run(RunPlan a, RunPlan b, const Model& model);

/// Adds what follows from words alone: monitors that a certificate needs, a method for the projections `stage` and
/// `symmetric`. A choice that nobody has asked for is noted.
/// @throws ModelError or OptionError if the method has no such projection.
void settle_words(RunPlan& plan, const RunWords& words, const Model& model, Notes& notes);

/// Refuses values that make no sense, alone or together. @throws ModelError or OptionError
void check_plan(const RunPlan& plan, const RunWords& words);

/// Refuses a page that cannot be written, for its name or because the program has none. @throws OptionError
void check_report(const std::string& file, const RunWords& words);

/// The model as a settled plan asks for it: with its alternative Hamiltonian, which has been seen to give the same
/// motion, and with momenta that symmetries conserve among its invariants. Notes are added to those of the model.
/// @throws ModelError or OptionError
Model planned_model(Model model, const RunPlan& plan, const RunWords& words);

/// The value of an option that is an expression in the variables of a model. @throws ModelError
Expr read_option_expression(const RunWords& words, const Model& model, const std::string& option,
                            const std::string& text);

/// The value of the option `sets`, as places in (q, p, s): sets stand between bars, a name is that of a variable or of
/// an array, and "x-1" is x scaled about 1. Nothing if it is not given.
/// @throws ModelError or OptionError for names that are not of variables, and for such that are in two sets.
ScalingSets read_sets(const RunWords& words, const Model& model, const std::string& text);

/// The number that is the value of an option, or a part of it after `before` characters: an expression in parameters.
double read_option_number(const RunWords& words, const Model& model, const std::string& option, const std::string& text,
                          std::size_t before = 0);

/// A plan in words, and the reverse: every option that is not what it is by default, with its value.
using PlanWords = std::vector<std::pair<std::string, std::string>>;
PlanWords words_of(const RunPlan& plan);
RunPlan plan_of(const PlanWords& words);

}  // namespace cotangent
