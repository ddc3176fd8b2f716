#include "cotangent/output/json_reader.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <limits>
#include <stdexcept>

namespace cotangent {
namespace {

constexpr int kDeepest = 100;

class JsonReader {
 public:
  explicit JsonReader(std::string_view text) : text_(text) {}

  JsonValue read() {
    JsonValue all = value(0);
    skip_space();
    if (at_ != text_.size()) fail("something follows");
    return all;
  }

 private:
  [[noreturn]] void fail(const char* what) const {
    throw std::runtime_error(fmt::format("no JSON, at character {}: {}", at_ + 1, what));
  }

  void skip_space() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos) ++at_;
  }

  char peek() {
    skip_space();
    return at_ < text_.size() ? text_[at_] : '\0';
  }

  void expect(char c) {
    if (peek() != c) fail("another character was expected");
    ++at_;
  }

  bool take(std::string_view word) {
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }

  JsonValue value(int depth) {
    if (depth > kDeepest) fail("it is nested too deeply");
    JsonValue result;
    const char c = peek();
    if (c == '{') {
      result.kind = JsonValue::Kind::object;
      items('}', [&] {
        std::string name = text();
        expect(':');
        result.members.emplace_back(std::move(name), value(depth + 1));
      });
    } else if (c == '[') {
      result.kind = JsonValue::Kind::list;
      items(']', [&] { result.items.push_back(value(depth + 1)); });
    } else if (c == '"') {
      result.kind = JsonValue::Kind::text;
      result.text = text();
    } else if (take("true") || take("false")) {
      result.kind = JsonValue::Kind::truth;
      result.truth = c == 't';
    } else if (!take("null")) {
      const auto end = std::min(text_.find_first_not_of("+-.0123456789eE", at_), text_.size());
      if (end == at_) fail("a value was expected");
      result.kind = JsonValue::Kind::number;
      result.text = text_.substr(at_, end - at_);
      at_ = end;
    }
    return result;
  }

  template <class F>
  void items(char end, const F& item) {
    ++at_;
    if (peek() == end) {
      ++at_;
      return;
    }
    while (true) {
      item();
      if (peek() == end) break;
      expect(',');
    }
    ++at_;
  }

  std::string text() {
    expect('"');
    std::string result;
    while (at_ < text_.size() && text_[at_] != '"') {
      const char c = text_[at_++];
      if (c != '\\') {
        result += c;
        continue;
      }
      if (at_ == text_.size()) break;
      const char escaped = text_[at_++];
      constexpr std::string_view kLetters = "bfnrt", kMeanings = "\b\f\n\r\t";
      if (const auto known = kLetters.find(escaped); known != std::string_view::npos) {
        result += kMeanings[known];
      } else if (escaped == 'u') {
        append_utf8(result, code());
      } else {
        result += escaped;
      }
    }
    expect('"');
    return result;
  }

  unsigned code() {
    unsigned value = 0;
    const char* begin = text_.data() + at_;
    if (text_.size() - at_ < 4 || std::from_chars(begin, begin + 4, value, 16).ptr != begin + 4)
      fail("\\u needs four digits");
    at_ += 4;
    return value;
  }

  static void append_utf8(std::string& text, unsigned code) {
    const auto add = [&](unsigned byte) { text += static_cast<char>(byte); };
    if (code < 0x80) {
      add(code);
    } else if (code < 0x800) {
      add(0xc0 | code >> 6);
      add(0x80 | (code & 0x3f));
    } else {
      add(0xe0 | code >> 12);
      add(0x80 | (code >> 6 & 0x3f));
      add(0x80 | (code & 0x3f));
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

const JsonValue& JsonValue::operator[](std::string_view name) const {
  static const JsonValue nothing;
  for (const auto& [key, value] : members)
    if (key == name) return value;
  return nothing;
}

double JsonValue::number() const {
  return kind == Kind::number ? std::strtod(text.c_str(), nullptr) : std::numeric_limits<double>::quiet_NaN();
}

JsonValue read_json(std::string_view text) { return JsonReader(text).read(); }

}  // namespace cotangent
