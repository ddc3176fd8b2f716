#include <fmt/format.h>

#include "commands.hpp"
#include "cotangent/model/reader.hpp"
#include "cotangent/run/option_table.hpp"
#include "cotangent/run/plan_run.hpp"
#include "errors.hpp"
#include "models_folder.hpp"
#include "understanding.hpp"

using namespace cotangent;

int check(const CheckRequest& request) {
  const Model model = read_model(find_model(request.model), request.set, run_keys());
  RunWords words(flag);
  const RunPlan plan = plan_run(words, model);
  // A model may leave the step and the end to the command line.
  if (plan.step && plan.end) check_plan(plan, words);
  const Understanding understanding = understand(model);
  fmt::print("{}", request.json ? understanding_json(understanding) : understanding_table(understanding));
  return kDone;
}
