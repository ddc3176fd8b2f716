#include "tests/fuzz/mutate.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace cotangent::fuzz {
namespace {

// clang-format off
constexpr std::string_view kNames[] = {
    "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "exp", "log", "sqrt", "abs", "sign",
    "floor", "ceil", "round", "mod", "erf", "erfc", "pow", "min", "max", "sum", "if", "in", "dot", "cross", "norm", "norm2", "pi", "e", "t", "i", "j", "k", "l", "a", "b",
    "x", "y", "z", "r", "p_x", "v_x", "p_r", "v_r", "lambda_rod", "N", "m", "each", "value", "equation", "title",
    "parameters", "definitions", "system", "coordinates", "states", "hamiltonian", "lagrangian", "dissipation",
    "constraints", "forces", "equations", "observables", "invariants", "initial", "run", "method", "step", "end",
    "sample", "every", "monitor", "true", "false", "inf", "nan", "algebraic", "events"};
constexpr std::string_view kSmallNumbers[] = {"0", "1", "2", "3", "4", "5", "0.5", "1.5", "-1", ".5", "1e-3", "10"};
constexpr std::string_view kOddNumbers[] = {
    "200", "1000", "1001", "-0.0", "1e17", "1e300", "1e-300", "1e309", "1e-5000", "1e5000", "2147483647", "2147483648",
    "9007199254740993", "9223372036854775807", "99999999999999999999", "100000001", "1e8", "0x10", "1_000", "1.", "0..1",
    "1979-05-27", "3.4028235e38", "0.1e1"};
constexpr std::string_view kSigns[] = {
    "+", "-", "*", "/", "^", "<", "<=", ">", ">=", "==", "!=", "=", ",", "..", "(", ")", "[", "]", "{", "}", "\"", "'",
    ".", "#", "\\", "\n", R"(""")", "[["};
constexpr std::string_view kOperators[] = {"+", "-", "*", "/", "^"};
// A term goes where the % stands, more than once if it stands more than once.
constexpr std::string_view kWraps[] = {
    "(%)", "-%", "sin(%)", "exp(%)", "log(%)", "sqrt(%)", "abs(%)", "sign(%)", "%^2", "%^0", "%^-1", "%^0.5", "2^%", "%^%",
    "1/%", "%/%", "%-%", "0*%", "%*%", "min(%, 1)", "max(%, %, 0)", "pow(%, 3)", "atan2(%, 1)", "if(% < 0, %, 1)",
    "if(1 == 2, %, 0)", "sum(i in 1..2, %)", "sum(i in 1..N, %*i)", "sum(i in 1..0, %)", "sum(i in 1..%, 1)",
    "sum(i in 1..3, j in 1..i, %)", "sum(i in 1..2, %)^2", "sin(sum(i in 1..2, %))", "[%, %]", "[%, 0, 1]", "dot(%, %)",
    "norm(%)", "norm2([%, 1])", "cross(%, %)", "%[1]", "%[i]", "%[i-1]", "%[i+1]", "%[1,2]", "[%][1]", "%(1)", "\"%\"",
    R"({ each = "i in 1..2", value = "%" })", "[%]", "[[%, 1], [2, %]]", "tan(%)", "acos(%)", "floor(%)", "ceil(%)", "round(%)", "mod(%, 2)", "mod(%, %)", "erf(%)", "erfc(%)", "(% = %)"};
// clang-format on

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  // splitmix64
  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9E3779B97F4A7C15U;
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31U);
  }

  /// One of 0 .. n-1. @pre n > 0
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(next() % n); }
  bool one_in(std::size_t n) { return below(n) == 0; }

  template <class Range>
  auto& among(Range& range) {
    return range[below(std::size(range))];
  }

 private:
  std::uint64_t state_;
};

struct Token {
  enum class Kind : std::uint8_t { name, number, sign };
  std::size_t begin = 0, end = 0;
  Kind kind = Kind::sign;
};

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

std::vector<Token> tokens_of(std::string_view text) {
  std::vector<Token> tokens;
  for (std::size_t at = 0; at < text.size();) {
    Token token{at, at + 1, Token::Kind::sign};
    if (is_word(text[at])) {
      const bool number = is_digit(text[at]);
      token.kind = number ? Token::Kind::number : Token::Kind::name;
      const auto goes_on = [&](std::size_t k) {
        if (is_word(text[k])) return true;
        return number && text[k] == '.' && k + 1 < text.size() && text[k + 1] != '.' && text[k - 1] != '.';
      };
      while (token.end < text.size() && goes_on(token.end)) ++token.end;
    }
    at = token.end;
    if (text[token.begin] != ' ') tokens.push_back(token);
  }
  return tokens;
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return lines;
}

std::string joined(const std::vector<std::string_view>& lines) {
  std::string text;
  for (const auto line : lines) text += line;
  return text;
}

// From a token to where its term ends: with the indices or arguments that follow a name, or up to the bracket that
// closes. At most to the end of the line.
std::size_t term_end(std::string_view text, const std::vector<Token>& tokens, std::size_t first) {
  const auto opens = [&](std::size_t k) { return text[tokens[k].begin] == '(' || text[tokens[k].begin] == '['; };
  std::size_t k = first;
  if (!opens(k)) {
    if (tokens[k].kind != Token::Kind::name || k + 1 == tokens.size() || !opens(k + 1)) return tokens[k].end;
    ++k;
  }
  for (int depth = 0; k < tokens.size() && text[tokens[k].begin] != '\n'; ++k) {
    const char c = text[tokens[k].begin];
    if (c == '(' || c == '[') ++depth;
    if ((c == ')' || c == ']') && --depth == 0) return tokens[k].end;
  }
  return tokens[first].end;
}

class Mutator {
 public:
  Mutator(std::string_view text, std::uint64_t seed) : text_(text), random_(seed) {}

  std::string run() {
    do {
      tokens_ = tokens_of(text_);
      if (tokens_.empty()) {
        text_ += "[system]\n";
      } else {
        change();
      }
    } while (random_.one_in(2));
    return std::move(text_);
  }

  std::string take_from(std::string_view other) {
    tokens_ = tokens_of(text_);
    const auto others = tokens_of(other);
    if (tokens_.empty() || others.empty()) return std::string(other);
    if (random_.one_in(2)) {
      auto lines = lines_of(text_);
      const auto more = lines_of(other);
      const auto at = lines.begin() + static_cast<std::ptrdiff_t>(random_.below(lines.size() + 1));
      lines.insert(at, more[random_.below(more.size())]);
      return joined(lines);
    }
    const std::size_t from = random_.below(others.size());
    const std::size_t begin = others[from].begin;
    replace_term(any(), std::string(other.substr(begin, term_end(other, others, from) - begin)));
    return std::move(text_);
  }

 private:
  void change() {
    switch (random_.below(16)) {
      case 0:
      case 1:
      case 2:
        return replace_name();
      case 3:
      case 4:
        return replace_number();
      case 5:
        return replace_sign();
      case 6:
      case 7:
      case 8:
        return wrap();
      case 9:
        return copy_term();
      case 10:
        return add_term();
      case 11:
        return remove_term();
      case 12:
      case 13:
        return change_lines();
      case 14:
        return random_.one_in(4) ? nest() : swap_terms();
      default:
        return random_.one_in(4) ? change_byte() : insert_word();
    }
  }

  std::size_t any() { return random_.below(tokens_.size()); }

  // A token of a kind; any one if there is none near.
  std::size_t any(Token::Kind kind) {
    const std::size_t start = any();
    for (std::size_t k = 0; k < tokens_.size(); ++k) {
      const std::size_t at = (start + k) % tokens_.size();
      if (tokens_[at].kind == kind) return at;
    }
    return start;
  }

  std::size_t operand() { return any(random_.one_in(3) ? Token::Kind::number : Token::Kind::name); }

  std::string term(std::size_t at) const {
    const std::size_t begin = tokens_[at].begin;
    return text_.substr(begin, term_end(text_, tokens_, at) - begin);
  }

  std::string spelling(std::size_t at) const {
    return text_.substr(tokens_[at].begin, tokens_[at].end - tokens_[at].begin);
  }

  void replace(std::size_t at, std::string_view by) {
    text_.replace(tokens_[at].begin, tokens_[at].end - tokens_[at].begin, by);
  }

  void replace_term(std::size_t at, std::string_view by) {
    const std::size_t begin = tokens_[at].begin;
    text_.replace(begin, term_end(text_, tokens_, at) - begin, by);
  }

  void replace_name() {
    const std::string by = random_.one_in(3) ? std::string(random_.among(kNames)) : spelling(any(Token::Kind::name));
    replace(any(Token::Kind::name), by);
  }

  void replace_number() {
    replace(any(Token::Kind::number), random_.one_in(4) ? random_.among(kOddNumbers) : random_.among(kSmallNumbers));
  }

  void replace_sign() { replace(any(Token::Kind::sign), random_.among(kSigns)); }

  void wrap() {
    const std::size_t at = operand();
    const std::string inner = term(at);
    std::string outer;
    for (const char c : random_.among(kWraps)) c == '%' ? outer += inner : outer += c;
    replace_term(at, outer);
  }

  void copy_term() {
    const std::string copy = term(operand());
    replace_term(operand(), copy);
  }

  void add_term() {
    const std::string more = std::string(random_.among(kOperators)) + term(operand());
    text_.insert(term_end(text_, tokens_, operand()), more);
  }

  void swap_terms() {
    std::size_t a = operand(), b = operand();
    if (a > b) std::swap(a, b);
    if (term_end(text_, tokens_, a) > tokens_[b].begin) return;
    const std::string first = term(a), second = term(b);
    replace_term(b, first);
    replace_term(a, second);
  }

  void remove_term() { random_.one_in(2) ? replace_term(any(), "") : replace(any(), ""); }

  void insert_word() {
    text_.insert(tokens_[any()].begin, random_.one_in(2) ? random_.among(kNames) : random_.among(kSigns));
  }

  void change_lines() {
    auto lines = lines_of(text_);
    const std::size_t at = random_.below(lines.size()), other = random_.below(lines.size());
    switch (random_.below(4)) {
      case 0:
        lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(at));
        break;
      case 1:
        std::swap(lines[at], lines[other]);
        break;
      case 2:
        lines[at] = lines[other];
        break;
      default:
        lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(at), lines[other]);
        break;
    }
    text_ = joined(lines);
  }

  // Deeper than anything sensible.
  void nest() {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kBrackets{
        {{"(", ")"}, {"[", "]"}, {"-", ""}, {"sin(", ")"}, {"2^", ""}, {"{ x = ", " }"}}};
    const auto& [open, close] = random_.among(kBrackets);
    const std::size_t depth = std::size_t{1} << random_.below(9);
    const std::size_t at = any();
    std::string text;
    for (std::size_t k = 0; k < depth; ++k) text += open;
    text += term(at);
    if (!random_.one_in(4))
      for (std::size_t k = 0; k < depth; ++k) text += close;
    replace_term(at, text);
  }

  void change_byte() {
    const std::size_t at = random_.below(text_.size());
    const char byte = static_cast<char>(random_.below(256));
    random_.one_in(2) ? static_cast<void>(text_[at] = byte) : static_cast<void>(text_.insert(at, 1, byte));
  }

  std::string text_;
  Random random_;
  std::vector<Token> tokens_;
};

}  // namespace

std::string mutate(std::string_view text, std::uint64_t seed) { return Mutator(text, seed).run(); }

std::string cross(std::string_view text, std::string_view other, std::uint64_t seed) {
  return Mutator(text, seed).take_from(other);
}

}  // namespace cotangent::fuzz
