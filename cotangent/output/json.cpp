#include "cotangent/output/json.hpp"

#include <fmt/format.h>

#include <utility>

namespace cotangent {
namespace {

std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      result += {'\\', c};
    } else if (c == '\n' || c == '\t') {
      result += c == '\n' ? "\\n" : "\\t";
    } else if (static_cast<unsigned char>(c) < 0x20) {
      result += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      result += c;
    }
  }
  return result + '"';
}

// Items on lines of their own, with two more blanks before each of their lines.
std::string block(char open, const std::vector<std::string>& items, char close) {
  std::string text(1, open);
  for (std::size_t k = 0; k < items.size(); ++k) {
    text += k > 0 ? ",\n  " : "\n  ";
    for (const char c : items[k]) {
      text += c;
      if (c == '\n') text += "  ";
    }
  }
  if (!items.empty()) text += '\n';
  return text + close;
}

}  // namespace

Json::Json(std::string_view text) : text_(quoted(text)) {}

void Json::end_number() {
  if (text_.empty()) {
    text_ = "null";
  } else if (text_.find_first_of(".e") == text_.npos) {
    text_ += ".0";
  }
}

Json Json::raw(std::string text) {
  Json result;
  result.text_ = std::move(text);
  return result;
}

Json Json::object(const std::vector<std::pair<std::string, Json>>& members) {
  std::vector<std::string> items;
  for (const auto& [key, value] : members)
    if (!value.text_.empty()) items.push_back(quoted(key) + ": " + value.text_);
  Json result;
  result.text_ = block('{', items, '}');
  return result;
}

Json Json::list(const std::vector<Json>& items) {
  Json result;
  for (const Json& item : items) result.text_ += (result.text_.empty() ? "[" : ", ") + item.text_;
  result.text_ += items.empty() ? "[]" : "]";
  return result;
}

Json Json::long_list(const std::vector<Json>& items) {
  std::vector<std::string> texts;
  for (const Json& item : items) texts.push_back(item.text_);
  Json result;
  result.text_ = block('[', texts, ']');
  return result;
}

std::string joined_objects(std::string_view first, std::string_view second) {
  const std::size_t last = first.rfind('}'), end = first.find_last_not_of(" \n", last - 1) + 1;
  return std::string(first.substr(0, end)) + ',' + std::string(second.substr(second.find('{') + 1));
}

}  // namespace cotangent
