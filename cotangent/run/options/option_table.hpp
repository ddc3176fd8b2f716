#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "cotangent/model/model.hpp"
#include "cotangent/model/run_keys.hpp"
#include "cotangent/run/options/run_plan.hpp"

namespace cotangent {

/// The fate of an option when a run is resumed.
enum class Later : std::uint8_t {
  fixed,  ///< remembered: another value would be another run
  free,   ///< remembered, unless it is given anew
  anew,   ///< not remembered
};

/// The sheet of an option. @param value how help calls it.
struct OptionSheet {
  std::string name, value, help, group;
  Later later = Later::fixed;
};

/// An option of a run, under the same name on the command line, in [run] of a model and as a member of a plan.
struct Option : OptionSheet {
  RunKind kind;
  std::vector<std::string> words;  ///< the values that it takes, if these are words

  /// Sets the member of a plan to a value of the kind. @throws UnknownName for a word, or a name, that there is not,
  /// and std::invalid_argument for numbers that make no sense.
  std::function<void(RunPlan&, const RunValue&)> set;
  /// The member, as it could be said; empty where there is no value. Numbers are the shortest decimals that are equal.
  std::function<std::string(const RunPlan&)> text;
};

/// Every option, in the order of the help.
const std::vector<Option>& options();

/// A null pointer if there is none of this name.
const Option* find_option(std::string_view name);

/// Keys of [run] and options that a later version will have.
const std::vector<std::string>& later_options();

/// The keys of [run], for a reader of models.
const std::vector<RunKey>& run_keys();

/// The value of a text that Option::text() gave.
RunValue value_of(const Option& option, const std::string& text);

/// Where the part of a list that begins there ends: the commas of r[1,2] and of functions separate nothing.
std::size_t next_comma(const std::string& text, std::size_t begin);

/// The words of a list such as "energy, momentum".
std::vector<std::string> split_at_commas(const std::string& text);

/// A JSON schema for the keys of [run]: its "properties", without blanks.
std::string run_schema();

}  // namespace cotangent
