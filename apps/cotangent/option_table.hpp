#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "run_options.hpp"

using TextOption = std::optional<std::string> RunOptions::*;
using RealOption = std::optional<double> RunOptions::*;
using IntegerOption = std::optional<std::int64_t> RunOptions::*;
using FlagOption = std::optional<bool> RunOptions::*;

/// What becomes of an option when a run is resumed.
enum class Later : std::uint8_t {
  fixed,  ///< remembered: another value would be another run
  free,   ///< remembered, unless it is given anew
  anew,   ///< not remembered
};

struct OptionEntry {
  const char* name;
  std::variant<TextOption, RealOption, IntegerOption, FlagOption> member;
  const char* value;  ///< how help calls it
  const char* help;
  const char* group;
  Later later = Later::fixed;
};

/// Every option of a run that may stand in [run] as well, in the order of the help.
const std::vector<OptionEntry>& option_entries();

/// A null pointer if there is none of this name.
const OptionEntry* find_entry(std::string_view name);

/// As it could stand on the command line; nothing if it is not given. Numbers are the shortest decimals that are equal.
std::optional<std::string> text_of(const RunOptions& options, const OptionEntry& entry);

/// The reverse, for a text that text_of() gave; nothing takes the option away.
void set_from_text(RunOptions& options, const OptionEntry& entry, const std::optional<std::string>& text);

/// A value of [run], for an option that is open still. @throws cotangent::ModelError for one of a wrong kind.
void take_value(RunOptions& options, const OptionEntry& entry, const cotangent::RunValue& value);
