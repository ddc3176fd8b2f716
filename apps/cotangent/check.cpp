#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "commands.hpp"
#include "cotangent/model/reader.hpp"
#include "cotangent/run/option_table.hpp"
#include "cotangent/run/plan_run.hpp"
#include "errors.hpp"
#include "models_folder.hpp"
#include "run_request.hpp"
#include "understanding.hpp"

using namespace cotangent;

namespace {

constexpr const char* kExamples = R"(Examples:
  cotangent check models/pendulum.toml
  cotangent check chain --set N=1000
)";

struct CheckOptions {
  RunRequest run;  // the model and what is set
  bool json = false;
};

int check(CheckOptions options) {
  const Model model = read_model(find_model(options.run.model), options.run.set, run_keys());
  const RunPlan plan = plan_run(options.run.words, model);
  // A model may leave the step and the end to the command line.
  if (plan.step && plan.end) check_plan(plan, options.run.words);
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
