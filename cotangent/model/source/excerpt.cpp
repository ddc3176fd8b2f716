#include "cotangent/model/source/excerpt.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>

#include "cotangent/base/check.hpp"

namespace cotangent {
namespace {

std::string utf8(unsigned code) {
  const auto byte = [](unsigned value) { return static_cast<char>(static_cast<unsigned char>(value)); };
  if (code < 0x80) return {byte(code)};
  if (code < 0x800) return {byte(0xC0 | code >> 6), byte(0x80 | (code & 0x3F))};
  if (code < 0x10000) return {byte(0xE0 | code >> 12), byte(0x80 | (code >> 6 & 0x3F)), byte(0x80 | (code & 0x3F))};
  return {byte(0xF0 | code >> 18), byte(0x80 | (code >> 12 & 0x3F)), byte(0x80 | (code >> 6 & 0x3F)),
          byte(0x80 | (code & 0x3F))};
}

// \n, \", \u00e9, ... at the beginning of `raw`: the text, and the length with the backslash.
std::pair<std::string, std::size_t> read_escape(std::string_view raw) {
  COTANGENT_CHECK(raw.size() >= 2);
  const auto code = [&](std::size_t digits) -> std::pair<std::string, std::size_t> {
    const auto hex = raw.substr(2, digits);
    unsigned value = 0;
    std::from_chars(hex.data(), hex.data() + hex.size(), value, 16);
    return {utf8(value), 2 + hex.size()};
  };
  constexpr std::string_view letters = "btnfrexuU", characters = "\b\t\n\f\r\x1B";
  const std::size_t k = letters.find(raw[1]);
  if (k == letters.npos) return {std::string(1, raw[1]), 2};
  if (k < characters.size()) return {std::string(1, characters[k]), 2};
  return code(std::size_t{2} << (k - characters.size()));
}

// Length of a line end (LF or CR LF) at the beginning of `raw`; 0 if there is none.
std::size_t line_end_length(std::string_view raw) {
  if (raw.starts_with("\r\n")) return 2;
  return raw.starts_with("\n") ? 1 : 0;
}

// Length of "backslash, blanks, line end, blanks", which a basic string of several lines leaves out.
std::size_t line_continuation_length(std::string_view raw) {
  const auto line_end = raw.find_first_not_of(" \t", 1);
  if (line_end == raw.npos || line_end_length(raw.substr(line_end)) == 0) return 0;
  const auto next = raw.find_first_not_of(" \t\r\n", line_end);
  return next == raw.npos ? raw.size() : next;
}

}  // namespace

Excerpt::Excerpt(std::shared_ptr<const SourceText> source, Span span) : source_(std::move(source)) {
  append(std::string_view(source_->text()).substr(span.begin, span.length()), span.begin);
  offsets_.push_back(span.end);
}

void Excerpt::append(std::string_view bytes, std::size_t offset) {
  for (std::size_t k = 0; k < bytes.size(); ++k) offsets_.push_back(offset + k);
  text_ += bytes;
}

Excerpt Excerpt::quoted(std::shared_ptr<const SourceText> source, std::size_t begin) {
  Excerpt result;
  result.source_ = std::move(source);
  const std::string_view all = result.source_->text();
  COTANGENT_CHECK(begin < all.size() && (all[begin] == '"' || all[begin] == '\''));
  const char quote = all[begin];
  const bool basic = quote == '"';
  const bool several_lines = begin + 2 < all.size() && all[begin + 1] == quote && all[begin + 2] == quote;
  const std::size_t quotes = several_lines ? 3 : 1;

  std::size_t at = begin + quotes;
  if (several_lines) at += line_end_length(all.substr(at));
  while (at < all.size()) {
    const std::string_view rest = all.substr(at);
    if (rest[0] == quote) {
      const auto run = std::min(rest.find_first_not_of(quote), rest.size());
      if (run >= quotes) {
        // Up to two quotes directly before the closing three belong to the text.
        const std::size_t inside = several_lines ? std::min<std::size_t>(run - quotes, 2) : 0;
        result.append(rest.substr(0, inside), at);
        at += inside;
        break;
      }
      result.append(rest.substr(0, run), at);
      at += run;
    } else if (basic && rest[0] == '\\') {
      std::size_t length = several_lines ? line_continuation_length(rest) : 0;
      if (length == 0) {
        const auto [value, escape_length] = read_escape(rest);
        for (const char c : value) result.append({&c, 1}, at);
        length = escape_length;
      }
      at += length;
    } else if (const auto length = line_end_length(rest); length > 0) {
      result.append("\n", at);
      at += length;
    } else {
      result.append(rest.substr(0, 1), at);
      ++at;
    }
  }
  result.offsets_.push_back(at);
  return result;
}

Excerpt Excerpt::part(Span span) const {
  Excerpt result;
  result.source_ = source_;
  result.text_ = text_.substr(span.begin, span.length());
  result.offsets_.assign(offsets_.begin() + static_cast<std::ptrdiff_t>(span.begin),
                         offsets_.begin() + static_cast<std::ptrdiff_t>(span.end) + 1);
  return result;
}

Location Excerpt::locate(Span span) const {
  COTANGENT_CHECK(span.end < offsets_.size() && span.begin <= span.end);
  const std::size_t begin = offsets_[span.begin];
  if (span.begin == span.end) return {source_, {begin, begin}};
  // A plain last character ends where it stands; after an escape the next one begins.
  const std::size_t last = offsets_[span.end - 1];
  const bool plain = source_->text()[last] == text_[span.end - 1];
  return {source_, {begin, plain ? last + 1 : offsets_[span.end]}};
}

}  // namespace cotangent
