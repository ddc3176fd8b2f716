#include "resumed_options.hpp"

#include <fmt/format.h>

#include <optional>

#include "errors.hpp"
#include "option_meaning.hpp"
#include "option_numbers.hpp"
#include "option_table.hpp"
#include "reference_choice.hpp"

using namespace cotangent;

namespace {

[[noreturn]] void refuse_change(const RunOptions& options, const std::string& name,
                                const std::optional<std::string>& before) {
  const std::string what =
      before ? fmt::format("the run that is resumed has '{}'", *before) : "the run that is resumed was made without it";
  const std::string advice = "leave it out, or start a new run";
  if (options.places.is_on_command_line(name)) options.places.refuse(name, what, advice);
  throw UsageError(fmt::format("--{}: {}; {}", name, what, advice));
}

// The projection `symmetric` makes symmetric(METHOD) of a method.
bool is_chosen(const std::string& name, const std::optional<std::string>& value, const RememberedRun& run) {
  const auto chosen = run.chosen(name);
  return value && (value == chosen || (name == "method" && fmt::format("symmetric({})", *value) == chosen));
}

void take_remembered(RunOptions& options, const OptionEntry& entry, const std::optional<std::string>& text) {
  if (text) options.places.in_checkpoint(entry.name);
  set_from_text(options, entry, text);
}

// Whether all options of a run that were given to it again mean what they meant.
void expect_same(const RunOptions& now, const RunOptions& before, const std::vector<const OptionEntry*>& again,
                 const Model& model, const RememberedRun& run) {
  for (const OptionEntry* entry : again) {
    const std::string name = entry->name;
    const auto meant = meaning(before, model, name), is_meant = meaning(now, model, name);
    if (is_meant == meant || is_chosen(name, is_meant, run)) continue;
    const auto given = run.given(name), chosen = run.chosen(name);
    refuse_change(now, name, given ? given : chosen ? chosen : meant);
  }
}

}  // namespace

std::vector<std::string> remembered_options(const RunOptions& options) {
  std::vector<std::string> all;
  for (const auto& entry : option_entries())
    if (const auto text = text_of(options, entry); text && entry.later != Later::anew)
      all.push_back(fmt::format("{}={}", entry.name, *text));
  return all;
}

void resume_run_options(RunOptions& options, const Model& model, const RememberedRun& run) {
  evaluate_numbers(options, model);
  // Of two that exclude each other, the command line's takes the place of the remembered one.
  const bool records = options.every || options.sample;
  RunOptions before;
  std::vector<const OptionEntry*> again;
  for (const auto& entry : option_entries()) {
    const std::string name = entry.name;
    if (entry.later == Later::anew) {
      if (const auto found = model.run.find(name); found != model.run.end()) take_value(options, entry, found->second);
      continue;
    }
    const auto given = run.given(name);
    set_from_text(before, entry, given);
    if (text_of(options, entry)) {
      if (entry.later == Later::fixed) again.push_back(&entry);
    } else if (!(records && (name == "every" || name == "sample"))) {
      take_remembered(options, entry, given);
    }
  }
  evaluate_rates(options, model);
  evaluate_rates(before, model);
  expect_same(options, before, again, model, run);
  // From here on in the words of the run that is resumed, with what was chosen for it. A record may have been moved.
  const auto reference = options.reference;
  for (const auto& entry : option_entries()) {
    if (entry.later != Later::fixed) continue;
    const std::string name = entry.name;
    const auto chosen = run.chosen(name), given = run.given(name);
    take_remembered(options, entry, chosen && name != "projection" ? chosen : given);
  }
  if (is_record(options)) options.reference = reference;
  options.baumgarte_rates = before.baumgarte_rates;
}
