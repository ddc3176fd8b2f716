#include "cotangent/output/json_writer.hpp"

#include <fmt/format.h>

namespace cotangent {

JsonWriter& JsonWriter::begin(char bracket, bool in_line) {
  before_item();
  text_ += bracket;
  levels_.push_back({in_line || (!levels_.empty() && levels_.back().in_line)});
  return *this;
}

JsonWriter& JsonWriter::end(char bracket) {
  const Level level = levels_.back();
  levels_.pop_back();
  if (!level.empty && !level.in_line) new_line();
  text_ += bracket;
  return *this;
}

JsonWriter& JsonWriter::key(std::string_view name) {
  before_item();
  append_quoted(name);
  text_ += ": ";
  after_key_ = true;
  return *this;
}

JsonWriter& JsonWriter::value(std::string_view text) {
  before_item();
  append_quoted(text);
  return *this;
}

JsonWriter& JsonWriter::value(bool truth) {
  before_item();
  text_ += truth ? "true" : "false";
  return *this;
}

JsonWriter& JsonWriter::value(std::int64_t integer) {
  before_item();
  text_ += std::to_string(integer);
  return *this;
}

JsonWriter& JsonWriter::number(std::string_view digits, bool is_finite) {
  before_item();
  text_ += is_finite ? digits : "null";
  if (is_finite && digits.find_first_of(".e") == digits.npos) text_ += ".0";
  return *this;
}

void JsonWriter::before_item() {
  if (after_key_ || levels_.empty()) {
    after_key_ = false;
    return;
  }
  Level& level = levels_.back();
  if (!level.empty) text_ += level.in_line ? ", " : ",";
  if (!level.in_line) new_line();
  level.empty = false;
}

void JsonWriter::new_line() {
  text_ += '\n';
  text_.append(2 * levels_.size(), ' ');
}

void JsonWriter::append_quoted(std::string_view text) {
  text_ += '"';
  for (const char c : text) {
    switch (c) {
      case '"':
        text_ += "\\\"";
        break;
      case '\\':
        text_ += "\\\\";
        break;
      case '\n':
        text_ += "\\n";
        break;
      case '\t':
        text_ += "\\t";
        break;
      default:
        if (static_cast<unsigned char>(c) < 0x20) {
          text_ += fmt::format("\\u{:04x}", static_cast<unsigned>(static_cast<unsigned char>(c)));
        } else {
          text_ += c;
        }
    }
  }
  text_ += '"';
}

}  // namespace cotangent
