#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cotangent/run/compare/choice_texts.hpp"
#include "cotangent/run/options/run_words.hpp"

/// For the shell.
enum ExitStatus : int {
  kDone = 0,
  kFailed = 1,  ///< the integration failed or was interrupted, what was computed is kept; or it could not be printed
  kInputWrong = 2,  ///< nothing was computed and nothing written
};

/// A request that makes no sense; ends the program with kInputWrong.
class UsageError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

/// An option of the command line, with a value or without: "--step 0.1".
std::string flag(std::string_view option, std::string_view value = {});

/// A text in which the library names options, `step = 0.1` or `json`, as flags of the command line.
std::string with_flags(const std::string& text);

/// The ready model files, by name.
std::vector<std::filesystem::path> model_files();

/// The model that a user names: a path or, where no such file exists, the name of a ready model.
/// @throws cotangent::ModelError if a bare name is neither.
std::filesystem::path find_model(const std::string& name);

/// The published experiments: names with their files, in order.
std::vector<std::pair<std::string, std::filesystem::path>> experiment_files();

// The requests of a command line, and the commands. A command returns an ExitStatus or throws.

struct RunRequest {
  std::string command;  ///< as it was typed
  std::string model;
  std::vector<std::string> set;
  std::optional<std::string> initial_from;  ///< a record or a checkpoint
  std::vector<std::string> initial_arrays;  ///< NAME=FILE
  std::optional<std::string> resume;        ///< a checkpoint
  std::optional<std::string> from;          ///< a record whose run is made again
  cotangent::RunWords words{flag};
};
int run(RunRequest request);

struct CompareRequest {
  std::string command;  ///< as it was typed
  std::string model;
  std::vector<std::string> set;
  cotangent::ChoiceTexts choices;
  cotangent::RunWords words{flag};
};
int compare(CompareRequest request);

struct ReproduceRequest {
  std::string command;  ///< as it was typed
  std::vector<std::string> names;
  std::string report;  ///< a page; empty for none
  bool all = false, quick = false, list = false, json = false;
  int threads = 0;
};
int reproduce(const ReproduceRequest& request);

struct CheckRequest {
  std::string model;
  std::vector<std::string> set;
  bool json = false;
};
int check(const CheckRequest& request);

struct AnalyzeRequest {
  std::string command;  ///< as it was typed
  std::string model;
  std::vector<std::string> set;
  std::vector<std::string> brackets;  ///< "x, p_x"
  bool stability = false;
  bool equilibrium = false;
  bool relative_equilibrium = false;
  std::size_t modes = 10;           ///< of an equilibrium
  cotangent::RunWords words{flag};  ///< of the motion that is followed
  std::string report;               ///< a page; empty for none
  bool latex = false;
  bool json = false;
};
int analyze(const AnalyzeRequest& request);
/// The stability of constraints and motions, and equilibria.
int analyze_motion(const AnalyzeRequest& request);

struct ListRequest {
  std::string what;  ///< methods, models, ...
  std::string name;  ///< of one of them; empty for all
  bool json = false;
};
int list(const ListRequest& request);

struct PlotRequest {
  std::string record;
  std::string what;  ///< names, separated by commas; empty for what there is
  std::string out;
};
int plot(const PlotRequest& request);

struct InfoRequest {
  std::string record;
  bool json = false;
};
int info(const InfoRequest& request);

/// The command that was typed. Help and the version are printed, mistakes described: then nothing is left to do but to
/// return the status. @throws OutputError
std::function<int()> read_command_line(int argc, char** argv);
