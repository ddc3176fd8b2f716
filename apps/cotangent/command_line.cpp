// The options that may be typed, and mistakes in them. CLI11 compiles slowly: it is known here only.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <sstream>

#include "commands.hpp"
#include "cotangent/base/suggest.hpp"
#include "cotangent/formulation/formulation.hpp"
#include "cotangent/integrator/registry/registry.hpp"
#include "cotangent/model/source/source.hpp"
#include "cotangent/monitor/registry.hpp"
#include "cotangent/output/wrapped.hpp"
#include "cotangent/projection/projection_policy.hpp"
#include "cotangent/run/compare/compare.hpp"
#include "cotangent/run/options/option_table.hpp"
#include "help_pages.hpp"
#include "messages.hpp"

using namespace cotangent;

namespace {

std::string or_help(const std::string& suggestion) {
  return suggestion.empty() ? "cotangent --help and cotangent run --help say what there is" : suggestion;
}

const CLI::App& chosen_command(const CLI::App& app) {
  const auto chosen = app.get_subcommands();
  return chosen.empty() ? app : *chosen.front();
}

bool is_option(const std::string& word) {
  return word.starts_with("-") && word.find_first_not_of("-.0123456789") != word.npos;
}

// The arguments as one text, with the place of one of them.
Location place_of(const std::string& word, int argc, char** argv) {
  std::string text = "cotangent";
  Span span{0, text.size()};
  for (int k = 1; k < argc; ++k) {
    const std::string argument = argv[k];
    text += ' ';
    if (argument == word || argument.starts_with(word + "=")) span = {text.size(), text.size() + word.size()};
    text += argument;
  }
  return {std::make_shared<const SourceText>("command line", text), span};
}

// The arguments as a shell would take them again.
std::string command_text(int argc, char** argv) {
  std::string text = "cotangent";
  for (int k = 1; k < argc; ++k) {
    const std::string argument = argv[k];
    const bool is_plain = !argument.empty() && argument.find_first_of(" \t\n\"'\\$`*?[](){}<>|&;!~#") == argument.npos;
    text += ' ';
    if (!is_plain) text += '\'';
    for (const char c : argument) c == '\'' ? text += "'\\''" : text += c;
    if (!is_plain) text += '\'';
  }
  return text;
}

// Names that could stand where an unknown word stands.
std::vector<std::string> possible_names(const CLI::App& command, bool option) {
  std::vector<std::string> names;
  if (option) {
    for (const auto* known : command.get_options())
      for (const auto& name : known->get_lnames()) names.push_back("--" + name);
  } else {
    for (const auto* known : command.get_subcommands({})) names.push_back(known->get_name());
  }
  return names;
}

// Names of which the word is the beginning, --section-dir, or the one name that the word begins with, --output. No
// beginning is shorter than all names.
std::string hint_from_beginning(const std::string& word, const std::vector<std::string>& names, bool is_short) {
  std::size_t least = names.empty() ? 0 : names.front().size();
  for (const auto& name : names) least = std::min(least, name.size());
  std::vector<std::string> found;
  for (const auto& name : names) {
    const std::string &part = is_short ? word : name, &whole = is_short ? name : word;
    if (part.size() >= least && whole.starts_with(part)) found.push_back(name);
  }
  if (found.empty() || (found.size() > 1 && !is_short)) return "";
  return fmt::format("did you mean '{}'?", fmt::join(found, "' or '"));
}

// The option that has the word as a value: --wedge for --monitor wedge.
std::string option_with_value(const std::string& word) {
  const std::string value = word.substr(2);
  const auto hint = [&](const char* option) { return fmt::format("did you mean '--{} {}'?", option, value); };
  for (const auto& facts : monitors())
    if (facts.name == value) return hint("monitor");
  for (const auto& facts : projections())
    if (facts.name == value) return hint("projection");
  for (const auto& method : methods<double>())
    if (method.facts.name == value) return hint("method");
  return "";
}

std::string hint_for_option(const std::string& word, const CLI::App& command, const std::vector<std::string>& later) {
  const std::vector<std::string> names = possible_names(command, true);
  std::string hint = hint_from_beginning(word, names, true);
  if (hint.empty() && command.get_name() == "run" && word.starts_with("--")) hint = option_with_value(word);
  if (hint.empty()) hint = did_you_mean(word, names);
  if (hint.empty()) hint = hint_from_beginning(word, names, false);
  return hint.empty() ? did_you_mean(word, later) : hint;
}

// A word that is left over after a list, or that is an option of `run`.
std::string hint_for_word(const std::string& word, const CLI::App& app, const CLI::App& command, int argc,
                          char** argv) {
  if (&command == &app) {
    const CLI::App* run = app.get_subcommand("run");
    if (run->get_option_no_throw("--" + word)) return fmt::format("did you mean 'cotangent run --{}'?", word);
    return did_you_mean(word, possible_names(command, false));
  }
  for (int k = 2; k + 1 < argc; ++k) {
    const CLI::Option* option = command.get_option_no_throw(argv[k - 1]);
    if (option && option->get_type_name() == "LIST" && argv[k + 1] == word)
      return fmt::format("the names of a list are separated by commas, without spaces: {} {},{}", argv[k - 1], argv[k],
                         word);
  }
  return "";
}

std::string describe_unknown(const CLI::App& app, const std::vector<std::string>& words, int argc, char** argv) {
  const CLI::App& command = chosen_command(app);
  // The value of an unknown option is left over as well: the option is the one to speak of.
  const auto option = std::find_if(words.begin(), words.end(), is_option);
  const std::string given = option != words.end() ? *option : words.front();
  const std::string word = given.substr(0, given.find('='));
  const Location where = place_of(word, argc, argv);

  const auto refusal = [&](const std::string& message, const std::string& suggestion) {
    return std::string(ModelError(where, message, or_help(suggestion)).what());
  };
  const auto at = [&](const std::string& argument) { return std::find(argv + 1, argv + argc, argument); };
  if (is_option(word) && at("--") < at(given))
    return refusal(fmt::format("'{}' is no option after '--'", word), "leave out '--'");
  if (!is_option(word)) {
    const char* kind = &command == &app ? "there is no command" : "unexpected argument";
    return refusal(fmt::format("{} '{}'", kind, word), hint_for_word(word, app, command, argc, argv));
  }
  std::vector<std::string> later;
  if (command.get_name() == "run")
    for (const auto& name : later_options()) later.push_back("--" + name);
  if (std::find(later.begin(), later.end(), word) != later.end())
    return refusal(fmt::format("'{}' is not supported by this version yet", word), "");
  return refusal(fmt::format("unknown option '{}'", word), hint_for_option(word, command, later));
}

// Why a command line could not be taken, laid out like every other message: the place in what was typed, the reason and
// what was probably meant.
std::string describe_mistake(const CLI::App& app, const CLI::ParseError& error, int argc, char** argv) {
  if (const auto words = app.remaining(true); !words.empty()) return describe_unknown(app, words, argc, argv);
  // "--step: 1 required H missing", "MODEL is required".
  const std::string sentence = error.what();
  const std::string option = sentence.substr(0, sentence.find_first_of(": "));
  if (!option.starts_with("--")) return ModelError("command line", sentence, or_help("")).what();
  // "--step: At Most 1 required but received 2"
  const bool is_mismatch = dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr;
  const bool is_missing = is_mismatch && sentence.ends_with("missing");
  const bool is_repeated = is_mismatch && sentence.find("At Most 1") != sentence.npos;
  const std::string message = is_missing    ? option + " needs a value"
                              : is_repeated ? option + " is given more than once"
                                            : sentence;
  return ModelError(place_of(option, argc, argv), message, or_help(is_repeated ? "leave out all but one of them" : ""))
      .what();
}

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

void add_option(CLI::App& command, const Option& option, RunWords& words) {
  const std::string flag = "--" + option.name;
  const auto take = [&words, &option](const std::string& given) { words.on_command_line(option.name, given); };
  auto* added = option.kind == RunKind::flag
                    ? command.add_flag_callback(
                          flag, [take] { take("true"); }, option.help)
                    : command.add_option_function<std::string>(flag, take, option.help)->type_name(option.value);
  added->group(option.group);
}

// The options of a run, but for some.
void add_options(CLI::App& command, RunWords& words, const std::vector<std::string>& without) {
  for (const Option& option : options())
    if (std::find(without.begin(), without.end(), option.name) == without.end()) add_option(command, option, words);
}

// What `analyze` wants to know of a run.
bool is_of_motion(std::string_view option) {
  static constexpr std::string_view names[] = {"formulation", "gauge", "baumgarte", "chart", "step", "end"};
  return std::find(std::begin(names), std::end(names), option) != std::end(names);
}

void add_run(CLI::App& command, RunRequest& request) {
  auto* model = add_model(command, request.model, request.set);
  model->description(model->get_description() + "; with --resume or --from it is known");
  add_options(command, request.words, {});
  const auto from = [&request, model](const std::string& file) {
    request.words.on_command_line("from", file);
    request.from = file;
    model->required(false);
  };
  command
      .add_option_function<std::string>("--from", from,
                                        "make the run of a record again; MODEL and options are remembered, and options "
                                        "that are given replace them")
      ->type_name("RECORD")
      ->group("Model");
  const auto initial_from = [&request](const std::string& file) {
    request.words.on_command_line("initial-from", file);
    request.initial_from = file;
  };
  command
      .add_option_function<std::string>("--initial-from", initial_from,
                                        "initial data: the last row of a record (--out), or the point of a checkpoint, "
                                        "whatever its method was")
      ->type_name("FILE")
      ->group("Model");
  command
      .add_option("--initial-array", request.initial_arrays,
                  "initial values of an array, such as r, p_r or v_r, from numbers in FILE.csv or FILE.npy; may be "
                  "repeated")
      ->type_name("NAME=FILE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->group("Model");
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
  cotangent run pendulum --out forth.csv --end 10
  cotangent run pendulum --initial-from forth.csv --start 10 --end 0
  cotangent run pendulum --record coordinates,velocities,multipliers --out pendulum.h5
  cotangent run --from pendulum.h5 --out again.h5
  cotangent run pendulum --end 1000 --checkpoint p.ckpt
  cotangent run --resume p.ckpt --end 2000

Every option but --set, --from, --initial-from, --initial-array and --resume may stand in [run]
of the model as well: method = "rk4".
Exit status: 0 done, 1 the integration failed (what was computed is kept), 2 the input was wrong.
)");
}

void add_compare(CLI::App& command, CompareRequest& request) {
  add_model(command, request.model, request.set);
  const auto add = [&](const char* flag, std::string& text, const char* value, const char* help) {
    command.add_option(flag, text, help)->type_name(value)->group("Choices");
  };
  add("--method", request.choices.methods, "LIST", "methods, separated by commas; default: some that suit the system");
  add("--formulation", request.choices.formulations, "LIST",
      "equations of motion, or all that a method takes; default: that of the method");
  add("--projection", request.choices.projections, "LIST", "projections; default: that of the method");
  add("--step", request.choices.steps, "LIST",
      "fixed steps; default: they are refined until a run is as accurate as asked for");
  add("--tolerance", request.choices.tolerances, "LIST", "tolerances of adaptive steps");
  add("--accuracy", request.choices.accuracy, "E",
      "the largest error of the solution that is good enough, in parts of its size (1e-6)");
  add("--threads", request.choices.threads, "N",
      "how many runs are made side by side; default: one for each processor");
  std::vector<std::string> left_out = cotangent::options_of_one_run();
  left_out.insert(left_out.end(), {"method", "formulation", "projection", "step", "tolerance"});
  add_options(command, request.words, left_out);
  command.footer(R"(Examples:
  cotangent compare pendulum
  cotangent compare double_pendulum --accuracy 1e-8 --end 20
  cotangent compare pendulum --method rattle,gauss:2,rk4 --formulation all --step 0.1,0.05
  cotangent compare pendulum --method rk4,dopri5 --projection none,momentum,both --step 0.05 --growth
  cotangent compare kepler --method rattle,dop853 --step 0.05,0.01 --json

Every combination that goes together is run; the others are listed with the reason. Errors are measured against
[exact] of the model, --reference, or a run that is far more accurate. The last line recommends the cheapest run
that is accurate enough.
)");
}

void add_reproduce(CLI::App& command, ReproduceRequest& request) {
  command.add_option("NAME", request.names, "experiments, or papers, as --list names them; or files");
  command.add_flag("--all", request.all, "all experiments");
  command.add_flag("--quick", request.quick, "all that take seconds");
  command.add_flag("--list", request.list, "print what there is");
  command.add_option("--report", request.report, "write an interactive page: the plots, and all claims")
      ->type_name("FILE");
  command.add_flag("--json", request.json, "print JSON, and nothing else, on standard output");
  command
      .add_option("--threads", request.threads, "how many runs are made side by side; default: one for each processor")
      ->type_name("N")
      ->check(CLI::PositiveNumber);
  command.footer(R"(Examples:
  cotangent reproduce --list
  cotangent reproduce seiler/fig-1
  cotangent reproduce leimkuhler-reich
  cotangent reproduce --all --report experiments.html

Each claim of a paper ends as reproduced, not reproduced or not checkable, with the measured number beside the printed one.
Exit status: 0 all claims are reproduced, or known not to hold, or cannot be checked; 1 a claim is not reproduced.
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

void add_analyze(CLI::App& command, AnalyzeRequest& request) {
  add_model(command, request.model, request.set);
  CLI::Option* bracket =
      command.add_option("--bracket", request.brackets, "the Dirac bracket of two expressions; may be repeated")
          ->type_name("\"A, B\"")
          ->expected(1)
          ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command.add_flag("--stability", request.stability,
                   "what errors of the constraints do under every formulation: at the start, and along the motion");
  command.add_flag("--equilibrium", request.equilibrium,
                   "the equilibrium that the initial point leads to: its stability, frequencies and shapes of motions");
  command.add_flag("--relative-equilibrium", request.relative_equilibrium,
                   "the same for motions along symmetries only, with the momenta of the initial point");
  command.add_option("--modes", request.modes, "how many modes of an equilibrium (10)")
      ->type_name("K")
      ->check(CLI::Range(1, 10000));
  for (const Option& option : options())
    if (is_of_motion(option.name)) add_option(command, option, request.words);
  command.add_option("--report", request.report, "write a page with what was found")->type_name("FILE");
  CLI::Option* latex = command.add_flag("--latex", request.latex, "print expressions in LaTeX");
  // Those are questions of another kind, whose answers are numbers.
  for (const char* name : {"--stability", "--equilibrium", "--relative-equilibrium"})
    for (CLI::Option* option : {bracket, latex}) option->excludes(name);
  command.add_flag("--json", request.json, "print JSON, and nothing else, on standard output");
  command.footer(R"(Examples:
  cotangent analyze pendulum
  cotangent analyze pendulum --stability
  cotangent analyze pendulum --stability --formulation dirac --end 50
  cotangent analyze chain --set N=1000 --equilibrium --modes 20
  cotangent analyze pendulum --bracket "x, p_x"
  cotangent analyze christ_lee --json
  cotangent analyze chain --set N=1000
)");
}

void add_plot(CLI::App& command, PlotRequest& request) {
  command.add_option("RECORD", request.record, "a record, as --out of a run writes it")->required();
  command
      .add_option("--what", request.what,
                  "panels, separated by commas: energy, residuals, wedge, errors, invariants, trajectories, phase, "
                  "columns such as x, and pairs such as x:p_x (default: what there is)")
      ->type_name("LIST");
  command.add_option("--out", request.out, "the figure: .pdf, .svg or .png")->required()->type_name("FILE");
  command.footer(R"(Figures are drawn by gnuplot.

Examples:
  cotangent run pendulum --end 20 --out pendulum.csv
  cotangent plot pendulum.csv --out pendulum.pdf
  cotangent plot pendulum.csv --what energy,residuals,phase --out pendulum.svg
  cotangent plot pendulum.csv --what x:y,p_x --out pendulum.png
)");
}

void add_info(CLI::App& command, InfoRequest& request) {
  command.add_option("RECORD", request.record, "a record, as --out of a run writes it")->required();
  command.add_flag("--json", request.json, "print JSON, and nothing else, on standard output");
  command.footer(R"(Examples:
  cotangent run pendulum --certify --out pendulum.h5
  cotangent info pendulum.h5
  cotangent info pendulum.h5 --json
)");
}

// What shells and `man` are told.
void add_help_pages(CLI::App& app, std::string& shell) {
  CLI::App* completion = app.add_subcommand("completion", "the script with which a shell completes what is typed");
  completion->add_option("SHELL", shell, "bash, zsh or fish")->required();
  completion->footer(R"(Examples:
  cotangent completion bash > ~/.local/share/bash-completion/completions/cotangent
  cotangent completion zsh > ~/.zfunc/_cotangent            with ~/.zfunc in $fpath
  cotangent completion fish > ~/.config/fish/completions/cotangent.fish

An installed program has brought them along.
)");
  app.add_subcommand("manual", "the page of `man cotangent`")->footer(R"(Examples:
  cotangent manual | man -l -
)");
}

void add_list(CLI::App& command, ListRequest& request) {
  command.add_option("WHAT", request.what, "methods, formulations, projections, monitors, models or experiments")
      ->required();
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

// The words that an option takes, where there are not too many to choose from.
std::vector<std::string> values_of(const std::string& option) {
  std::vector<std::string> values;
  if (option == "method") {
    for (const auto& method : methods<double>()) values.push_back(method.facts.name);
  } else if (option == "formulation") {
    values.push_back(direct_facts().name);
    for (const auto& entry : formulations<double>()) values.push_back(entry.facts.name);
  } else if (option == "monitor") {
    for (const auto& facts : monitors()) values.push_back(facts.name);
  } else if (const Option* known = find_option(option)) {
    values = known->words;
  }
  return values;
}

CommandEntry entry_of(const CLI::App& app) {
  CommandEntry entry{app.get_name(), app.get_description(), {}, {}, {}, app.get_footer()};
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_positional()) {
      if (!entry.argument.empty()) continue;
      entry.argument = option->get_name(true);
      if (entry.argument == "SHELL") entry.values = {"bash", "zsh", "fish"};
      if (entry.argument == "WHAT")
        entry.values = {"methods", "formulations", "projections", "monitors", "models", "experiments"};
      continue;
    }
    const std::string name = option->get_lnames().front();
    const bool is_flag = option->get_items_expected_max() == 0;
    entry.options.push_back({"--" + name, is_flag ? "" : option->get_type_name(), option->get_description(),
                             option->get_group(), values_of(name)});
  }
  return entry;
}

CommandEntries entries_of(const CLI::App& app) {
  CommandEntries entries{entry_of(app)};
  for (const CLI::App* command : app.get_subcommands({})) entries.push_back(entry_of(*command));
  return entries;
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
  cotangent analyze pendulum                    constraints in phase space and their brackets
  cotangent run pendulum                        integrate it, and print a short table
  cotangent run pendulum --step 0.01 --end 100 --out pendulum.csv
  cotangent run chain --set N=1000 --json
  cotangent run pendulum --method rk4 --projection joint
  cotangent compare pendulum                    which method suits it best
  cotangent run pendulum --certify              what the run was to keep, and whether it did
  cotangent run pendulum --checkpoint p.ckpt    and then: cotangent run --resume p.ckpt --end 200
  cotangent run pendulum --report page.html     an interactive page: plots, and the mechanism in motion
  cotangent plot pendulum.csv --out fig.pdf     a figure from a record
  cotangent info pendulum.csv                   what a record is
  cotangent list methods                        and formulations, projections, monitors
  cotangent run --help                          all options of a run
)");
  app.set_version_flag("--version", COTANGENT_VERSION);
  app.require_subcommand(0, 1);
  app.formatter(std::make_shared<HelpFormatter>());
  RunRequest run_request;
  CompareRequest compare_request;
  ReproduceRequest reproduce_request;
  CheckRequest check_request;
  AnalyzeRequest analyze_request;
  ListRequest list_request;
  PlotRequest plot_request;
  InfoRequest info_request;
  add_run(*app.add_subcommand("run", "integrate one system"), run_request);
  add_compare(*app.add_subcommand("compare", "one system under several choices, side by side, and a recommendation"),
              compare_request);
  add_reproduce(*app.add_subcommand("reproduce", "make published experiments again, and check what papers say of them"),
                reproduce_request);
  add_check(*app.add_subcommand("check", "read and validate a model, and say what was understood"), check_request);
  add_analyze(*app.add_subcommand("analyze", "constraints, their classes and brackets: the Dirac algorithm"),
              analyze_request);
  add_plot(*app.add_subcommand("plot", "a figure from a record, as PDF, SVG or PNG"), plot_request);
  add_info(*app.add_subcommand("info", "what a record is: model, method, columns, times, certificate"), info_request);
  add_list(*app.add_subcommand("list", "what the program has, with fact sheets"), list_request);
  std::string shell;
  add_help_pages(app, shell);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& asked) {  // --help, --version
    std::ostringstream text;
    app.exit(asked, text);
    print(text.str());
    return [] { return kDone; };
  } catch (const CLI::ParseError& error) {
    say(describe_mistake(app, error, argc, argv) + '\n');
    return [] { return kInputWrong; };
  }
  run_request.command = compare_request.command = reproduce_request.command = analyze_request.command =
      command_text(argc, argv);
  if (app.got_subcommand("run")) return [run_request] { return run(run_request); };
  if (app.got_subcommand("compare")) return [compare_request] { return compare(compare_request); };
  if (app.got_subcommand("reproduce")) return [reproduce_request] { return reproduce(reproduce_request); };
  if (app.got_subcommand("check")) return [check_request] { return check(check_request); };
  if (app.got_subcommand("analyze")) return [analyze_request] { return analyze(analyze_request); };
  if (app.got_subcommand("plot")) return [plot_request] { return plot(plot_request); };
  if (app.got_subcommand("info")) return [info_request] { return info(info_request); };
  if (app.got_subcommand("list")) return [list_request] { return list(list_request); };
  print(app.got_subcommand("completion") ? completion_script(shell, entries_of(app))
        : app.got_subcommand("manual")   ? manual_page(entries_of(app))
                                         : app.help());
  return [] { return kDone; };
}
