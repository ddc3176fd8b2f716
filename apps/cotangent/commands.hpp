#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cotangent/run/run_words.hpp"
#include "option_flags.hpp"

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
