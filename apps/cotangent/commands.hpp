#pragma once

#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "cotangent/run/run_words.hpp"
#include "option_flags.hpp"

/// What the program tells the shell.
enum ExitStatus : int {
  kDone = 0,
  kFailed = 1,      ///< the integration failed or was interrupted; what was computed is kept
  kInputWrong = 2,  ///< nothing was computed and nothing written
};

/// A request that makes no sense; ends the program with kInputWrong.
class UsageError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

// What the command line asks for, and what does it. A command returns an ExitStatus or throws.

struct RunRequest {
  std::string model;
  std::vector<std::string> set;
  std::optional<std::string> resume;  ///< a checkpoint
  cotangent::RunWords words{flag};
};
int run(RunRequest request);

struct CheckRequest {
  std::string model;
  std::vector<std::string> set;
  bool json = false;
};
int check(const CheckRequest& request);

struct ListRequest {
  std::string what;  ///< methods, models, ...
  std::string name;  ///< of one of them; empty for all
  bool json = false;
};
int list(const ListRequest& request);

/// The command that was typed. Help and the version are printed, mistakes described: then nothing is left to do but to
/// return the status.
std::function<int()> read_command_line(int argc, char** argv);
