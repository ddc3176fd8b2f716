#pragma once

#include <functional>

using Command = std::function<int()>;  ///< returns an ExitStatus or throws

/// The command that was typed. Help and the version are printed, mistakes described: then nothing is left to do but to
/// return the status.
Command read_command_line(int argc, char** argv);
