// What may be typed. CLI11 compiles slowly: it is known here and in mistakes.cpp only.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "commands.hpp"
#include "cotangent/output/wrapped.hpp"
#include "cotangent/run/option_table.hpp"
#include "mistakes.hpp"

using namespace cotangent;

namespace {

// Long descriptions are broken into lines.
class HelpFormatter : public CLI::Formatter {
 public:
  HelpFormatter() { column_width(28); }

  // Lines after the first one are indented by the library.
  std::string make_option_desc(const CLI::Option* option) const override {
    const std::size_t column = get_column_width();
    const std::string text = wrapped(option->get_description(), column);
    std::string result;
    for (std::size_t k = 0; k + 1 < text.size(); ++k) {
      result += text[k];
      if (text[k] == '\n') k += column;
    }
    return result;
  }
};

CLI::Option* add_model(CLI::App& command, std::string& model, std::vector<std::string>& set) {
  command.add_option("--set", set, "override a parameter or an initial value; may be repeated")
      ->type_name("NAME=VALUE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->group("Model");
  return command.add_option("MODEL", model, "a model file, or the name of one in `cotangent list models`")->required();
}

void add_run(CLI::App& command, RunRequest& request) {
  auto* model = add_model(command, request.model, request.set);
  model->description(model->get_description() + "; with --resume it is known");
  for (const Option& option : options()) {
    const std::string flag = "--" + option.name;
    const auto take = [&request, &option](const std::string& given) {
      request.words.on_command_line(option.name, given);
    };
    auto* added = option.kind == RunKind::flag
                      ? command.add_flag_callback(
                            flag, [take] { take("true"); }, option.help)
                      : command.add_option_function<std::string>(flag, take, option.help)->type_name(option.value);
    added->group(option.group);
  }
  const auto resume = [&request, model](const std::string& file) {
    request.words.on_command_line("resume", file);
    request.resume = file;
    model->required(false);
  };
  command
      .add_option_function<std::string>("--resume", resume,
                                        "go on with the run of a checkpoint, to its end or another --end; MODEL and "
                                        "options are remembered")
      ->type_name("FILE")
      ->group("Checkpoints");
  command.footer(R"(Examples:
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
)");
}

void add_check(CLI::App& command, CheckRequest& request) {
  add_model(command, request.model, request.set);
  command.add_flag("--json", request.json, "print JSON, and nothing else, on standard output");
  command.footer(R"(Examples:
  cotangent check models/pendulum.toml
  cotangent check chain --set N=1000
)");
}

void add_list(CLI::App& command, ListRequest& request) {
  command.add_option("WHAT", request.what, "methods, formulations, projections, monitors or models")->required();
  command.add_option("NAME", request.name, "one of them: everything about it");
  command.add_flag("--json", request.json, "print JSON, and nothing else, on standard output");
  command.footer(R"(Examples:
  cotangent list models
  cotangent list methods
  cotangent list methods rattle
  cotangent list projections symmetric
  cotangent list monitors --json
)");
}

}  // namespace

std::function<int()> read_command_line(int argc, char** argv) {
  CLI::App app(
      R"(cotangent integrates constrained mechanical systems: H(q, p) with constraints g(q) = 0, written in a model file.
)",
      "cotangent");
  app.footer(R"(A model file (TOML) is short:

  [system]
  coordinates = ["x", "y"]                      # momenta are p_x, p_y
  hamiltonian = "(p_x^2 + p_y^2)/2 + y"
  [constraints]
  rod = "x^2 + y^2 = 1"
  [initial]
  x = 1
  y = 0
  p_x = 0
  p_y = -2

Examples:
  cotangent list models                         ready models, such as pendulum and chain
  cotangent check pendulum                      what is understood of a model
  cotangent run pendulum                        integrate it, and print a short table
  cotangent run pendulum --step 0.01 --end 100 --out pendulum.csv
  cotangent run chain --set N=1000 --json
  cotangent run pendulum --method rk4 --projection joint
  cotangent run pendulum --certify              what the run was to keep, and whether it did
  cotangent run pendulum --checkpoint p.ckpt    and then: cotangent run --resume p.ckpt --end 200
  cotangent list methods                        and formulations, projections, monitors
  cotangent run --help                          all options of a run
)");
  app.set_version_flag("--version", COTANGENT_VERSION);
  app.require_subcommand(0, 1);
  app.formatter(std::make_shared<HelpFormatter>());
  RunRequest run_request;
  CheckRequest check_request;
  ListRequest list_request;
  add_run(*app.add_subcommand("run", "integrate one system"), run_request);
  add_check(*app.add_subcommand("check", "read and validate a model, and say what was understood"), check_request);
  add_list(*app.add_subcommand("list", "what the program has, with fact sheets"), list_request);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& asked) {  // --help, --version
    return [status = app.exit(asked)] { return status; };
  } catch (const CLI::ParseError& error) {
    fmt::print(stderr, "{}\n", describe_mistake(app, error, argc, argv));
    return [] { return kInputWrong; };
  }
  if (app.got_subcommand("run")) return [run_request] { return run(run_request); };
  if (app.got_subcommand("check")) return [check_request] { return check(check_request); };
  if (app.got_subcommand("list")) return [list_request] { return list(list_request); };
  fmt::print("{}", app.help());
  return [] { return kDone; };
}
