#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <utility>

#include "commands.hpp"
#include "cotangent/model/reader.hpp"
#include "cotangent/run/option_table.hpp"
#include "cotangent/run/planned_model.hpp"
#include "models_folder.hpp"
#include "resumption.hpp"
#include "run_files.hpp"
#include "run_in_precision.hpp"

using namespace cotangent;

int run(RunRequest request) {
  std::optional<Resumption> resumption = read_resumption(request);
  const std::filesystem::path file = find_model(request.model);
  Model model = read_model(file, request.set, run_keys());
  RunWords& words = request.words;
  RunPlan plan =
      resumption ? plan_resumed_run(words, model, resumption->run.plan, resumption->run.asked) : plan_run(words, model);
  plan.model = {absolute(file.string()), request.set, fingerprint(read_text(file.string()))};
  const RunPlan asked = resumption ? resumption->run.asked : plan;
  settle_words(plan, words, model, model.notes);
  check_plan(plan, words);
  check_files(plan, words);
  if (resumption) check_resumption(*resumption, plan, words);
  const RememberedRun remembered = plan.checkpoint.empty() ? RememberedRun() : remember(asked, words);
  model = planned_model(std::move(model), plan, words);
  const auto in_precision = [&](auto zero) {
    return run_in_precision<decltype(zero)>(model, plan, words, remembered, resumption ? &*resumption : nullptr);
  };
  try {
    return plan.precision == Precision::quad ? in_precision(Quad(0)) : in_precision(0.0);
  } catch (const ArchiveError& error) {
    words.refuse("resume", fmt::format("{}: {}", *request.resume, error.what()));
  }
}
