// What the program has: options, methods, formulations, projections, monitors.

#include <fmt/format.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <array>

#include "cotangent/base/unknown_name.hpp"
#include "cotangent/run/options/option_table.hpp"
#include "module.hpp"
#include "options.hpp"

namespace py = pybind11;
using namespace cotangent;

namespace {

// What the program does beside the run: prints, and keeps it in a file for another call.
bool is_of_program(const std::string& option) {
  constexpr std::array names{"plot", "json", "quiet", "checkpoint", "checkpoint-every"};
  return std::ranges::find(names, option) != names.end();
}

std::string python_name(std::string name) {
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

std::string spell(std::string_view option, std::string_view value) {
  const std::string name = python_name(std::string(option));
  return value.empty() ? name : name + "=" + std::string(value);
}

const char* kind_name(RunKind kind) {
  switch (kind) {
    case RunKind::text:
      return "text";
    case RunKind::real:
      return "real";
    case RunKind::integer:
      return "integer";
    case RunKind::flag:
      return "flag";
    case RunKind::list:
      return "list";
    case RunKind::reals:
      return "reals";
  }
  return "";
}

py::list option_table() {
  py::list all;
  for (const Option& option : options()) {
    if (is_of_program(option.name)) continue;
    py::dict sheet;
    sheet["name"] = python_name(option.name);
    sheet["option"] = option.name;
    sheet["kind"] = kind_name(option.kind);
    sheet["help"] = option.help;
    sheet["group"] = option.group;
    sheet["words"] = option.words;
    all.append(sheet);
  }
  return all;
}

}  // namespace

RunWords::Spelling spelling_of_python() { return spell; }

bool is_option_of_python(const std::string& name) {
  return std::ranges::any_of(options(), [&](const Option& option) { return python_name(option.name) == name; });
}

RunWords words_of_python(const OptionTexts& texts) {
  RunWords words(spell);
  for (const auto& [name, text] : texts) {
    if (is_of_program(name))
      throw OptionError(
          fmt::format("'{}' is an option of the program: a run in Python keeps and prints nothing", python_name(name)));
    if (!find_option(name)) {
      std::vector<std::string> names;
      for (const Option& option : options())
        if (!is_of_program(option.name)) names.push_back(python_name(option.name));
      throw UnknownName("option", python_name(name), names);
    }
    words.on_command_line(name, text);
  }
  return words;
}

void bind_facts(py::module_& module) {
  module.def("options", &option_table, "The options of a run, in the order of the help.");
  module.def(
      "expect_name",
      [](const std::string& kind, const std::string& name, const std::vector<std::string>& names) {
        expect_name(kind, name, names);
      },
      "Refuses a name that is not in a list, with the nearest one.");
}
