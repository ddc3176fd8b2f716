#pragma once

#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace cotangent {

/// A name that is not in a list of names: of methods, monitors, options.
class UnknownName : public std::invalid_argument {
 public:
  /// @param kind what it should have been: "method".
  UnknownName(std::string_view kind, std::string_view name, std::span<const std::string> names);

  const std::string& message() const { return message_; }
  const std::string& suggestion() const { return suggestion_; }  ///< the nearest name, or all of them

 private:
  UnknownName(std::string message, std::string suggestion);

  std::string message_, suggestion_;
};

/// Throws UnknownName unless the name is one of the list.
void expect_name(std::string_view kind, std::string_view name, std::span<const std::string> names);

}  // namespace cotangent
