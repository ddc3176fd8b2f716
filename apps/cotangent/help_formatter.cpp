#include "help_formatter.hpp"

#include "cotangent/output/wrapped.hpp"

// Lines after the first one are indented by the library.
std::string HelpFormatter::make_option_desc(const CLI::Option* option) const {
  const std::string text = cotangent::wrapped(option->get_description(), kColumn);
  std::string result;
  for (std::size_t k = 0; k + 1 < text.size(); ++k) {
    result += text[k];
    if (text[k] == '\n') k += kColumn;
  }
  return result;
}
