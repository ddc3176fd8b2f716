#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "cotangent/base/unknown_name.hpp"
#include "cotangent/run/options/option_table.hpp"
#include "cotangent/run/options/plan_run.hpp"

namespace cotangent {
namespace {

// Where entries of a variable are, by its name and by those of the entries.
struct Variable {
  std::string name;
  std::size_t at, size;
};

std::vector<Variable> variables_of(const Model& model) {
  std::vector<Variable> all;
  const auto add = [&](const std::string& name, std::int64_t at, std::int64_t size) {
    all.push_back({name, static_cast<std::size_t>(at), static_cast<std::size_t>(size)});
  };
  const std::int64_t n = model.dimension();
  for (const char* prefix : {"", "p_"}) {
    const std::int64_t first = *prefix == '\0' ? 0 : n;
    for (const auto& x : model.coordinates) {
      add(prefix + x.name, first + x.offset, x.size());
      for (std::int64_t j = x.offset; j < x.offset + x.size(); ++j) add(prefix + entry_name(model, j), first + j, 1);
    }
  }
  for (const auto& x : model.states) {
    add(x.name, 2 * n + x.offset, x.size());
    for (std::int64_t j = x.offset; j < x.offset + x.size(); ++j) add(state_entry_name(model, j), 2 * n + j, 1);
  }
  return all;
}

// The end of a name, which may have indices.
std::size_t end_of_name(const std::string& text) {
  std::size_t end = 0;
  while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) != 0 || text[end] == '_')) ++end;
  if (end < text.size() && text[end] == '[') end = std::min(text.find(']', end), text.size() - 1) + 1;
  return end;
}

}  // namespace

ScalingSets read_sets(const RunWords& words, const Model& model, const std::string& text) {
  const std::string option = "sets";
  const std::vector<Variable> variables = variables_of(model);
  ScalingSets sets;
  std::set<std::size_t> taken;
  if (text.empty()) return sets;
  sets.emplace_back();
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t bar = text.find('|', begin), comma = next_comma(text, begin);
    const std::size_t end = std::min({bar, comma, text.size()});
    const std::size_t first = std::min(text.find_first_not_of(' ', begin), end);
    std::string item = text.substr(first, end - first);
    item.erase(item.find_last_not_of(' ') + 1);
    const std::pair<std::size_t, std::size_t> place{first + 1, std::max<std::size_t>(item.size(), 1)};
    if (item.empty()) words.refuse(option, "a variable is missing", "sets are written as in \"q1,q2|p1,p2\"", place);

    const std::size_t length = end_of_name(item);
    const std::string name = item.substr(0, length), shift = item.substr(length);
    const auto variable = std::ranges::find(variables, name, &Variable::name);
    if (variable == variables.end()) {
      std::vector<std::string> names;
      for (const Variable& known : variables)  // a number and its only entry have one name
        if (names.empty() || names.back() != known.name) names.push_back(known.name);
      const UnknownName unknown("variable", name, names);
      words.refuse(option, unknown.message(), unknown.suggestion(), place);
    }
    const std::size_t sign = std::min(shift.find_first_not_of(' '), shift.size());
    if (sign < shift.size() && shift[sign] != '-' && shift[sign] != '+')
      words.refuse(option, fmt::format("'{}' is no variable with a centre", item), "a centre is written as in \"x-1\"",
                   place);
    const double centre =
        shift.empty() ? 0 : -read_option_number(words, model, option, "0" + shift, first + length - 1);
    for (std::size_t k = 0; k < variable->size; ++k) {
      if (!taken.insert(variable->at + k).second)
        words.refuse(option, fmt::format("'{}' is in the sets twice", name), "a variable can have one factor only",
                     place);
      sets.back().push_back({variable->at + k, centre});
    }
    if (end == bar) sets.emplace_back();
    begin = end + 1;
  }
  return sets;
}

}  // namespace cotangent
