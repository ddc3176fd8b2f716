#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cotangent/output/number.hpp"

namespace cotangent {

/// Writes JSON text piece by piece. Real numbers keep all digits of their precision and look real ("100.0");
/// what is not finite becomes null.
///
///   JsonWriter json;
///   json.begin_object();
///   json.key("status").value("done");
///   json.key("state").begin_list().value(1.0).value(2.0).end_list();
///   json.end_object();
class JsonWriter {
 public:
  JsonWriter& begin_object() { return begin('{', false); }
  JsonWriter& end_object() { return end('}'); }
  /// A list stays on one line.
  JsonWriter& begin_list() { return begin('[', true); }
  /// A list with a line for each item.
  JsonWriter& begin_long_list() { return begin('[', false); }
  JsonWriter& end_list() { return end(']'); }

  JsonWriter& key(std::string_view name);

  JsonWriter& value(std::string_view text);
  JsonWriter& value(const char* text) { return value(std::string_view(text)); }
  JsonWriter& value(bool truth);
  JsonWriter& value(std::int64_t integer);
  JsonWriter& value(int integer) { return value(static_cast<std::int64_t>(integer)); }
  template <class T>
  requires std::same_as<T, double> || std::same_as<T, Quad> JsonWriter& value(T x) {
    std::string digits;
    append_number(digits, x);
    return number(digits, isfinite(x));
  }

  const std::string& text() const { return text_; }

 private:
  struct Level {
    bool in_line;
    bool empty = true;
  };

  JsonWriter& begin(char bracket, bool in_line);
  JsonWriter& end(char bracket);
  JsonWriter& number(std::string_view digits, bool is_finite);
  void before_item();
  void new_line();
  void append_quoted(std::string_view text);

  std::string text_;
  std::vector<Level> levels_;
  bool after_key_ = false;
};

}  // namespace cotangent
