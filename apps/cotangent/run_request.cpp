#include "run_request.hpp"

#include <CLI/CLI.hpp>

#include "cotangent/run/option_table.hpp"
#include "option_flags.hpp"

using namespace cotangent;

RunRequest::RunRequest() : words(flag) {}

CLI::Option* add_model_options(CLI::App& app, RunRequest& request) {
  app.add_option("--set", request.set, "override a parameter or an initial value; may be repeated")
      ->type_name("NAME=VALUE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->group("Model");
  return app.add_option("MODEL", request.model, "a model file, or the name of one in `cotangent list models`")
      ->required();
}

void add_run_options(CLI::App& app, RunRequest& request) {
  auto* model = add_model_options(app, request);
  model->description(model->get_description() + "; with --resume it is known");
  for (const Option& option : options()) {
    const std::string flag = "--" + option.name;
    const auto take = [&request, &option](const std::string& given) {
      request.words.on_command_line(option.name, given);
    };
    auto* added = option.kind == RunKind::flag
                      ? app.add_flag_callback(
                            flag, [take] { take("true"); }, option.help)
                      : app.add_option_function<std::string>(flag, take, option.help)->type_name(option.value);
    added->group(option.group);
  }
  const auto resume = [&request, model](const std::string& file) {
    request.words.on_command_line("resume", file);
    request.resume = file;
    model->required(false);
  };
  app.add_option_function<std::string>("--resume", resume,
                                       "go on with the run of a checkpoint, to its end or another --end; MODEL and "
                                       "options are remembered")
      ->type_name("FILE")
      ->group("Checkpoints");
}
