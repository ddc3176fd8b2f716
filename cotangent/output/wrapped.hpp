#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace cotangent {

/// A text with lines of at most 100 columns, broken between words; those after the first one are indented, the first
/// begins at that column. Ends with a line feed.
std::string wrapped(std::string_view text, std::size_t indent);

}  // namespace cotangent
