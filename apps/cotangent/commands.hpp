#pragma once

#include <functional>

namespace CLI {
class App;
}

/// A subcommand declares its options and gives what runs it; that returns an ExitStatus or throws.
using Command = std::function<int()>;

Command add_run(CLI::App& app);
Command add_check(CLI::App& app);
Command add_list(CLI::App& app);
