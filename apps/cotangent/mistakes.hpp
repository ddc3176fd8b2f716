#pragma once

#include <CLI/CLI.hpp>
#include <string>

/// Why a command line could not be taken, laid out like every other message: the place in what was typed, the reason
/// and what was probably meant.
std::string describe_mistake(const CLI::App& app, const CLI::ParseError& error, int argc, char** argv);
