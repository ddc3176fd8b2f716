#include "cotangent/model/source/source.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "cotangent/base/suggest.hpp"
#include "cotangent/model/source/excerpt.hpp"

namespace cotangent {
namespace {

std::shared_ptr<const SourceText> source(std::string text) {
  return std::make_shared<const SourceText>("models/p.toml", std::move(text));
}

TEST(SourceText, CountsLinesAndCharactersFromOne) {
  const auto s = source("ab\n\xC3\xA9x\r\ny");
  EXPECT_EQ(s->position(0).line, 1U);
  EXPECT_EQ(s->position(1).column, 2U);
  EXPECT_EQ(s->position(5).line, 2U);
  EXPECT_EQ(s->position(5).column, 2U);  // the letter before it has two bytes
  EXPECT_EQ(s->position(8).line, 3U);
  EXPECT_EQ(s->line(2), "\xC3\xA9x");
  EXPECT_EQ(s->position(1000).line, 3U);
}

TEST(SourceText, OffsetIsTheInverseOfPosition) {
  const auto s = source("\xEF\xBB\xBFtitle\n\n\xC3\xA9\xC3\xA9 = 1\nend");
  for (const std::size_t offset : {0U, 4U, 5U, 6U, 7U, 9U, 11U, 16U, 17U})
    EXPECT_EQ(s->offset(s->position(offset)), offset);
}

TEST(ModelError, ReadsLikeTheMessageOfACompiler) {
  std::string text = "# 1\n# 2\n# 3\n# 4\n# 5\n# 6\n# 7\n# 8\nhamiltonian = \"(p_x^2 + p_z^2)/(2*m) + m*g*y\"\n";
  const std::size_t at = text.find("p_z");
  const ModelError error({source(text), {at, at + 3}}, "unknown name 'p_z'", "did you mean 'p_y'?");
  EXPECT_STREQ(error.what(),
               "models/p.toml:9:25: error: unknown name 'p_z'\n"
               "  9 | hamiltonian = \"(p_x^2 + p_z^2)/(2*m) + m*g*y\"\n"
               "    |                         ^~~\n"
               "did you mean 'p_y'?");
  EXPECT_EQ(error.line(), 9U);
  EXPECT_EQ(error.column(), 25U);
  EXPECT_EQ(error.length(), 3U);
}

TEST(ModelError, KeepsTabsUnderTabsAndStopsAtTheEndOfTheLine) {
  const ModelError error({source("\tab\ncd"), {2, 6}}, "wrong");
  EXPECT_STREQ(error.what(), "models/p.toml:1:3: error: wrong\n  1 | \tab\n    | \t ^");
}

TEST(ModelError, QuotesAWindowOfALongLine) {
  const std::string text = std::string(5000, 'a').append("B").append(5000, 'c');
  const std::string what = ModelError({source(text), {5000, 5001}}, "wrong").what();
  EXPECT_LT(what.size(), 600U);
  EXPECT_NE(what.find("aB"), std::string::npos);
  const auto mark = what.find('^'), line = what.rfind('\n', mark), letter = what.find('B');
  EXPECT_EQ(mark - line, letter - what.rfind('\n', letter));
}

struct StringCase {
  std::string token;
  std::string text;
  char wanted;         // a character of the text
  std::size_t offset;  // where it stands in the token
};

TEST(Excerpt, MapsEveryKindOfTomlStringToItsPlace) {
  const std::vector<StringCase> cases{
      {R"("a + b")", "a + b", 'b', 5},
      {R"('a + b')", "a + b", 'b', 5},
      {R"("a\tb")", "a\tb", 'b', 4},
      {R"("\u00e9b")",
       "\xC3\xA9"
       "b",
       'b', 7},
      {R"("\U0001F600b")",
       "\xF0\x9F\x98\x80"
       "b",
       'b', 11},
      {R"("\"b\\")", "\"b\\", 'b', 3},
      {R"('\b')", "\\b", 'b', 2},
      {"\"\"\"\na\nb\"\"\"", "a\nb", 'b', 6},
      {"\"\"\"\r\na\r\nb\"\"\"", "a\nb", 'b', 8},
      {"\"\"\"a \\\n   b\"\"\"", "a b", 'b', 10},
      {"\"\"\"a \\  \n\n   b\"\"\"", "a b", 'b', 13},
      {"\"\"\"a\"\"b\"\"\"", "a\"\"b", 'b', 6},
      {"\"\"\"ab\"\"\"\"\"", "ab\"\"", 'b', 4},
      {"'''\n\\a\nb'''", "\\a\nb", 'b', 7},
      {"'''a'b'''", "a'b", 'b', 5},
      {"''", "", '\0', 0},
  };
  for (const auto& c : cases) {
    const auto excerpt = Excerpt::quoted(source("s = " + c.token + " # comment"), 4);
    EXPECT_EQ(excerpt.text(), c.text) << c.token;
    if (c.wanted == '\0') continue;
    const auto at = excerpt.text().find(c.wanted);
    const auto where = excerpt.locate({at, at + 1});
    EXPECT_EQ(where.span.begin, 4 + c.offset) << c.token;
    EXPECT_EQ(where.span.length(), 1U) << c.token;
  }
}

TEST(Suggestion, FindsTheNearestNameAndNothingFarAway) {
  const std::vector<std::string> names{"p_x", "p_y", "length", "hamiltonian", "x", "N"};
  EXPECT_EQ(closest_name("p_z", names), "p_y");
  EXPECT_EQ(closest_name("lenght", names), "length");
  EXPECT_EQ(closest_name("hamiltonain", names), "hamiltonian");
  EXPECT_EQ(closest_name("LENGTH", names), "length");
  EXPECT_EQ(closest_name("q", names), "");
  EXPECT_EQ(closest_name("temperature", names), "");
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3);
  EXPECT_EQ(edit_distance("ab", "ba"), 1);
}

}  // namespace
}  // namespace cotangent
