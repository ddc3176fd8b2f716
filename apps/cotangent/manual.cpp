#include <fmt/format.h>

#include <string_view>

#include "help_pages.hpp"

namespace {

// Text for troff: what it would take for commands or dashes of its own is escaped.
std::string plain(std::string_view text) {
  std::string result;
  bool at_begin = true;
  for (const char c : text) {
    if (at_begin && (c == '.' || c == '\'')) result += "\\&";
    if (c == '\\') {
      result += "\\e";
    } else if (c == '-') {
      result += "\\-";
    } else {
      result += c;
    }
    at_begin = c == '\n';
  }
  return result;
}

// Lines as they stand, such as examples.
std::string verbatim(const std::string& text) {
  return ".nf\n" + plain(text) + (text.ends_with('\n') ? "" : "\n") + ".fi\n";
}

std::string command_section(const CommandEntry& command) {
  std::string text = fmt::format(".SS \"cotangent {}{}{}\"\n{}\n", command.name, command.argument.empty() ? "" : " ",
                                 plain(command.argument), plain(command.help));
  std::string group;
  for (const OptionEntry& option : command.options) {
    if (option.group != group && option.group != "OPTIONS" && !option.group.empty())
      text += fmt::format(".PP\n.I {}\n", plain(option.group));
    group = option.group;
    text += fmt::format(".TP\n.B {}", plain(option.name));
    if (!option.value.empty()) text += fmt::format(" {}", plain(option.value));
    text += fmt::format("\n{}\n", plain(option.help));
  }
  return text + ".PP\n" + verbatim(command.footer);
}

}  // namespace

std::string manual_page(const CommandEntries& entries) {
  const CommandEntry& program = entries.front();
  std::string text =
      ".TH COTANGENT 1\n.SH NAME\ncotangent \\- simulates constrained mechanical systems\n.SH SYNOPSIS\n";
  for (std::size_t k = 1; k < entries.size(); ++k)
    text += fmt::format(".B cotangent {}\n{}[options]\n.br\n", entries[k].name,
                        entries[k].argument.empty() ? "" : plain(entries[k].argument) + " ");
  text += fmt::format(".SH DESCRIPTION\n{}\n.PP\n{}", plain(program.help), verbatim(program.footer));
  text += ".SH COMMANDS\n";
  for (std::size_t k = 1; k < entries.size(); ++k) text += command_section(entries[k]);
  text +=
      ".SH EXIT STATUS\n.TP\n.B 0\ndone\n.TP\n.B 1\nthe integration failed, or a claim was not reproduced; what was "
      "computed is kept\n.TP\n.B 2\nthe input was wrong, and nothing was written\n";
  return text;
}
