#include "option_meaning.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "choose_method.hpp"
#include "cotangent/expr/algorithm.hpp"
#include "formulation_choice.hpp"
#include "option_numbers.hpp"
#include "option_table.hpp"
#include "option_words.hpp"
#include "projection_choice.hpp"
#include "reference_choice.hpp"
#include "run_choices.hpp"

using namespace cotangent;

namespace {

// The order of names is that of the table, and no more.
std::string in_order(std::vector<std::string> names) {
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return fmt::format("{}", fmt::join(names, ","));
}

// Records are known by what stands in them, see resumption.hpp.
std::optional<std::string> meaning_of_reference(RunOptions options) {
  settle_reference(options);
  return is_record(options) ? "a record" : options.reference;
}

}  // namespace

std::optional<std::string> meaning(const RunOptions& options, const Model& model, const std::string& option) {
  if (has_usual_word(option)) return word_of(options, option);
  if (option == "method") return named_method(options);
  if (option == "monitor") return in_order(choose_monitors(options));
  if (option == "reference") return meaning_of_reference(options);
  if (option == "gauge") return fmt::format("{}", choose_formulation_options(options).gauge);
  if (option == "project-every") return fmt::format("{}", choose_project_every(options));
  if (option == "baumgarte") {
    const FormulationOptions chosen = choose_formulation_options(options);
    return fmt::format("{},{}", chosen.baumgarte_alpha, chosen.baumgarte_beta);
  }
  auto given = text_of(options, *find_entry(option));
  if (given && (option == "project-invariants" || option == "periodogram")) return in_order(split_at_commas(*given));
  if (given && (option == "section" || option == "step-density"))
    return to_string(read_option_expression(options, model, option, *given));
  return given;
}
