#include "cotangent/base/archive.hpp"

#include <quadmath.h>

#include <array>
#include <charconv>
#include <cstdio>
#include <cstdlib>

namespace cotangent {
namespace {

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    if (c == '\n') {
      result += "\\n";
    } else {
      result += c;
    }
  }
  return result + '"';
}

}  // namespace

void Archive::fail(const std::string& what) const {
  throw ArchiveError(is_reading() ? "line " + std::to_string(line_) + ": " + what : what);
}

void Archive::put(std::string_view word) {
  text_ += ' ';
  text_ += word;
}

std::string_view Archive::next_line() {
  ++line_;
  const auto end = text_.find('\n', at_);
  if (end == text_.npos) fail("the file ends too early");
  std::string_view line = std::string_view(text_).substr(at_, end - at_);
  at_ = end + 1;
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  return line;
}

std::string_view Archive::next_word() {
  if (rest_.empty()) fail("a value is missing");
  rest_.remove_prefix(1);
  const auto end = std::min(rest_.find(' '), rest_.size());
  const std::string_view word = rest_.substr(0, end);
  rest_.remove_prefix(end);
  return word;
}

void Archive::begin_line(std::string_view name) {
  if (!is_reading()) {
    text_.append(2 * static_cast<std::size_t>(depth_), ' ');
    text_ += name;
    return;
  }
  rest_ = next_line();
  const auto end = std::min(rest_.find(' '), rest_.size());
  const std::string_view found = rest_.substr(0, end);
  if (found != name) fail("'" + std::string(name) + "' is expected, not '" + std::string(found) + "'");
  rest_.remove_prefix(end);
}

void Archive::end_line() {
  if (!is_reading()) {
    text_ += '\n';
  } else if (!rest_.empty()) {
    fail("'" + std::string(rest_.substr(1)) + "' is not expected at the end");
  }
}

void Archive::begin_section(std::string_view name) {
  begin_line(name);
  if (!is_reading()) {
    put("{");
  } else if (next_word() != "{") {
    fail("'{' is expected after '" + std::string(name) + "'");
  }
  end_line();
  ++depth_;
}

void Archive::end_section() {
  --depth_;
  begin_line("}");
  end_line();
}

// Lines at other levels begin with blanks.
void Archive::skip_to(std::string_view name) {
  const std::string begin = std::string(name) + ' ';
  while (std::string_view(text_).substr(at_, begin.size()) != begin) static_cast<void>(next_line());
}

void Archive::expect_end() {
  if (at_ == text_.size()) return;
  ++line_;
  fail("there is more than is expected");
}

// By strtod and snprintf, or those like them.
template <class T, class Read, class Write>
void Archive::number(T& x, const Read& read, const Write& write, const char* format) {
  if (!is_reading()) {
    std::array<char, 64> word{};  // longer than any number
    write(word.data(), word.size(), format, x);
    return put(word.data());
  }
  const std::string word(next_word());
  char* end = nullptr;
  x = read(word.c_str(), &end);
  if (word.empty() || end != word.c_str() + word.size()) fail("'" + word + "' is no number");
}

void Archive::value(double& x) { number(x, std::strtod, std::snprintf, "%a"); }
void Archive::value(Quad& x) { number(x, strtoflt128, quadmath_snprintf, "%Qa"); }

void Archive::value(bool& x) {
  if (!is_reading()) return put(x ? "yes" : "no");
  const std::string_view word = next_word();
  if (word != "yes" && word != "no") fail("'yes' or 'no' is expected, not '" + std::string(word) + "'");
  x = word == "yes";
}

void Archive::integer(std::int64_t& x) {
  if (!is_reading()) return put(std::to_string(x));
  const std::string_view word = next_word();
  const auto result = std::from_chars(word.data(), word.data() + word.size(), x);
  if (word.empty() || result.ec != std::errc() || result.ptr != word.data() + word.size())
    fail("'" + std::string(word) + "' is no integer");
}

void Archive::value(std::string& x) {
  if (!is_reading()) return put(quoted(x));
  if (!rest_.starts_with(" \"")) fail("a text in quotes is expected");
  x.clear();
  std::size_t k = 2;
  for (; k < rest_.size() && rest_[k] != '"'; ++k) {
    const bool is_escaped = rest_[k] == '\\' && k + 1 < rest_.size();
    if (is_escaped) ++k;
    x += is_escaped && rest_[k] == 'n' ? '\n' : rest_[k];
  }
  if (k >= rest_.size()) fail("the text has no end");
  rest_.remove_prefix(k + 1);
}

}  // namespace cotangent
