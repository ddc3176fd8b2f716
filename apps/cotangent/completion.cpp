#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "cotangent/base/unknown_name.hpp"
#include "help_pages.hpp"

namespace {

using Words = std::vector<std::string>;

// Every one of these characters gets something before it.
std::string escaped(std::string_view text, std::string_view characters, std::string_view escape = "\\") {
  std::string result;
  for (const char c : text) {
    if (characters.find(c) != characters.npos) result += escape;
    result += c;
  }
  return result;
}

// In single quotes of a shell.
std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

std::string first_part(const std::string& help) { return help.substr(0, help.find(';')); }

// Words for fish, which expands them once more: parentheses would be commands.
std::string fish_words(const Words& words) {
  return quoted(escaped(fmt::format("{}", fmt::join(words, " ")), "()$*?{}"));
}

bool is_file(const OptionEntry& option) { return option.value.find("FILE") != option.value.npos; }

Words commands_of(const CommandEntries& entries) {
  Words names;
  for (std::size_t k = 1; k < entries.size(); ++k) names.push_back(entries[k].name);
  return names;
}

// What may be typed after the name of a command: the list that has it; empty if there is none.
std::string list_of(const CommandEntry& command) {
  return command.argument == "MODEL" ? "models" : command.argument == "NAME" ? "experiments" : "";
}

// The words of a list, for all shells.
std::string words_of_list(const std::string& list) {
  return fmt::format("cotangent list {} 2>/dev/null | sed -n '2,$s/ .*//p'", list);
}

std::string bash_script(const CommandEntries& entries) {
  std::string text = R"(# bash completion of cotangent, made by: cotangent completion bash
_cotangent() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} words=
  # Names such as gauss:2 are one word.
  declare -F _get_comp_words_by_ref >/dev/null && _get_comp_words_by_ref -n : cur prev
  case "${COMP_WORDS[1]} $prev" in
)";
  for (const CommandEntry& command : entries)
    for (const OptionEntry& option : command.options)
      if (!option.values.empty())
        text += fmt::format("    '{} {}') words={} ;;\n", command.name, option.name,
                            quoted(fmt::format("{}", fmt::join(option.values, " "))));
  text += "  esac\n  [[ -z $words ]] && case ${COMP_CWORD}:${COMP_WORDS[1]} in\n";
  text += fmt::format("    1:*) words={} ;;\n",
                      quoted(fmt::format("{} --help --version", fmt::join(commands_of(entries), " "))));
  for (std::size_t k = 1; k < entries.size(); ++k) {
    const CommandEntry& command = entries[k];
    Words words;
    for (const OptionEntry& option : command.options) words.push_back(option.name);
    words.insert(words.end(), command.values.begin(), command.values.end());
    text += fmt::format("    *:{}) words={}", command.name, quoted(fmt::format("{}", fmt::join(words, " "))));
    if (const std::string list = list_of(command); !list.empty())
      text += fmt::format(" && [[ $cur != -* ]] && words+=\" $({})\"", words_of_list(list));
    text += " ;;\n";
  }
  return text + R"(  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
  declare -F __ltrim_colon_completions >/dev/null && __ltrim_colon_completions "$cur"
}
complete -o bashdefault -o default -F _cotangent cotangent
)";
}

std::string zsh_script(const CommandEntries& entries) {
  std::string text = "#compdef cotangent\n# zsh completion of cotangent, made by: cotangent completion zsh\n";
  for (const std::string list : {"models", "experiments"})
    text += fmt::format("_cotangent_{}() {{ compadd -- $({}); _files }}\n", list, words_of_list(list));
  text += "_cotangent() {\n  local -a commands=(\n";
  for (std::size_t k = 1; k < entries.size(); ++k)
    text += fmt::format("    {}\n", quoted(entries[k].name + ':' + escaped(entries[k].help, ":")));
  text += "  )\n  if ((CURRENT == 2)); then\n    _describe command commands\n    return\n  fi\n  case $words[2] in\n";
  for (std::size_t k = 1; k < entries.size(); ++k) {
    const CommandEntry& command = entries[k];
    text += fmt::format("    {})\n      shift words\n      ((CURRENT--))\n      _arguments", command.name);
    for (const OptionEntry& option : command.options) {
      std::string spec = fmt::format("{}[{}]", option.name, escaped(first_part(option.help), "[]\\"));
      if (!option.value.empty()) {
        spec += ':' + escaped(option.value, ":[]\\") + ':';
        if (!option.values.empty())
          spec += fmt::format("({})", escaped(fmt::format("{}", fmt::join(option.values, " ")), ":()"));
        else if (is_file(option))
          spec += "_files";
      }
      text += " \\\n        " + quoted(spec);
    }
    const std::string values = fmt::format("({})", fmt::join(command.values, " "));
    if (!command.argument.empty())
      text += " \\\n        " + quoted(fmt::format("*:{}:{}", command.argument,
                                                   !list_of(command).empty() ? "_cotangent_" + list_of(command)
                                                   : command.values.empty()  ? "_files"
                                                                             : values));
    text += " ;;\n";
  }
  return text + "  esac\n}\n_cotangent \"$@\"\n";
}

std::string fish_script(const CommandEntries& entries) {
  std::string text = "# fish completion of cotangent, made by: cotangent completion fish\n";
  for (std::size_t k = 1; k < entries.size(); ++k) {
    const CommandEntry& command = entries[k];
    text += fmt::format("complete -c cotangent -n __fish_use_subcommand -f -a {} -d {}\n", command.name,
                        quoted(command.help));
    const std::string condition = fmt::format("-n '__fish_seen_subcommand_from {}'", command.name);
    if (const std::string list = list_of(command); !list.empty())
      text += fmt::format("complete -c cotangent {} -a {}\n", condition, quoted('(' + words_of_list(list) + ')'));
    if (!command.values.empty())
      text += fmt::format("complete -c cotangent {} -f -a {}\n", condition, fish_words(command.values));
    for (const OptionEntry& option : command.options) {
      text += fmt::format("complete -c cotangent {} -l {}", condition, option.name.substr(2));
      if (!option.value.empty()) text += is_file(option) ? " -r -F" : " -x";
      if (!option.values.empty()) text += " -a " + fish_words(option.values);
      text += fmt::format(" -d {}\n", quoted(first_part(option.help)));
    }
  }
  return text;
}

}  // namespace

std::string completion_script(const std::string& shell, const CommandEntries& entries) {
  if (shell == "bash") return bash_script(entries);
  if (shell == "zsh") return zsh_script(entries);
  if (shell == "fish") return fish_script(entries);
  throw cotangent::UnknownName("shell", shell, Words{"bash", "zsh", "fish"});
}
