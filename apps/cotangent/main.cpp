// The program: one subcommand per file, errors and exit statuses here.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <map>
#include <memory>
#include <string>

#include "command_line.hpp"
#include "commands.hpp"
#include "cotangent/model/source.hpp"
#include "errors.hpp"
#include "help_formatter.hpp"
#include "option_flags.hpp"
#include "process_clock.hpp"

namespace {

constexpr const char* kDescription =
    R"(cotangent integrates constrained mechanical systems: H(q, p) with constraints g(q) = 0, written in a model file.
)";

constexpr const char* kFooter = R"(A model file (TOML) is short:

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
)";

int guarded(const Command& command) {
  try {
    return command();
  } catch (const cotangent::ModelError& error) {
    fmt::print(stderr, "{}\n", with_flags(error.what()));
    return kInputWrong;
  } catch (const std::invalid_argument& error) {
    fmt::print(stderr, "error: {}\n", with_flags(error.what()));
    return kInputWrong;
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "error: there is not enough memory for this model\n");
    return kInputWrong;
  } catch (const std::exception& error) {
    fmt::print(stderr, "error: {}\n", with_flags(error.what()));
    return kFailed;
  }
}

}  // namespace

int main(int argc, char** argv) {
  start_process_clock();
  CLI::App app(kDescription, "cotangent");
  app.footer(kFooter);
  app.set_version_flag("--version", COTANGENT_VERSION);
  app.require_subcommand(0, 1);
  app.formatter(std::make_shared<HelpFormatter>());
  const std::map<std::string, Command> commands{
      {"run", add_run(app)}, {"check", add_check(app)}, {"list", add_list(app)}};
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& request) {  // --help, --version
    return app.exit(request);
  } catch (const CLI::ParseError& error) {
    fmt::print(stderr, "{}\n", describe_mistake(app, error, argc, argv));
    return kInputWrong;
  }
  for (const auto* chosen : app.get_subcommands()) return guarded(commands.at(chosen->get_name()));
  fmt::print("{}", app.help());
  return kDone;
}
