#include <fmt/format.h>

#include "commands.hpp"
#include "cotangent/run/options/option_table.hpp"

std::string flag(std::string_view option, std::string_view value) {
  return value.empty() ? fmt::format("--{}", option) : fmt::format("--{} {}", option, value);
}

std::string with_flags(const std::string& text) {
  const std::string_view blank = " \n";  // a line may have been broken there
  std::string result;
  std::size_t at = 0;
  for (std::size_t open = text.find('`'); open != text.npos; open = text.find('`', at)) {
    const std::size_t close = text.find('`', open + 1);
    if (close == text.npos) break;
    const std::string_view inside = std::string_view(text).substr(open + 1, close - open - 1);
    const std::string_view name = inside.substr(0, inside.find_first_of(blank));
    if (name != "set" && !cotangent::find_option(name)) {
      result.append(text, at, close - at);
      at = close;
      continue;
    }
    const std::size_t value = inside.find_first_not_of(blank, std::min(inside.find('='), inside.size() - 1) + 1);
    result.append(text, at, open - at);
    result += flag(name, value == inside.npos ? "" : inside.substr(value));
    at = close + 1;
  }
  return result.append(text, at);
}
