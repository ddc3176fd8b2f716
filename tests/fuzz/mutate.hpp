#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace cotangent::fuzz {

/// A text with a few changes that know what a model file looks like: names, numbers and operators replaced by others of
/// their kind, terms copied, wrapped into calls and sums or deleted, lines copied, exchanged or deleted; seldom, bytes
/// changed at random. The same seed gives the same text.
std::string mutate(std::string_view text, std::uint64_t seed);

/// A text with a line, or a term, of another one.
std::string cross(std::string_view text, std::string_view other, std::uint64_t seed);

}  // namespace cotangent::fuzz
