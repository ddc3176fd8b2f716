#include "cotangent/integrator/method_name.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <stdexcept>

namespace cotangent {
namespace {

[[noreturn]] void refuse(std::string_view text, const std::string& why) {
  throw std::invalid_argument(fmt::format("'{}' is not the name of a method: {}", text, why));
}

bool is_word(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
           c == '.';
  });
}

MethodName parse(std::string_view text, std::string_view whole) {
  MethodName name;
  std::string_view head = text;
  if (const std::size_t open = text.find('('); open != std::string_view::npos) {
    if (text.back() != ')') refuse(whole, "the closing parenthesis is missing");
    head = text.substr(0, open);
    name.inner = std::make_shared<const MethodName>(parse(text.substr(open + 1, text.size() - open - 2), whole));
  }
  for (std::size_t begin = 0; begin <= head.size();) {
    const std::size_t end = std::min(head.find(':', begin), head.size());
    const std::string_view part = head.substr(begin, end - begin);
    if (!is_word(part)) refuse(whole, part.empty() ? "a word is missing" : fmt::format("'{}' is not a word", part));
    if (begin == 0) {
      name.word = part;
    } else {
      name.arguments.emplace_back(part);
    }
    begin = end + 1;
  }
  return name;
}

}  // namespace

std::string MethodName::text() const {
  std::string result = word;
  for (const auto& argument : arguments) result += ":" + argument;
  if (inner) result += "(" + inner->text() + ")";
  return result;
}

MethodName parse_method_name(std::string_view text) {
  std::string compact(text);
  std::erase(compact, ' ');
  return parse(compact, text);
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
