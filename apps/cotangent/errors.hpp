#pragma once

#include <stdexcept>

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
