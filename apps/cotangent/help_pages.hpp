#pragma once

#include <string>
#include <vector>

// What shells and `man` are told of the command line, made from what --help is made of.

struct OptionEntry {
  std::string name;   ///< "--step"
  std::string value;  ///< how help calls it, "H"; empty for a flag
  std::string help;
  std::string group;
  std::vector<std::string> values;  ///< those that it takes, where these are words
};

struct CommandEntry {
  std::string name, help;
  std::string argument;             ///< "MODEL"; empty if there is none
  std::vector<std::string> values;  ///< of the argument, where these are words
  std::vector<OptionEntry> options;
  std::string footer;  ///< examples, and what else is to be known
};

/// The program is the first entry, its commands follow.
using CommandEntries = std::vector<CommandEntry>;

/// A script for bash, zsh or fish. @throws cotangent::UnknownName for another shell.
std::string completion_script(const std::string& shell, const CommandEntries& entries);

/// The page of `man cotangent`.
std::string manual_page(const CommandEntries& entries);
