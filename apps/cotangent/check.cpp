#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "commands.hpp"
#include "cotangent/model/reader.hpp"
#include "errors.hpp"
#include "models_folder.hpp"
#include "run_choices.hpp"
#include "understanding.hpp"

using namespace cotangent;

namespace {

constexpr const char* kExamples = R"(Examples:
  cotangent check models/pendulum.toml
  cotangent check chain --set N=1000
)";

struct CheckOptions {
  RunOptions run;  // the model and what is set; the rest to see that [run] makes sense
  bool json = false;
};

int check(CheckOptions options) {
  const Model model = read_model(find_model(options.run.model), options.run.set);
  complete_run_options(options.run, model);
  // A model may leave the step and the end to the command line.
  if (options.run.step && options.run.end) static_cast<void>(choose(options.run));
  const Understanding understanding = understand(model);
  fmt::print("{}", options.json ? understanding_json(understanding) : understanding_table(understanding));
  return kDone;
}

}  // namespace

Command add_check(CLI::App& app) {
  CLI::App* command = app.add_subcommand("check", "read and validate a model, and say what was understood");
  command->footer(kExamples);
  auto options = std::make_shared<CheckOptions>();
  add_model_options(*command, options->run);
  command->add_flag("--json", options->json, "print JSON, and nothing else, on standard output");
  return [options] { return check(*options); };
}
