#include "cotangent/model/source/source.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <ranges>
#include <utility>

#include "cotangent/base/check.hpp"
#include "cotangent/base/wording.hpp"

namespace cotangent {
namespace {

constexpr std::size_t kMaxQuotedCharacters = 160;

bool begins_character(char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }

std::size_t count_characters(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, begins_character));
}

// The characters of a text from number `first` on, at most kMaxQuotedCharacters: a code point each.
std::vector<std::string_view> characters_of(std::string_view text, std::size_t first) {
  std::vector<std::string_view> result;
  std::size_t begin = 0, end = 0;
  for (; begin < text.size() && first > 0; --first) do
      ++begin;
    while (begin < text.size() && !begins_character(text[begin]));
  for (end = begin; begin < text.size() && result.size() < kMaxQuotedCharacters; begin = end) {
    do ++end;
    while (end < text.size() && !begins_character(text[end]));
    result.push_back(text.substr(begin, end - begin));
  }
  return result;
}

// The part of the offending text that lies on its first line; at least one character is underlined.
std::size_t underlined_characters(const Location& where) {
  const auto& source = *where.source;
  const auto position = source.position(where.span.begin);
  const std::size_t end_of_line = source.offset({position.line, 1}) + source.line(position.line).size();
  const std::size_t begin = std::min(where.span.begin, end_of_line);
  const std::size_t end = std::min(where.span.end, end_of_line);
  return end <= begin ? 1 : count_characters(std::string_view(source.text()).substr(begin, end - begin));
}

std::string describe(const Location& where, std::string_view message, std::string_view suggestion) {
  const auto& source = *where.source;
  const auto [line, column] = source.position(where.span.begin);
  const std::size_t count = count_characters(source.line(line));
  // A window of a long line around the offending text.
  const std::size_t context = kMaxQuotedCharacters / 2;
  const std::size_t first = count > kMaxQuotedCharacters && column > context ? column - context : 0;
  const auto characters = characters_of(source.line(line), first);

  // Tabs stay tabs, so that the mark stands under the text however wide the reader's tabs are.
  std::string quoted, blank;
  for (std::size_t k = 0; k < characters.size(); ++k) {
    quoted += characters[k];
    if (first + k + 1 < column) blank += characters[k] == "\t" ? '\t' : ' ';
  }
  const std::size_t visible = characters.size() > blank.size() ? characters.size() - blank.size() : 1;
  const std::size_t length = std::min(underlined_characters(where), visible);

  const std::string number = std::to_string(line);
  return fmt::format("{}:{}:{}: error: {}\n  {} | {}\n  {:{}} | {}^{:~>{}}{}{}", source.file(), line, column, message,
                     number, quoted, "", number.size(), blank, "", length - 1, suggestion.empty() ? "" : "\n",
                     suggestion);
}

}  // namespace

SourceText::SourceText(std::string file, std::string text) : file_(std::move(file)), text_(std::move(text)) {
  if (text_.starts_with("\xEF\xBB\xBF")) text_.erase(0, 3);
  line_begins_.push_back(0);
  for (std::size_t k = 0; k < text_.size(); ++k) {
    if (text_[k] == '\n') line_begins_.push_back(k + 1);
    if (!begins_character(text_[k])) continuations_.push_back(k);
  }
}

std::size_t SourceText::characters(std::size_t begin, std::size_t end) const {
  const auto first = std::lower_bound(continuations_.begin(), continuations_.end(), begin);
  const auto last = std::lower_bound(first, continuations_.end(), end);
  return end - begin - static_cast<std::size_t>(last - first);
}

SourceText::Position SourceText::position(std::size_t offset) const {
  offset = std::min(offset, text_.size());
  const auto after = std::upper_bound(line_begins_.begin(), line_begins_.end(), offset);
  const auto line = static_cast<std::size_t>(after - line_begins_.begin());
  return {line, 1 + characters(line_begins_[line - 1], offset)};
}

std::size_t SourceText::offset(Position position) const {
  if (position.line > line_begins_.size()) return text_.size();
  const std::size_t number = std::max<std::size_t>(position.line, 1);
  const std::size_t begin = line_begins_[number - 1];
  // The first offset with as many characters before it as the column says, by bisection: a line may be long.
  const auto is_before = [&](std::size_t at) { return 1 + characters(begin, at) < position.column; };
  const auto offsets = std::views::iota(begin, begin + line(number).size());
  std::size_t low =
      begin + static_cast<std::size_t>(std::ranges::partition_point(offsets, is_before) - offsets.begin());
  while (low < text_.size() && !begins_character(text_[low])) ++low;
  return low;
}

std::string_view SourceText::line(std::size_t line) const {
  COTANGENT_CHECK(line >= 1 && line <= line_begins_.size());
  const std::size_t begin = line_begins_[line - 1];
  std::size_t end = line < line_begins_.size() ? line_begins_[line] - 1 : text_.size();
  if (end > begin && text_[end - 1] == '\r') --end;
  return std::string_view(text_).substr(begin, end - begin);
}

std::string to_string(const Location& where) {
  const auto [line, column] = where.source->position(where.span.begin);
  return fmt::format("{}:{}:{}", where.source->file(), line, column);
}

ModelError::ModelError(const Location& where, std::string message, std::string suggestion)
    : std::invalid_argument(printable(describe(where, message, suggestion), "\t\n")),
      file_(where.source->file()),
      position_(where.source->position(where.span.begin)),
      length_(underlined_characters(where)),
      message_(std::move(message)),
      suggestion_(std::move(suggestion)) {}

ModelError::ModelError(std::string file, std::string message, std::string suggestion)
    : std::invalid_argument(printable(
          fmt::format("{}: error: {}{}{}", file, message, suggestion.empty() ? "" : "\n", suggestion), "\t\n")),
      file_(std::move(file)),
      position_{0, 0},
      message_(std::move(message)),
      suggestion_(std::move(suggestion)) {}

}  // namespace cotangent
