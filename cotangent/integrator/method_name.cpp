#include "cotangent/integrator/method_name.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <stdexcept>

namespace cotangent {
namespace {

// @param more other characters that may stand in it.
bool is_word(std::string_view text, std::string_view more) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
           c == '.' || more.find(c) != more.npos;
  });
}

// What takes names of the model and settings such as every=10, after its first argument.
constexpr std::string_view kTakesNames = "project";

// A text without spaces, each of whose characters knows where it was.
struct Parser {
  std::string_view whole;
  std::string text;
  std::vector<std::size_t> columns;

  explicit Parser(std::string_view given) : whole(given) {
    for (std::size_t k = 0; k < given.size(); ++k) {
      if (given[k] == ' ') continue;
      text += given[k];
      columns.push_back(k + 1);
    }
  }

  [[noreturn]] void refuse(std::size_t begin, std::size_t end, const std::string& why) const {
    const std::string message = fmt::format("'{}' is not the name of a method: {}", whole, why);
    if (begin >= columns.size()) throw MethodNameError(message, whole.empty() ? 1 : whole.size(), 1);
    throw MethodNameError(message, columns[begin], end > begin ? columns[end - 1] + 1 - columns[begin] : 1);
  }

  MethodName parse(std::size_t begin, std::size_t end) const {
    MethodName name;
    std::size_t head = std::min(text.find_first_of("()", begin), end);
    if (head < end) {
      if (text[head] == ')') refuse(head, head + 1, "this parenthesis was not opened");
      const std::size_t close = closing(head, end);
      if (close + 1 < end)
        refuse(close + 1, end, text[close + 1] == ')' ? "this parenthesis was not opened" : "nothing may follow here");
      name.inner = std::make_shared<const MethodName>(parse(head + 1, close));
    }
    for (std::size_t at = begin; at <= head;) {
      const std::size_t next = std::min(text.find(':', at), head);
      const std::string part = text.substr(at, next - at);
      const bool is_name = name.word == kTakesNames && !name.arguments.empty();
      if (part.empty()) refuse(at, at, "a word is missing here");
      if (!is_word(part, is_name ? "=+" : "")) refuse(at, next, fmt::format("'{}' is not a word", part));
      if (at == begin) {
        name.word = lower_case(part);
      } else {
        name.arguments.push_back(is_name ? part : lower_case(part));
      }
      at = next + 1;
    }
    return name;
  }

  // The parenthesis that closes the one at `open`.
  std::size_t closing(std::size_t open, std::size_t end) const {
    int depth = 0;
    for (std::size_t k = open; k < end; ++k) {
      depth += text[k] == '(' ? 1 : text[k] == ')' ? -1 : 0;
      if (depth == 0) return k;
    }
    refuse(open, open + 1, "this parenthesis is not closed");
  }
};

}  // namespace

std::string lower_case(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

std::string MethodName::text() const {
  std::string result = word;
  for (const auto& argument : arguments) result += ":" + argument;
  if (inner) result += "(" + inner->text() + ")";
  return result;
}

MethodName parse_method_name(std::string_view text) {
  const Parser parser(text);
  return parser.parse(0, parser.text.size());
}

int only_integer(const MethodName& name, int least, int most) {
  const auto refuse_argument = [&]() {
    throw std::invalid_argument(
        fmt::format("there is no method '{}': '{}' takes one number from {} to {}, as in '{}:{}'", name.text(),
                    name.word, least, most, name.word, std::max(least, 2)));
  };
  if (name.inner || name.arguments.size() != 1) refuse_argument();
  const std::string& text = name.arguments.front();
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < least || value > most) refuse_argument();
  return value;
}

void expect_plain(const MethodName& name) {
  if (!name.arguments.empty())
    throw std::invalid_argument(
        fmt::format("there is no method '{}': '{}' takes no arguments", name.text(), name.word));
  if (name.inner)
    throw std::invalid_argument(
        fmt::format("there is no method '{}': '{}' is not made of another method", name.text(), name.word));
}

const MethodName& expect_inner(const MethodName& name) {
  if (!name.inner)
    throw std::invalid_argument(
        fmt::format("'{}' is made of another method: write {}(rattle), say", name.text(), name.text()));
  return *name.inner;
}

}  // namespace cotangent
