#include "cotangent/base/wording.hpp"

#include <gtest/gtest.h>

namespace cotangent {
namespace {

TEST(Wording, TextsForTerminalsHaveNoControlCharacters) {
  EXPECT_EQ(printable("a \x1b[31mred\x07\x7f title\r\n"), "a  [31mred   title  ");
  EXPECT_EQ(printable("a\tb\nc\x1b", "\t\n"), "a\tb\nc ");
  EXPECT_EQ(printable("U+0085 is \xc2\x85."), "U+0085 is  .");
  EXPECT_EQ(printable("a\xe2\x80\xae b\xe2\x81\xa6\xd8\x9c"), "a  b  ") << "directions of texts";
  EXPECT_EQ(printable("Hénon–Heiles, 10°, \xc2\xa0, \xf0\x9f\x99\x82"), "Hénon–Heiles, 10°, \xc2\xa0, \xf0\x9f\x99\x82")
      << "other characters stay";
  EXPECT_EQ(printable("\xc2, \xff\xe2\x82."), "?, ???.") << "bytes that are no characters";
}

TEST(Wording, CountsAreWords) {
  EXPECT_EQ(plural(1, "constraint"), "1 constraint");
  EXPECT_EQ(plural(2, "index"), "2 indices");
  EXPECT_EQ(times(1), "once");
  EXPECT_EQ(times(3), "3 times");
}

}  // namespace
}  // namespace cotangent
