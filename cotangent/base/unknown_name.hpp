#pragma once

#include <fmt/core.h>

#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "cotangent/base/suggest.hpp"

namespace cotangent {

/// A name that is not in a list of names: of methods, monitors, options.
class UnknownName : public std::invalid_argument {
 public:
  /// @param kind what it should have been: "method".
  UnknownName(std::string_view kind, std::string_view name, std::span<const std::string> names)
      : UnknownName(fmt::format("there is no {} '{}'", kind, name), nearest_or_all(name, names)) {}

  const std::string& message() const { return message_; }
  const std::string& suggestion() const { return suggestion_; }  ///< the nearest name, or all of them

 private:
  UnknownName(std::string message, std::string suggestion)
      : std::invalid_argument(message + "; " + suggestion),
        message_(std::move(message)),
        suggestion_(std::move(suggestion)) {}

  std::string message_, suggestion_;
};

/// Throws UnknownName unless the name is one of the list.
inline void expect_name(std::string_view kind, std::string_view name, std::span<const std::string> names) {
  for (const auto& known : names)
    if (known == name) return;
  throw UnknownName(kind, name, names);
}

}  // namespace cotangent
