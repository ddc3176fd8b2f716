#include "option_flags.hpp"

#include <fmt/format.h>

#include <regex>

#include "cotangent/run/option_table.hpp"

std::string flag(std::string_view option, std::string_view value) {
  return value.empty() ? fmt::format("--{}", option) : fmt::format("--{} {}", option, value);
}

std::string with_flags(const std::string& text) {
  // A line may have been broken between the words.
  static const std::regex kOption(R"(`([a-z-]+)(\s+=\s+([^`]+))?`)");
  std::string result;
  auto rest = text.begin();
  for (std::sregex_iterator found(text.begin(), text.end(), kOption), end; found != end; ++found) {
    const std::smatch& match = *found;
    if (match[1] != "set" && !cotangent::find_option(match[1].str())) continue;
    result.append(rest, match[0].first);
    result += flag(match[1].str(), match[3].str());
    rest = match[0].second;
  }
  return result.append(rest, text.end());
}
