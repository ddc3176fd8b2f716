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

// U+0000 to U+001F, U+007F and U+0080 to U+009F.
bool is_control(std::string_view character) {
  const auto first = static_cast<unsigned char>(character[0]);
  if (character.size() == 1) return first < 0x20 || first == 0x7f;
  return first == 0xc2 && static_cast<unsigned char>(character[1]) < 0xa0;
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
    } else if (is_control(character) && kept.find(character) == kept.npos) {
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
