#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "cotangent/model/source/excerpt.hpp"

namespace cotangent {

enum class TokenKind : std::uint8_t {
  number,
  name,
  plus,           // +
  minus,          // -
  times,          // *
  divide,         // /
  power,          // ^
  less,           // <
  less_equal,     // <=
  greater,        // >
  greater_equal,  // >=
  equal,          // ==
  not_equal,      // !=
  assign,         // =
  comma,          // ,
  range,          // ..
  open,           // (
  close,          // )
  open_bracket,   // [
  close_bracket,  // ]
  end,
};

struct Token {
  TokenKind kind;
  Span span;
};

/// The tokens of an expression, with `end` as the last one.
///
/// Numbers are 1, 1., .5, 1.5e-3; "1..N" is the number 1, a range sign and a name.
/// Names are letters, digits and _, not beginning with a digit.
/// @throws ModelError for a character that the language does not have.
std::vector<Token> tokenize(const Excerpt& excerpt);

/// Whether a text can be a name of the language.
bool is_name(std::string_view text);

}  // namespace cotangent
