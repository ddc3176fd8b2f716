#include "mistakes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "cotangent/base/suggest.hpp"
#include "cotangent/integrator/registry.hpp"
#include "cotangent/model/source.hpp"
#include "cotangent/monitor/registry.hpp"
#include "cotangent/projection/projection_policy.hpp"
#include "cotangent/run/option_table.hpp"

using namespace cotangent;

namespace {

std::string or_help(const std::string& suggestion) {
  return suggestion.empty() ? "cotangent --help and cotangent run --help say what there is" : suggestion;
}

const CLI::App& chosen_command(const CLI::App& app) {
  const auto chosen = app.get_subcommands();
  return chosen.empty() ? app : *chosen.front();
}

bool is_option(const std::string& word) {
  return word.starts_with("-") && word.find_first_not_of("-.0123456789") != word.npos;
}

// The arguments as one text, with the place of one of them.
Location place_of(const std::string& word, int argc, char** argv) {
  std::string text = "cotangent";
  Span span{0, text.size()};
  for (int k = 1; k < argc; ++k) {
    const std::string argument = argv[k];
    text += ' ';
    if (argument == word || argument.starts_with(word + "=")) span = {text.size(), text.size() + word.size()};
    text += argument;
  }
  return {std::make_shared<const SourceText>("command line", text), span};
}

// Names that could stand where an unknown word stands.
std::vector<std::string> possible_names(const CLI::App& command, bool option) {
  std::vector<std::string> names;
  if (option) {
    for (const auto* known : command.get_options())
      for (const auto& name : known->get_lnames()) names.push_back("--" + name);
  } else {
    for (const auto* known : command.get_subcommands({})) names.push_back(known->get_name());
  }
  return names;
}

// Names of which the word is the beginning, --section-dir, or the one name that the word begins with, --output. No
// beginning is shorter than all names.
std::string hint_from_beginning(const std::string& word, const std::vector<std::string>& names, bool is_short) {
  std::size_t least = names.empty() ? 0 : names.front().size();
  for (const auto& name : names) least = std::min(least, name.size());
  std::vector<std::string> found;
  for (const auto& name : names) {
    const std::string &part = is_short ? word : name, &whole = is_short ? name : word;
    if (part.size() >= least && whole.starts_with(part)) found.push_back(name);
  }
  if (found.empty() || (found.size() > 1 && !is_short)) return "";
  return fmt::format("did you mean '{}'?", fmt::join(found, "' or '"));
}

// The option that has the word as a value: --wedge for --monitor wedge.
std::string option_with_value(const std::string& word) {
  const std::string value = word.substr(2);
  const auto hint = [&](const char* option) { return fmt::format("did you mean '--{} {}'?", option, value); };
  for (const auto& facts : monitors())
    if (facts.name == value) return hint("monitor");
  for (const auto& facts : projections())
    if (facts.name == value) return hint("projection");
  for (const auto& method : methods<double>())
    if (method.facts.name == value) return hint("method");
  return "";
}

std::string hint_for_option(const std::string& word, const CLI::App& command, const std::vector<std::string>& later) {
  const std::vector<std::string> names = possible_names(command, true);
  std::string hint = hint_from_beginning(word, names, true);
  if (hint.empty() && command.get_name() == "run" && word.starts_with("--")) hint = option_with_value(word);
  if (hint.empty()) hint = did_you_mean(word, names);
  if (hint.empty()) hint = hint_from_beginning(word, names, false);
  return hint.empty() ? did_you_mean(word, later) : hint;
}

// A word that is left over after a list, or that is an option of `run`.
std::string hint_for_word(const std::string& word, const CLI::App& app, const CLI::App& command, int argc,
                          char** argv) {
  if (&command == &app) {
    const CLI::App* run = app.get_subcommand("run");
    if (run->get_option_no_throw("--" + word)) return fmt::format("did you mean 'cotangent run --{}'?", word);
    return did_you_mean(word, possible_names(command, false));
  }
  for (int k = 2; k + 1 < argc; ++k) {
    const CLI::Option* option = command.get_option_no_throw(argv[k - 1]);
    if (option && option->get_type_name() == "LIST" && argv[k + 1] == word)
      return fmt::format("the names of a list are separated by commas, without spaces: {} {},{}", argv[k - 1], argv[k],
                         word);
  }
  return "";
}

std::string describe_unknown(const CLI::App& app, const std::vector<std::string>& words, int argc, char** argv) {
  const CLI::App& command = chosen_command(app);
  // The value of an unknown option is left over as well: the option is the one to speak of.
  const auto option = std::find_if(words.begin(), words.end(), is_option);
  const std::string given = option != words.end() ? *option : words.front();
  const std::string word = given.substr(0, given.find('='));
  const Location where = place_of(word, argc, argv);

  const auto refusal = [&](const std::string& message, const std::string& suggestion) {
    return std::string(ModelError(where, message, or_help(suggestion)).what());
  };
  if (!is_option(word)) {
    const char* kind = &command == &app ? "there is no command" : "unexpected argument";
    return refusal(fmt::format("{} '{}'", kind, word), hint_for_word(word, app, command, argc, argv));
  }
  std::vector<std::string> later;
  if (command.get_name() == "run")
    for (const auto& name : later_options()) later.push_back("--" + name);
  if (std::find(later.begin(), later.end(), word) != later.end())
    return refusal(fmt::format("'{}' is not supported by this version yet", word), "");
  return refusal(fmt::format("unknown option '{}'", word), hint_for_option(word, command, later));
}

}  // namespace

std::string describe_mistake(const CLI::App& app, const CLI::ParseError& error, int argc, char** argv) {
  if (const auto words = app.remaining(true); !words.empty()) return describe_unknown(app, words, argc, argv);
  // "--step: 1 required H missing", "MODEL is required".
  const std::string sentence = error.what();
  const std::string option = sentence.substr(0, sentence.find_first_of(": "));
  if (!option.starts_with("--")) return ModelError("command line", sentence, or_help("")).what();
  // "--step: At Most 1 required but received 2"
  const bool is_mismatch = dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr;
  const bool is_missing = is_mismatch && sentence.ends_with("missing");
  const bool is_repeated = is_mismatch && sentence.find("At Most 1") != sentence.npos;
  const std::string message = is_missing    ? option + " needs a value"
                              : is_repeated ? option + " is given more than once"
                                            : sentence;
  return ModelError(place_of(option, argc, argv), message, or_help(is_repeated ? "leave out all but one of them" : ""))
      .what();
}
