#include "cotangent/model/language/lexer.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <utility>

namespace cotangent {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// Longer spellings before their beginnings.
constexpr std::array<std::pair<std::string_view, TokenKind>, 19> kSigns{{
    {"<=", TokenKind::less_equal},   {">=", TokenKind::greater_equal}, {"==", TokenKind::equal},
    {"!=", TokenKind::not_equal},    {"..", TokenKind::range},         {"**", TokenKind::power},
    {"+", TokenKind::plus},          {"-", TokenKind::minus},          {"*", TokenKind::times},
    {"/", TokenKind::divide},        {"^", TokenKind::power},          {"<", TokenKind::less},
    {">", TokenKind::greater},       {"=", TokenKind::assign},         {",", TokenKind::comma},
    {"(", TokenKind::open},          {")", TokenKind::close},          {"[", TokenKind::open_bracket},
    {"]", TokenKind::close_bracket},
}};

// Characters that look like something of the language, and what is written instead.
constexpr std::array<std::pair<std::string_view, std::string_view>, 14> kLookalikes{{
    {"\u2212\u2013\u2014", "a minus is written -"},
    {"\u00b2", "a square is written x^2"},
    {"\u00b3", "a cube is written x^3"},
    {"\u00d7\u00b7\u22c5", "a product is written x*y"},
    {"\u00f7\u2044", "a quotient is written x/y"},
    {"\u221a", "a root is written sqrt(x)"},
    {"\u03c0", "this number is written pi"},
    {"\u2264", "write <="},
    {"\u2265", "write >="},
    {"\u2260", "write !="},
    {"\u2032'", "velocities are called v_x"},
    {"&", "conditions are nested: if(A, if(B, x, y), y) where both hold"},
    {"|", "conditions are nested: if(A, x, if(B, x, y)) where one of two holds"},
    {"%", "there is no remainder; a percentage is a number such as 0.05"},
}};

class Lexer {
 public:
  explicit Lexer(const Excerpt& excerpt) : excerpt_(excerpt), text_(excerpt.text()) {}

  std::vector<Token> run() {
    std::vector<Token> tokens;
    while (true) {
      while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
      if (at_ == text_.size()) break;
      tokens.push_back(next());
    }
    tokens.push_back({TokenKind::end, {text_.size(), text_.size()}});
    return tokens;
  }

 private:
  char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

  Token next() {
    const std::size_t begin = at_;
    if (is_digit(peek()) || (peek() == '.' && is_digit(peek(1)))) return number();
    if (is_letter(peek())) {
      while (is_letter(peek()) || is_digit(peek())) ++at_;
      return {TokenKind::name, {begin, at_}};
    }
    for (const auto& [spelling, kind] : kSigns) {
      if (!text_.substr(at_).starts_with(spelling)) continue;
      at_ += spelling.size();
      if (spelling == "**") fail({begin, at_}, "'**' is not an operator of the language", "powers are written x^2");
      return {kind, {begin, at_}};
    }
    unknown_character();
  }

  Token number() {
    const std::size_t begin = at_;
    while (is_digit(peek())) ++at_;
    // A point that begins ".." is the range sign.
    if (peek() == '.' && peek(1) != '.') {
      ++at_;
      while (is_digit(peek())) ++at_;
      if (peek() == '.' && is_digit(peek(1))) fail({begin, at_ + 1}, "a number with two decimal points");
    }
    const std::size_t sign = peek(1) == '+' || peek(1) == '-' ? 1 : 0;
    if ((peek() == 'e' || peek() == 'E') && is_digit(peek(1 + sign))) {
      at_ += 1 + sign;
      while (is_digit(peek())) ++at_;
    }
    return {TokenKind::number, {begin, at_}};
  }

  [[noreturn]] void unknown_character() const {
    // The whole character, where it is not ASCII.
    std::size_t end = at_ + 1;
    while (end < text_.size() && (static_cast<unsigned char>(text_[end]) & 0xC0U) == 0x80U) ++end;
    const auto character = text_.substr(at_, end - at_);
    const bool printable = static_cast<unsigned char>(character[0]) > 0x20;
    const bool ascii = static_cast<unsigned char>(character[0]) < 0x80;
    std::string hint = ascii ? "" : "names are made of the letters a-z and A-Z, digits and _";
    for (const auto& [lookalikes, instead] : kLookalikes)
      if (lookalikes.find(character) != lookalikes.npos) hint = instead;
    fail({at_, end}, printable ? fmt::format("unexpected character '{}'", character) : "unexpected control character",
         hint);
  }

  [[noreturn]] void fail(Span span, std::string message, std::string suggestion = {}) const {
    throw ModelError(excerpt_.locate(span), std::move(message), std::move(suggestion));
  }

  const Excerpt& excerpt_;
  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

std::vector<Token> tokenize(const Excerpt& excerpt) { return Lexer(excerpt).run(); }

bool is_name(std::string_view text) {
  if (text.empty() || is_digit(text[0])) return false;
  return std::ranges::all_of(text, [](char c) { return is_letter(c) || is_digit(c); });
}

}  // namespace cotangent
