#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace cotangent {

/// A text for a terminal: blanks in the place of characters with which it could be made to do something else than show
/// a text (C0, DEL, C1, separators, directions), and a question mark for each byte that is no UTF-8. @param kept of
/// them.
std::string printable(std::string_view text, std::string_view kept = {});

/// "1 index", "3 indices", "2 arguments".
std::string plural(std::size_t count, std::string_view noun);

/// "once", "3 times".
std::string times(std::size_t count);

}  // namespace cotangent
