#include "run_options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "cotangent/base/unknown_name.hpp"
#include "option_numbers.hpp"
#include "option_table.hpp"

using namespace cotangent;

namespace {

[[noreturn]] void unknown_key(const OptionPlaces& places, const std::string& key) {
  const auto& later = later_run_options();
  if (std::find(later.begin(), later.end(), key) != later.end())
    places.refuse_key(key, fmt::format("'{}' in [run] is not supported by this version yet", key));
  std::vector<std::string> names;
  for (const auto& entry : option_entries()) names.emplace_back(entry.name);
  const UnknownName unknown("option", key, names);
  places.refuse_key(key, unknown.message() + " for [run]", unknown.suggestion());
}

}  // namespace

CLI::Option* add_model_options(CLI::App& app, RunOptions& options) {
  app.add_option("--set", options.set, "override a parameter or an initial value; may be repeated")
      ->type_name("NAME=VALUE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->group("Model");
  return app.add_option("MODEL", options.model, "a model file, or the name of one in `cotangent list models`")
      ->required();
}

void add_run_options(CLI::App& app, RunOptions& options) {
  auto* model = add_model_options(app, options);
  model->description(model->get_description() + "; that of the checkpoint with --resume");
  for (const auto& entry : option_entries()) {
    const std::string flag = std::string("--") + entry.name;
    if (const auto* member = std::get_if<FlagOption>(&entry.member)) {
      app.add_flag_callback(
             flag, [&options, m = *member] { options.*m = true; }, entry.help)
          ->group(entry.group);
      continue;
    }
    const auto take = [&options, &entry](const std::string& given) {
      options.places.on_command_line(entry.name, given);
      if (const auto* text = std::get_if<TextOption>(&entry.member)) {
        options.*(*text) = given;
      } else {
        options.pending.push_back({entry.name, given});
      }
    };
    app.add_option_function<std::string>(flag, take, entry.help)->type_name(entry.value)->group(entry.group);
  }
  const auto resume = [&options, model](const std::string& file) {
    options.places.on_command_line("resume", file);
    options.resume = file;
    model->required(false);
  };
  app.add_option_function<std::string>("--resume", resume,
                                       "go on with the run of a checkpoint, to its end or another --end; MODEL and "
                                       "options are remembered")
      ->type_name("FILE")
      ->group("Checkpoints");
}

void complete_run_options(RunOptions& options, const Model& model) {
  evaluate_numbers(options, model);
  for (const auto& [key, place] : model.run_places) options.places.in_model(key, place);
  // Of two that exclude each other, the command line's takes the place of the model's.
  const bool records = options.every || options.sample;
  for (const auto& [key, value] : model.run) {
    const OptionEntry* entry = find_entry(key);
    if (!entry) unknown_key(options.places, key);
    if (records && (key == "every" || key == "sample")) continue;
    take_value(options, *entry, value);
  }
  evaluate_rates(options, model);
}

const std::vector<std::string>& later_run_options() {
  static const std::vector<std::string> all{"report", "threads", "seed"};
  return all;
}
