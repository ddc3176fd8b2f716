#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
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
#include "run_request.hpp"

using namespace cotangent;

namespace {

constexpr const char* kExamples = R"(Examples:
  cotangent run pendulum
  cotangent run models/pendulum.toml --step 0.001 --end 10
  cotangent run chain --set N=1000 --every 10 --out chain.csv
  cotangent run pendulum --method rk4 --projection none --json
  cotangent run pendulum --method rk4 --projection joint --project-invariants energy
  cotangent run pendulum --formulation dirac --method gauss:2 --monitor energy,wedge
  cotangent run pendulum --certify
  cotangent run pendulum --end "2*pi" --precision quad
  cotangent run kepler --set ecc=0.9 --tolerance 1e-6 --sample 0.1 --out kepler.csv
  cotangent run kepler --reference exact --growth
  cotangent run henon_heiles --section x --section-out section.csv
  cotangent run pendulum --end 1000 --checkpoint p.ckpt
  cotangent run --resume p.ckpt --end 2000

Every option but --set and --resume may stand in [run] of the model as well: method = "rk4".
Exit status: 0 done, 1 the integration failed (what was computed is kept), 2 the input was wrong.
)";

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

}  // namespace

Command add_run(CLI::App& app) {
  CLI::App* command = app.add_subcommand("run", "integrate one system");
  command->footer(kExamples);
  auto request = std::make_shared<RunRequest>();
  add_run_options(*command, *request);
  return [request] { return run(*request); };
}
