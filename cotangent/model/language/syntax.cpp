#include "cotangent/model/language/syntax.hpp"

#include <fmt/core.h>
#include <quadmath.h>

#include <algorithm>
#include <array>
#include <optional>
#include <tuple>
#include <utility>

#include "cotangent/base/limits.hpp"
#include "cotangent/expr/op.hpp"
#include "cotangent/model/language/lexer.hpp"

namespace cotangent {
namespace {

// Operators of two operands, by how tightly they bind.
enum class Level : std::uint8_t { comparison, sum, product };

std::optional<SyntaxKind> operation(Level level, TokenKind token) {
  static constexpr std::array<std::tuple<Level, TokenKind, SyntaxKind>, 10> operators{{
      {Level::comparison, TokenKind::less, SyntaxKind::less},
      {Level::comparison, TokenKind::less_equal, SyntaxKind::less_equal},
      {Level::comparison, TokenKind::greater, SyntaxKind::greater},
      {Level::comparison, TokenKind::greater_equal, SyntaxKind::greater_equal},
      {Level::comparison, TokenKind::equal, SyntaxKind::equal},
      {Level::comparison, TokenKind::not_equal, SyntaxKind::not_equal},
      {Level::sum, TokenKind::plus, SyntaxKind::add},
      {Level::sum, TokenKind::minus, SyntaxKind::subtract},
      {Level::product, TokenKind::times, SyntaxKind::multiply},
      {Level::product, TokenKind::divide, SyntaxKind::divide},
  }};
  for (const auto& [of, sign, kind] : operators)
    if (of == level && sign == token) return kind;
  return std::nullopt;
}

// Whether "sin x" was meant to be sin(x).
bool is_function_of_one(std::string_view word) {
  const auto op = function_named(word);
  return (op && is_unary_function(*op)) || word == "norm" || word == "norm2";
}

}  // namespace

/// Recursive descent: one function per rule of the grammar, each leaving the token after what it read.
class Parser {
 public:
  explicit Parser(Excerpt excerpt) {
    syntax_.excerpt_ = std::move(excerpt);
    const std::size_t length = syntax_.excerpt_.text().size();
    if (length > kLimits.expression_bytes)
      fail({0, 1}, fmt::format("an expression of {} characters; the limit is {}", length, kLimits.expression_bytes),
           "sums over an index, or [definitions], make it shorter");
    tokens_ = tokenize(syntax_.excerpt_);
  }

  Syntax whole_expression() {
    expect_something("an expression");
    expression();
    expect_end();
    return std::move(syntax_);
  }

  Syntax whole_equation() {
    expect_something("an equation");
    const SyntaxId left = expression();
    const SyntaxKind kind = node(left).kind;
    if (kind == SyntaxKind::equal)
      fail(node(left).span, "'==' compares and makes no equation", "an equation has one '=': 'left = right'");
    if (kind >= SyntaxKind::less && kind <= SyntaxKind::not_equal)
      fail(node(left).span, "inequalities are not supported", "a constraint is an equation 'left = right'");
    if (token().kind == TokenKind::end)
      fail(node(left).span, "expected an equation 'left = right'",
           "write '... = 0' to say that this expression is zero");
    if (!accept(TokenKind::assign)) unexpected();
    const SyntaxId right = expression();
    if (token().kind == TokenKind::assign) fail(token().span, "a second '=' in one equation");
    expect_end();
    binary(SyntaxKind::equation, left, right);
    return std::move(syntax_);
  }

  Syntax whole_loops() {
    expect_something("a loop such as 'i in 1..N'");
    auto all = loops();
    expect_end();
    const Span span{all.front().span.begin, all.back().span.end};
    syntax_.nodes_[add(SyntaxKind::loops, span, {})].loops = std::move(all);
    return std::move(syntax_);
  }

 private:
  SyntaxId expression() {
    const SyntaxId left = additive();
    const auto kind = operation(Level::comparison, token().kind);
    if (!kind) return left;
    advance();
    const SyntaxId right = additive();
    if (operation(Level::comparison, token().kind))
      fail(token().span, "comparisons cannot be chained", "compare two values at a time: if(a < b, if(b < c, ...))");
    return binary(*kind, left, right);
  }

  SyntaxId additive() { return from_left(Level::sum, &Parser::term); }
  SyntaxId term() { return from_left(Level::product, &Parser::factor); }

  SyntaxId from_left(Level level, SyntaxId (Parser::*operand)()) {
    SyntaxId left = (this->*operand)();
    while (const auto kind = operation(level, token().kind)) {
      advance();
      left = binary(*kind, left, (this->*operand)());
    }
    return left;
  }

  // Counts how deep the rules call each other, so that no text can exhaust the stack.
  SyntaxId factor() {
    if (++depth_ > kLimits.nesting)
      fail(token().span, fmt::format("nested too deeply; the limit is {} levels", kLimits.nesting),
           "[definitions] can name the inner parts");
    const SyntaxId result = signed_power();
    --depth_;
    return result;
  }

  SyntaxId signed_power() {
    const Span sign = token().span;
    if (accept(TokenKind::plus)) return factor();
    if (accept(TokenKind::minus)) {
      const SyntaxId operand = factor();
      return add(SyntaxKind::negate, {sign.begin, node(operand).span.end}, {operand});
    }
    const SyntaxId base = primary();
    return accept(TokenKind::power) ? binary(SyntaxKind::power, base, factor()) : base;
  }

  SyntaxId primary() {
    const Span open = token().span;
    switch (token().kind) {
      case TokenKind::number:
        return number();
      case TokenKind::name:
        return named();
      case TokenKind::open: {
        advance();
        const SyntaxId inner = expression();
        close(TokenKind::close, open);
        // The parentheses belong to the place of what they enclose.
        syntax_.nodes_[inner].span = {open.begin, previous().span.end};
        return inner;
      }
      case TokenKind::open_bracket: {
        advance();
        auto components = list();
        close(TokenKind::close_bracket, open);
        return add(SyntaxKind::vector, {open.begin, previous().span.end}, std::move(components));
      }
      default:
        unexpected();
    }
  }

  SyntaxId number() {
    const Span span = token().span;
    const Quad value = strtoflt128(syntax_.text(span).c_str(), nullptr);
    if (!isfinite(value)) fail(span, fmt::format("the number '{}' is too large", syntax_.text(span)));
    advance();
    if (token().kind == TokenKind::name && token().span.begin == span.end && !at_word("in"))
      fail({span.begin, token().span.end},
           fmt::format("'{}' is not a number", syntax_.text({span.begin, token().span.end})),
           fmt::format("to multiply, write '{}*{}'", syntax_.text(span), syntax_.text(token().span)));
    const SyntaxId result = add(SyntaxKind::number, span, {});
    syntax_.nodes_[result].value = value;
    return result;
  }

  SyntaxId named() {
    const Span name = token().span;
    if (at_word("in")) unexpected();
    advance();
    const Span open = token().span;
    if (accept(TokenKind::open_bracket)) {
      auto indices = list();
      close(TokenKind::close_bracket, open);
      const SyntaxId result = add(SyntaxKind::entry, {name.begin, previous().span.end}, std::move(indices), name);
      if (token().kind == TokenKind::open_bracket)
        fail(token().span, "a second pair of brackets", "several indices are written r[i, k]");
      return result;
    }
    if (!accept(TokenKind::open)) return add(SyntaxKind::name, name, {}, name);
    if (syntax_.text(name) == "sum") return sum(name, open);
    std::vector<SyntaxId> arguments;
    if (token().kind != TokenKind::close) arguments = list();
    close(TokenKind::close, open);
    return add(SyntaxKind::call, {name.begin, previous().span.end}, std::move(arguments), name);
  }

  SyntaxId sum(Span name, Span open) {
    if (!at_loop()) fail(token().span, "expected a loop such as 'i in 1..N'", "a sum is written sum(i in 1..N, x[i])");
    auto all = loops();
    if (!accept(TokenKind::comma))
      fail(token().span, "expected ',' and the expression to sum", "a sum is written sum(i in 1..N, x[i])");
    const SyntaxId body = expression();
    close(TokenKind::close, open);
    const SyntaxId result = add(SyntaxKind::sum, {name.begin, previous().span.end}, {body}, name);
    syntax_.nodes_[result].loops = std::move(all);
    return result;
  }

  // Loops, up to a comma that no other loop follows.
  std::vector<LoopSyntax> loops() {
    std::vector<LoopSyntax> all{loop()};
    while (accept(TokenKind::comma)) {
      if (!at_loop()) {
        --at_;
        break;
      }
      all.push_back(loop());
    }
    return all;
  }

  LoopSyntax loop() {
    LoopSyntax result;
    const std::size_t begin = token().span.begin;
    const bool tuple = accept(TokenKind::open);
    do result.names.push_back(index_name());
    while (tuple && accept(TokenKind::comma));
    if (tuple && !accept(TokenKind::close)) unexpected();
    if (!at_word("in")) fail(token().span, "expected 'in'", "a loop is written 'i in 1..N'");
    advance();
    if (tuple) {
      if (token().kind != TokenKind::name)
        fail(token().span, "expected the name of an index list", "a loop over pairs is written '(a,b) in pairs'");
      result.list = token().span;
      advance();
    } else {
      result.lo = additive();
      if (accept(TokenKind::range)) {
        result.hi = additive();
      } else if (node(result.lo).kind == SyntaxKind::name) {
        result.list = node(result.lo).name;
      } else {
        fail(token().span, "expected '..' and the last value of the index",
             "a loop is written 'i in 1..N', or 'i in list' for the parameter list = [1, 3, 5]");
      }
    }
    result.span = {begin, previous().span.end};
    return result;
  }

  Span index_name() {
    if (token().kind != TokenKind::name || at_word("in"))
      fail(token().span, "expected the name of an index", "a loop is written 'i in 1..N'");
    const Span name = token().span;
    advance();
    return name;
  }

  std::vector<SyntaxId> list() {
    std::vector<SyntaxId> items;
    do items.push_back(expression());
    while (accept(TokenKind::comma));
    return items;
  }

  void close(TokenKind kind, Span open) {
    if (token().kind == TokenKind::assign && !is_closed_later())
      fail(open, fmt::format("'{}' is not closed before the '='", syntax_.text(open)));
    if (token().kind == TokenKind::assign)
      fail(token().span, "'=' makes an equation and cannot stand inside an expression", "compare with '=='");
    if (token().kind == TokenKind::end) fail(open, fmt::format("'{}' is never closed", syntax_.text(open)));
    if (!accept(kind)) unexpected();
  }

  // Whether what is open here is closed in the rest of the text.
  bool is_closed_later() const {
    int depth = 0;
    for (std::size_t k = at_; tokens_[k].kind != TokenKind::end; ++k) {
      const TokenKind kind = tokens_[k].kind;
      if (kind == TokenKind::open || kind == TokenKind::open_bracket) ++depth;
      if (kind == TokenKind::close || kind == TokenKind::close_bracket) --depth;
      if (depth < 0) return true;
    }
    return false;
  }

  // "i in", or "(a, b) in".
  bool at_loop() const {
    if (token().kind == TokenKind::name) return is_in(at_ + 1);
    if (token().kind != TokenKind::open) return false;
    std::size_t k = at_ + 1;
    while (tokens_[k].kind == TokenKind::name || tokens_[k].kind == TokenKind::comma) ++k;
    return tokens_[k].kind == TokenKind::close && is_in(k + 1);
  }

  bool is_in(std::size_t k) const { return syntax_.text(tokens_[k].span) == "in"; }
  bool at_word(std::string_view word) const { return syntax_.text(token().span) == word; }

  void expect_something(std::string_view what) {
    if (token().kind == TokenKind::end) fail(token().span, fmt::format("expected {}, found nothing", what));
  }

  void expect_end() {
    if (token().kind == TokenKind::end) return;
    if (token().kind == TokenKind::assign)
      fail(token().span, "'=' makes an equation and cannot stand here", "compare with '=='");
    unexpected();
  }

  [[noreturn]] void unexpected() {
    if (token().kind == TokenKind::end) {
      if (at_ > 0) fail(previous().span, fmt::format("the expression ends after '{}'", syntax_.text(previous().span)));
      fail(token().span, "expected an expression, found nothing");
    }
    const std::string found = syntax_.text(token().span);
    const bool two_operands = at_ > 0 && ends_operand(previous().kind) && begins_operand(token().kind);
    std::string advice;
    if (two_operands && !at_word("in")) {
      const std::string before = syntax_.text(previous().span);
      advice = previous().kind == TokenKind::name && is_function_of_one(before)
                   ? fmt::format("the argument of a function is put in parentheses: '{}({})'", before, operand_text())
                   : fmt::format("to multiply, write '{}*{}'", before, found);
    }
    if (at_word("and")) advice = "conditions are nested: if(A, if(B, x, y), y) where both hold";
    if (at_word("or")) advice = "conditions are nested: if(A, x, if(B, x, y)) where one of two holds";
    if (at_decimal_comma())
      advice = fmt::format("decimals have a point: write {}.{}", syntax_.text(previous().span),
                           syntax_.text(tokens_[at_ + 1].span));
    fail(token().span, fmt::format("unexpected '{}'", found), advice);
  }

  // The number or the name here, an entry with its indices.
  std::string operand_text() const {
    std::size_t last = at_;
    if (tokens_[at_ + 1].kind == TokenKind::open_bracket)
      while (tokens_[last].kind != TokenKind::close_bracket && tokens_[last + 1].kind != TokenKind::end) ++last;
    return syntax_.text({token().span.begin, tokens_[last].span.end});
  }

  // "1,5".
  bool at_decimal_comma() const {
    if (token().kind != TokenKind::comma || at_ == 0 || at_ + 1 >= tokens_.size()) return false;
    const Token& next = tokens_[at_ + 1];
    return previous().kind == TokenKind::number && next.kind == TokenKind::number &&
           previous().span.end == token().span.begin && token().span.end == next.span.begin;
  }

  static bool ends_operand(TokenKind kind) {
    return kind == TokenKind::number || kind == TokenKind::name || kind == TokenKind::close ||
           kind == TokenKind::close_bracket;
  }
  static bool begins_operand(TokenKind kind) {
    return kind == TokenKind::number || kind == TokenKind::name || kind == TokenKind::open;
  }

  [[noreturn]] void fail(Span span, std::string message, std::string suggestion = {}) const {
    // An empty text has no first character to point at.
    span.end = std::min(span.end, syntax_.excerpt_.text().size());
    throw ModelError(syntax_.locate(span), std::move(message), std::move(suggestion));
  }

  SyntaxId add(SyntaxKind kind, Span span, std::vector<SyntaxId> children, Span name = {}) {
    syntax_.nodes_.push_back({.kind = kind, .span = span, .name = name, .children = std::move(children), .loops = {}});
    return static_cast<SyntaxId>(syntax_.nodes_.size() - 1);
  }

  SyntaxId binary(SyntaxKind kind, SyntaxId left, SyntaxId right) {
    return add(kind, {node(left).span.begin, node(right).span.end}, {left, right});
  }

  const SyntaxNode& node(SyntaxId id) const { return syntax_.node(id); }

  const Token& token() const { return tokens_[at_]; }
  const Token& previous() const { return tokens_[at_ - 1]; }
  void advance() { ++at_; }
  bool accept(TokenKind kind) {
    const bool found = token().kind == kind;
    if (found) advance();
    return found;
  }

  Syntax syntax_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

Syntax parse_expression(Excerpt excerpt) { return Parser(std::move(excerpt)).whole_expression(); }
Syntax parse_equation(Excerpt excerpt) { return Parser(std::move(excerpt)).whole_equation(); }
Syntax parse_loops(Excerpt excerpt) { return Parser(std::move(excerpt)).whole_loops(); }

void append_mentioned_names(const Syntax& syntax, std::vector<std::string>& names) {
  for (const auto& node : syntax.nodes()) {
    if (node.name.length() > 0) names.push_back(syntax.text(node.name));
    for (const auto& loop : node.loops)
      if (loop.over_list()) names.push_back(syntax.text(loop.list));
  }
}

}  // namespace cotangent
