#include "cotangent/base/wording.hpp"

namespace cotangent {

std::string printable(std::string_view text, std::string_view kept) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t k = 0; k < text.size(); ++k) {
    const auto byte = [&](std::size_t at) { return at < text.size() ? static_cast<unsigned char>(text[at]) : 0; };
    const bool is_c0 = byte(k) < 0x20 || byte(k) == 0x7f;
    const bool is_c1 = byte(k) == 0xc2 && byte(k + 1) >= 0x80 && byte(k + 1) < 0xa0;  // U+0080 to U+009F in UTF-8
    if (is_c1) ++k;
    result += is_c1 || (is_c0 && kept.find(text[k]) == kept.npos) ? ' ' : text[k];
  }
  return result;
}

std::string plural(std::size_t count, std::string_view noun) {
  if (count == 1) return fmt::format("1 {}", noun);
  return noun == "index" ? fmt::format("{} indices", count) : fmt::format("{} {}s", count, noun);
}

std::string times(std::size_t count) { return count == 1 ? "once" : std::to_string(count) + " times"; }

}  // namespace cotangent
