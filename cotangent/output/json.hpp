#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cotangent/output/number.hpp"

namespace cotangent {

/// A value of JSON, as its text. Real numbers keep all digits of their precision and look real ("100.0"); those that
/// are not finite become null. An optional value that is absent, as a member of an object, is left out with its key.
///
///   Json::object({{"status", "done"}, {"state", Json::list({1.0, 2.0})}}).text()
class Json {
 public:
  Json(std::string_view text);
  Json(const char* text) : Json(std::string_view(text)) {}
  Json(const std::string& text) : Json(std::string_view(text)) {}
  Json(bool truth) : text_(truth ? "true" : "false") {}
  Json(std::int64_t integer) : text_(std::to_string(integer)) {}
  Json(int integer) : text_(std::to_string(integer)) {}
  template <class T>
  requires std::same_as<T, double> || std::same_as<T, Quad> Json(T x) {
    if (isfinite(x)) append_number(text_, x);
    end_number();
  }
  template <class X>
  Json(const std::optional<X>& x) {
    if (x) *this = Json(*x);
  }

  /// A text that is JSON.
  static Json raw(std::string text);

  static Json object(const std::vector<std::pair<std::string, Json>>& members);
  /// A list on one line, and one with a line for each item.
  static Json list(const std::vector<Json>& items);
  static Json long_list(const std::vector<Json>& items);

  /// The list of what f makes of each.
  template <class Items, class F>
  static std::vector<Json> each(const Items& items, const F& f) {
    std::vector<Json> all;
    for (const auto& item : items) all.push_back(f(item));
    return all;
  }

  /// Numbers as nested lists of a shape, the last index running fastest; a single one as a number.
  template <class T>
  static Json nested(std::span<const T> numbers, std::span<const std::int64_t> shape) {
    if (shape.empty()) return numbers.front();
    std::vector<Json> items;
    const std::size_t size = shape[0] > 0 ? numbers.size() / static_cast<std::size_t>(shape[0]) : 0;
    for (std::size_t k = 0; k < static_cast<std::size_t>(shape[0]); ++k)
      items.push_back(nested(numbers.subspan(k * size, size), shape.subspan(1)));
    return list(items);
  }

  const std::string& text() const { return text_; }

 private:
  Json() = default;
  void end_number();

  std::string text_;  // nothing: absent
};

/// An object, as a text, with the members of both.
std::string joined_objects(std::string_view first, std::string_view second);

}  // namespace cotangent
