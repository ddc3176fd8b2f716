#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cotangent {

/// A value of JSON that was read.
struct JsonValue {
  enum class Kind : unsigned char { null, truth, number, text, list, object };

  Kind kind = Kind::null;
  bool truth = false;
  std::string text;  ///< of a text; of a number its digits
  std::vector<JsonValue> items;
  std::vector<std::pair<std::string, JsonValue>> members;

  /// The member of that name; null if there is none.
  const JsonValue& operator[](std::string_view name) const;
  double number() const;  ///< not a number if it is none
};

/// Reads a text that is one value of JSON. @throws std::runtime_error with the place that is wrong.
JsonValue read_json(std::string_view text);

}  // namespace cotangent
