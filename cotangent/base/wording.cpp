#include "cotangent/base/wording.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cotangent {
namespace {

// How many bytes the character at the beginning of a text has in UTF-8; 0 if it is none.
std::size_t character_size(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  const std::size_t size = lead < 0x80 ? 1 : lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0;
  if (size > text.size()) return 0;
  for (std::size_t k = 1; k < size; ++k)
    if ((static_cast<unsigned char>(text[k]) & 0xc0) != 0x80) return 0;
  return size;
}

// The number of a character of UTF-8.
char32_t code_point(std::string_view character) {
  const auto first = static_cast<unsigned char>(character[0]);
  char32_t code = character.size() == 1 ? first : first & (0x7fU >> character.size());
  for (const char c : character.substr(1)) code = code << 6 | (static_cast<unsigned char>(c) & 0x3fU);
  return code;
}

// What acts on a terminal: C0, DEL, C1, ends of lines and of paragraphs, and what turns the direction of a text.
bool is_control(char32_t c) {
  const auto within = [c](char32_t first, char32_t last) { return c >= first && c <= last; };
  return c < 0x20 || within(0x7f, 0x9f) || c == 0x61c || within(0x200e, 0x200f) || within(0x2028, 0x202e) ||
         within(0x2066, 0x2069);
}

}  // namespace

std::string printable(std::string_view text, std::string_view kept) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const std::size_t size = character_size(text);
    const std::string_view character = text.substr(0, std::max<std::size_t>(size, 1));
    if (size == 0) {
      result += '?';
    } else if (is_control(code_point(character)) && kept.find(character) == kept.npos) {
      result += ' ';
    } else {
      result += character;
    }
    text.remove_prefix(character.size());
  }
  return result;
}

std::string plural(std::size_t count, std::string_view noun) {
  if (count == 1) return fmt::format("1 {}", noun);
  return noun == "index" ? fmt::format("{} indices", count) : fmt::format("{} {}s", count, noun);
}

std::string times(std::size_t count) { return count == 1 ? "once" : std::to_string(count) + " times"; }

}  // namespace cotangent
