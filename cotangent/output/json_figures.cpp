#include "cotangent/output/json_figures.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>

namespace cotangent {
namespace {

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  std::map<std::string, double> read() {
    value("");
    return std::move(figures_);
  }

 private:
  char peek() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }

  bool take(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }

  // Keys have no escapes.
  std::string string() {
    std::string result;
    for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_) {
      if (text_[at_] == '\\') ++at_;
      result += text_[at_];
    }
    ++at_;
    return result;
  }

  void value(const std::string& path) {
    const auto inner = [&](const std::string& key) { return path.empty() ? key : path + '.' + key; };
    if (peek() == '"') {
      string();
    } else if (take('{')) {
      while (peek() == '"') {
        const std::string key = string();
        take(':');
        value(inner(key));
        take(',');
      }
      take('}');
    } else if (take('[')) {
      for (int k = 1; peek() != ']' && peek() != '\0'; ++k) {
        value(inner(std::to_string(k)));
        take(',');
      }
      take(']');
    } else {
      const std::size_t end = std::min(text_.find_first_of(",]} \n", at_), text_.size());
      const std::string word(text_.substr(at_, end - at_));
      at_ = end;
      figures_[path] = word == "true"    ? 1
                       : word == "false" ? 0
                       : word == "null"  ? std::numeric_limits<double>::quiet_NaN()
                                         : std::strtod(word.c_str(), nullptr);
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::map<std::string, double> figures_;
};

}  // namespace

std::map<std::string, double> json_figures(std::string_view text) { return Reader(text).read(); }

}  // namespace cotangent
