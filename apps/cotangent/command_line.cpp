#include "command_line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "cotangent/model/source.hpp"
#include "cotangent/model/suggest.hpp"
#include "run_options.hpp"

using namespace cotangent;

namespace {

constexpr const char* kHelp = "cotangent --help and cotangent run --help say what there is";

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

// The one name that begins with the word, or with which the word begins: --output for --out.
std::string begun_name(const std::string& word, const std::vector<std::string>& names) {
  constexpr std::size_t kLeast = 5;
  std::vector<std::string> found;
  for (const auto& name : names)
    if (std::min(word.size(), name.size()) >= kLeast && (word.starts_with(name) || name.starts_with(word)))
      found.push_back(name);
  return found.size() == 1 ? fmt::format("did you mean '{}'?", found.front()) : std::string();
}

std::string describe_unknown(const CLI::App& app, const std::vector<std::string>& words, int argc, char** argv) {
  const CLI::App& command = chosen_command(app);
  // The value of an unknown option is left over as well: the option is the one to speak of.
  const auto option = std::find_if(words.begin(), words.end(), is_option);
  const std::string given = option != words.end() ? *option : words.front();
  const std::string word = given.substr(0, given.find('='));
  const Location where = place_of(word, argc, argv);

  const auto refusal = [&](const std::string& message, const std::string& suggestion) {
    return std::string(ModelError(where, message, suggestion.empty() ? kHelp : suggestion).what());
  };
  if (!is_option(word)) {
    const char* kind = &command == &app ? "there is no command" : "unexpected argument";
    return refusal(fmt::format("{} '{}'", kind, word), did_you_mean(word, possible_names(command, false)));
  }
  std::vector<std::string> later;
  if (command.get_name() == "run")
    for (const auto& name : later_run_options()) later.push_back("--" + name);
  if (std::find(later.begin(), later.end(), word) != later.end())
    return refusal(fmt::format("'{}' is not supported by this version yet", word), "");
  std::string hint = did_you_mean(word, possible_names(command, true));
  if (hint.empty()) hint = begun_name(word, possible_names(command, true));
  if (hint.empty()) hint = did_you_mean(word, later);
  return refusal(fmt::format("unknown option '{}'", word), hint);
}

}  // namespace

std::string describe_mistake(const CLI::App& app, const CLI::ParseError& error, int argc, char** argv) {
  if (const auto words = app.remaining(true); !words.empty()) return describe_unknown(app, words, argc, argv);
  // "--step: 1 required H missing", "MODEL is required".
  const std::string sentence = error.what();
  const std::string option = sentence.substr(0, sentence.find_first_of(": "));
  if (!option.starts_with("--")) return ModelError("command line", sentence, kHelp).what();
  // "--step: At Most 1 required but received 2"
  const bool is_mismatch = dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr;
  const bool is_missing = is_mismatch && sentence.ends_with("missing");
  const bool is_repeated = is_mismatch && sentence.find("At Most 1") != sentence.npos;
  const std::string message = is_missing    ? option + " needs a value"
                              : is_repeated ? option + " is given more than once"
                                            : sentence;
  return ModelError(place_of(option, argc, argv), message, is_repeated ? "leave out all but one of them" : kHelp)
      .what();
}
