#include "cotangent/model/language/syntax.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace cotangent {
namespace {

Excerpt excerpt(const std::string& text) {
  const auto source = std::make_shared<const SourceText>("text", text);
  return {source, {0, text.size()}};
}

// The tree with every operation in parentheses.
std::string shape(const Syntax& syntax, const SyntaxNode& node) {
  const auto child = [&](std::size_t k) { return shape(syntax, syntax.node(node.children[k])); };
  const auto binary = [&](const char* sign) { return "(" + child(0) + sign + child(1) + ")"; };
  const auto list = [&] {
    std::string text;
    for (std::size_t k = 0; k < node.children.size(); ++k) text += (k ? "," : "") + child(k);
    return text;
  };
  switch (node.kind) {
    case SyntaxKind::number:
      return syntax.text(node.span);
    case SyntaxKind::name:
      return syntax.text(node.name);
    case SyntaxKind::entry:
      return syntax.text(node.name) + "[" + list() + "]";
    case SyntaxKind::call:
      return syntax.text(node.name) + "{" + list() + "}";
    case SyntaxKind::vector:
      return "[" + list() + "]";
    case SyntaxKind::negate:
      return "(-" + child(0) + ")";
    case SyntaxKind::add:
      return binary("+");
    case SyntaxKind::subtract:
      return binary("-");
    case SyntaxKind::multiply:
      return binary("*");
    case SyntaxKind::divide:
      return binary("/");
    case SyntaxKind::power:
      return binary("^");
    case SyntaxKind::less:
      return binary("<");
    case SyntaxKind::less_equal:
      return binary("<=");
    case SyntaxKind::greater:
      return binary(">");
    case SyntaxKind::greater_equal:
      return binary(">=");
    case SyntaxKind::equal:
      return binary("==");
    case SyntaxKind::not_equal:
      return binary("!=");
    case SyntaxKind::equation:
      return child(0) + "=" + child(1);
    case SyntaxKind::sum:
    case SyntaxKind::loops: {
      std::string text = "sum{";
      for (const auto& loop : node.loops) {
        for (const auto& name : loop.names) text += syntax.text(name) + " ";
        text += "in ";
        if (loop.over_list()) text += syntax.text(loop.list) + ";";
        if (!loop.over_list())
          text += shape(syntax, syntax.node(loop.lo)) + ".." + shape(syntax, syntax.node(loop.hi)) + ";";
      }
      return text + list() + "}";
    }
  }
  return "?";
}

std::string shape(const std::string& text) {
  const Syntax syntax = parse_expression(excerpt(text));
  return shape(syntax, syntax.root());
}

struct Case {
  const char* text;
  const char* expected;
};

TEST(Syntax, BindsOperatorsAsMathematiciansDo) {
  const std::vector<Case> cases{
      {"a + b*c", "(a+(b*c))"},
      {"a - b - c", "((a-b)-c)"},
      {"a/b/c", "((a/b)/c)"},
      {"a*b/c*d", "(((a*b)/c)*d)"},
      {"-x^2", "(-(x^2))"},
      {"(-x)^2", "((-x)^2)"},
      {"2^-3", "(2^(-3))"},
      {"2^-x^2", "(2^(-(x^2)))"},
      {"a^b^c", "(a^(b^c))"},
      {"-a*b", "((-a)*b)"},
      {"a*-b", "(a*(-b))"},
      {"a - -b", "(a-(-b))"},
      {"+a", "a"},
      {"a + b < c*d", "((a+b)<(c*d))"},
      {"a >= b", "(a>=b)"},
      {"a != b", "(a!=b)"},
      {"(a < b)*c", "((a<b)*c)"},
      {"x[i-1]^2", "(x[(i-1)]^2)"},
      {"r[i, k+1]", "r[i,(k+1)]"},
      {"atan2(y, -x)", "atan2{y,(-x)}"},
      {"if(a == 1, b, c)", "if{(a==1),b,c}"},
      {"cross([1, 2, 3], v)", "cross{[1,2,3],v}"},
      {" a\n +\tb ", "(a+b)"},
  };
  for (const auto& c : cases) EXPECT_EQ(shape(c.text), c.expected) << c.text;
}

TEST(Syntax, TellsRangesFromDecimalPoints) {
  const std::vector<Case> cases{
      {"sum(i in 1..N, i)", "sum{i in 1..N;i}"},
      {"sum(i in 1 .. 3, i)", "sum{i in 1..3;i}"},
      {"sum(i in 1...5, i)", "sum{i in 1...5;i}"},  // 1 .. .5: read, and refused later as no integer
      {"sum(i in 1..N, j in i+1..N, x[i]*x[j])", "sum{i in 1..N;j in (i+1)..N;(x[i]*x[j])}"},
      {"sum((a,b) in pairs, a)", "sum{a b in pairs;a}"},
      {"sum(i in 1..N, (a + b))", "sum{i in 1..N;(a+b)}"},
      {"1. + .5", "(1.+.5)"},
      {"1.5e-3*2E4", "(1.5e-3*2E4)"},
  };
  for (const auto& c : cases) EXPECT_EQ(shape(c.text), c.expected) << c.text;
}

TEST(Syntax, ReadsEquationsAndLoops) {
  const Syntax equation = parse_equation(excerpt("x^2 = 1 - y"));
  EXPECT_EQ(shape(equation, equation.root()), "(x^2)=(1-y)");
  const Syntax loops = parse_loops(excerpt("i in 2..N, k in 1..3"));
  EXPECT_EQ(shape(loops, loops.root()), "sum{i in 2..N;k in 1..3;}");
}

TEST(Syntax, ReadsDecimalsInQuadPrecision) {
  const Syntax syntax = parse_expression(excerpt("0.1"));
  EXPECT_TRUE(syntax.root().value == static_cast<Quad>(1) / 10);
  EXPECT_FALSE(syntax.root().value == static_cast<Quad>(0.1));
}

struct Mistake {
  const char* text;
  std::size_t column;
  const char* message;
  const char* suggestion;
};

TEST(Syntax, PointsAtTheFirstMistake) {
  const std::vector<Mistake> cases{
      {"", 1, "expected an expression, found nothing", ""},
      {"a +", 3, "the expression ends after '+'", ""},
      {"a + * b", 5, "unexpected '*'", ""},
      {"(a + b", 1, "'(' is never closed", ""},
      {"x[1", 2, "'[' is never closed", ""},
      {"sin(x", 4, "'(' is never closed", ""},
      {"a + b)", 6, "unexpected ')'", ""},
      {"2x", 1, "'2x' is not a number", "write '2*x'"},
      {"2 x", 3, "unexpected 'x'", "write '2*x'"},
      {"x y", 3, "unexpected 'y'", "write 'x*y'"},
      {"2(a)", 2, "unexpected '('", "write '2*('"},
      {"x**2", 2, "'**' is not an operator", "x^2"},
      {"a ; b", 3, "unexpected character ';'", ""},
      {"a + \xCE\xB8", 5, "unexpected character '\xCE\xB8'", "letters a-z"},
      {"1.2.3", 1, "two decimal points", ""},
      {"a = b", 3, "'=' makes an equation", "'=='"},
      {"norm2(r[1] = 1", 6, "'(' is not closed before the '='", ""},
      {"x[1 = 1", 2, "'[' is not closed before the '='", ""},
      {"(a = f(1)", 1, "'(' is not closed before the '='", ""},
      {"if(a > 0 and b > 0, 1, 2)", 10, "unexpected 'and'", "if(A, if(B, x, y), y)"},
      {"if(a > 0 or b > 0, 1, 2)", 10, "unexpected 'or'", "if(A, x, if(B, x, y))"},
      {"if(a > 0 && b > 0, 1, 2)", 10, "unexpected character '&'", "if(A, if(B, x, y), y)"},
      {"a \u2212 b", 3, "unexpected character '\u2212'", "a minus is written -"},
      {"a\u00b2", 2, "unexpected character '\u00b2'", "x^2"},
      {"2\u00b7a", 2, "unexpected character '\u00b7'", "x*y"},
      {"if(a = 1, b, c)", 6, "'=' makes an equation", "'=='"},
      {"a < b < c", 7, "comparisons cannot be chained", ""},
      {"r[i][k]", 5, "a second pair of brackets", "r[i, k]"},
      {"sum(x[i], i)", 5, "expected a loop", "sum(i in 1..N"},
      {"sum(i in 1..N)", 14, "expected ',' and the expression", ""},
      {"sum(i in 1, i)", 11, "expected '..'", ""},
      {"in + 1", 1, "unexpected 'in'", ""},
      {"1e99999", 1, "too large", ""},
      {"f(a,)", 5, "unexpected ')'", ""},
  };
  for (const auto& c : cases) {
    try {
      parse_expression(excerpt(c.text));
      ADD_FAILURE() << "accepted: " << c.text;
    } catch (const ModelError& error) {
      EXPECT_EQ(error.column(), c.column) << error.what();
      EXPECT_NE(error.message().find(c.message), std::string::npos) << error.what();
      EXPECT_NE(error.suggestion().find(c.suggestion), std::string::npos) << error.what();
    }
  }
}

TEST(Syntax, AnEquationNeedsExactlyOneEqualitySign) {
  EXPECT_THROW(parse_equation(excerpt("x^2")), ModelError);
  EXPECT_THROW(parse_equation(excerpt("a = b = c")), ModelError);
  EXPECT_THROW(parse_equation(excerpt("= c")), ModelError);
  EXPECT_THROW(parse_equation(excerpt("c =")), ModelError);
}

TEST(Syntax, DeepNestingIsRefusedAndLongChainsAreNot) {
  const std::string open(100000, '('), minus(60000, '-');
  EXPECT_THROW(parse_expression(excerpt(std::string(60000, '('))), ModelError);
  EXPECT_THROW(parse_expression(excerpt(open)), ModelError);  // longer than one expression may be
  EXPECT_THROW(parse_expression(excerpt(minus + "x")), ModelError);
  std::string tower = "2", chain = "x";
  for (int k = 0; k < 1000; ++k) tower += "^2";
  for (int k = 0; k < 20000; ++k) chain += "+x";
  EXPECT_THROW(parse_expression(excerpt(tower)), ModelError);
  EXPECT_NO_THROW(parse_expression(excerpt(chain)));
  EXPECT_NO_THROW(parse_expression(excerpt(std::string(150, '(') + "x" + std::string(150, ')'))));
}

}  // namespace
}  // namespace cotangent
