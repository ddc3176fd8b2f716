#include "cotangent/base/unknown_name.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cotangent/base/suggest.hpp"

namespace cotangent {

UnknownName::UnknownName(std::string_view kind, std::string_view name, std::span<const std::string> names)
    : UnknownName(fmt::format("there is no {} '{}'", kind, name), nearest_or_all(name, names)) {}

UnknownName::UnknownName(std::string message, std::string suggestion)
    : std::invalid_argument(message + "; " + suggestion),
      message_(std::move(message)),
      suggestion_(std::move(suggestion)) {}

void expect_name(std::string_view kind, std::string_view name, std::span<const std::string> names) {
  if (std::find(names.begin(), names.end(), name) == names.end()) throw UnknownName(kind, name, names);
}

}  // namespace cotangent
