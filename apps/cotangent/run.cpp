#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <optional>

#include "choose_method.hpp"
#include "commands.hpp"
#include "cotangent/model/reader.hpp"
#include "cotangent/simulation/alternative.hpp"
#include "models_folder.hpp"
#include "projection_choice.hpp"
#include "reference_choice.hpp"
#include "resumed_options.hpp"
#include "resumption.hpp"
#include "run_choices.hpp"
#include "run_files.hpp"
#include "run_in_precision.hpp"
#include "run_options.hpp"
#include "watched_symmetries.hpp"

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

// The model with its alternative Hamiltonian, which has been seen to give the same motion.
Model alternative_of(const Model& model, const RunOptions& options) {
  if (!model.alternative.valid())
    options.places.refuse("hamiltonian", "the model has no alternative Hamiltonian",
                          "add hamiltonian_alternative = \"...\" to [system], beside the hamiltonian");
  const AlternativeReport report = check_alternative(model);
  Model result = with_alternative(model);
  result.notes.push_back(
      fmt::format("the alternative Hamiltonian is integrated, and monitored as the energy; at {} points of the "
                  "constraint manifold it differs from H by {:.1g} at most",
                  report.points, report.energy));
  return result;
}

int run(RunOptions options) {
  std::optional<Resumption> resumption = read_resumption(options);
  const std::filesystem::path file = find_model(options.model);
  Model model = read_model(file, options.set);
  if (resumption) {
    resume_run_options(options, model, resumption->run);
  } else {
    complete_run_options(options, model);
  }
  const RunOptions given = options;
  settle_reference(options);
  settle_free_method(options);
  settle_method_for_projection(options, model, model.notes);
  const RunChoices choices = choose(options);
  check_files(options, file.string());
  if (resumption) check_resumption(*resumption, options, choices);
  const RememberedRun asked = options.checkpoint ? remember(given, choices.precision) : RememberedRun();
  if (choices.uses_alternative) model = alternative_of(model, options);
  watch_symmetries(model, options, choices);
  const auto in_precision = [&](auto zero) {
    return run_in_precision<decltype(zero)>(model, options, choices, asked, resumption ? &*resumption : nullptr);
  };
  try {
    if (choices.precision == "quad") return in_precision(Quad(0));
    return in_precision(0.0);
  } catch (const ArchiveError& error) {
    options.places.refuse("resume", fmt::format("{}: {}", *options.resume, error.what()));
  }
}

}  // namespace

Command add_run(CLI::App& app) {
  CLI::App* command = app.add_subcommand("run", "integrate one system");
  command->footer(kExamples);
  auto options = std::make_shared<RunOptions>();
  add_run_options(*command, *options);
  return [options] { return run(*options); };
}
