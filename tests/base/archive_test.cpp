#include "cotangent/base/archive.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "cotangent/base/point.hpp"

namespace cotangent {
namespace {

struct Inner {
  std::int64_t count = 0;
  std::string word;

  void state(Archive& archive) {
    archive("count", count);
    archive("word", word);
  }
};

struct Everything {
  double x = 0;
  Quad z = 0;
  Tangents d;
  Lanes lanes = Lanes(0.0);
  bool is = false;
  int k = 0;
  std::size_t size = 0;
  std::optional<double> there, absent;
  std::vector<double> numbers, none;
  std::vector<std::vector<double>> rows;
  std::vector<Inner> list;
  std::optional<Inner> inner;
  std::string text;

  void state(Archive& archive) {
    archive("x", x);
    archive("z", z);
    archive("d", d);
    archive("lanes", lanes);
    archive("is", is);
    archive("k", k);
    archive("size", size);
    archive("there", there);
    archive("absent", absent);
    archive("numbers", numbers);
    archive("none", none);
    archive("rows", rows);
    archive("list", list);
    archive("inner", inner);
    archive("text", text);
  }
};

Everything example() {
  Everything all;
  all.x = 0.1;
  all.z = 1 / static_cast<Quad>(3);
  all.d = Tangents(0.7);
  all.d.d[0] = -1e-310;  // not normalised
  all.d.d[1] = 1e300;
  for (int i = 0; i < lane_count<Lanes>; ++i) all.lanes[i] = 1.0 / (i + 1);
  all.is = true;
  all.k = -7;
  all.size = 12;
  all.there = -0.0;
  all.numbers = {1, 1e-17, std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity(),
                 0x1p-1074};
  all.rows = {{1, 2}, {}, {3}};
  all.list = {{1, "one"}, {2, "a \"quoted\" \\ word\nand a line"}};
  all.inner = Inner{3, ""};
  all.text = "{ } yes";
  return all;
}

std::string written(Everything all) {
  Archive archive;
  archive("all", all);
  return archive.text();
}

TEST(Archives, ReadWhatTheyHaveWrittenToTheBit) {
  const std::string text = written(example());
  Everything read;
  read.absent = 3;
  read.none = {1, 2};
  Archive archive(text);
  archive("all", read);
  archive.expect_end();
  EXPECT_EQ(written(read), text);
  const Everything all = example();
  EXPECT_EQ(read.x, all.x);
  EXPECT_TRUE(read.z == all.z);
  EXPECT_TRUE(read.d == all.d);
  EXPECT_TRUE(std::signbit(*read.there));
  EXPECT_FALSE(read.absent);
  EXPECT_EQ(read.numbers, all.numbers);
  EXPECT_TRUE(read.none.empty());
  EXPECT_EQ(read.rows, all.rows);
  EXPECT_EQ(read.list[1].word, all.list[1].word);
  EXPECT_EQ(read.text, all.text);
}

TEST(Archives, KeepWhatIsNoNumber) {
  double x = std::numeric_limits<double>::quiet_NaN();
  Archive archive;
  archive("x", x);
  x = 0;
  Archive again(archive.text());
  again("x", x);
  EXPECT_TRUE(std::isnan(x));
}

std::string mistake(const std::string& from, const std::string& to) {
  std::string text = written(example());
  const auto at = text.find(from);
  EXPECT_NE(at, text.npos);
  text.replace(at, from.size(), to);
  Everything read;
  Archive archive(text, 1);
  try {
    archive("all", read);
    archive.expect_end();
  } catch (const ArchiveError& error) {
    return error.what();
  }
  return "";
}

TEST(Archives, SayWhatIsWrongAndWhere) {
  EXPECT_EQ(mistake("  x ", "  u "), "line 3: 'x' is expected, not 'u'");
  EXPECT_EQ(mistake("  k -7", "  k seven"), "line 8: 'seven' is no integer");
  EXPECT_EQ(mistake("  k -7", "  k 70000000000"), "line 8: the number 70000000000 is too large");
  EXPECT_EQ(mistake("  is yes", "  is maybe"), "line 7: 'yes' or 'no' is expected, not 'maybe'");
  EXPECT_EQ(mistake("  is yes", "  is yes no"), "line 7: 'no' is not expected at the end");
  EXPECT_EQ(mistake("  x 0x", "  x 0y"), "line 3: '0y1.999999999999ap-4' is no number");
  EXPECT_EQ(mistake("numbers 5", "numbers 6"), "line 12: a value is missing");
  EXPECT_EQ(mistake("numbers 5", "numbers 500000000000"), "line 12: the size 500000000000 is larger than the file");
  EXPECT_NE(mistake("numbers 5", "numbers -1"), "");
  EXPECT_EQ(mistake("all {", "all"), "line 2: a value is missing");
  EXPECT_NE(mistake("text \"{ } yes\"\n}\n", "text \"{ } yes\"\n").find("ends too early"), std::string::npos);
  EXPECT_NE(mistake("text \"{ } yes\"\n}\n", "text \"{ } yes\"\n}\nmore\n").find("more than is expected"),
            std::string::npos);
  EXPECT_NE(mistake("\"{ } yes\"", "\"{ } yes").find("no end"), std::string::npos);
}

// With everything that a method needs to go on from there.
TEST(Archives, KeepPointsWithTheirMemory) {
  Point<double> z(2);
  z.change().q = {1, 2};
  z.change().q_low = {1e-20, 0};
  z.change().t = 0.1;
  z.trajectory() = {.numbers = {0.5}, .counts = {7}};
  z.own() = {.q = {3},
             .p = {4},
             .q_low = {0},
             .p_low = {0},
             .is_current = true,
             .owner = 77,
             .steps = 5,
             .chart = {0, -1},
             .quality = 0.25};
  z.remember(~std::uint64_t{0}) = {
      .owner = ~std::uint64_t{0}, .depth = 2, .h = 0.1, .h_before = 0.2, .numbers = {{1, 2, 3}, {}, {0.1}}};
  Archive archive;
  archive("point", z);
  Point<double> read;
  Archive again(archive.text());
  again("point", read);
  again.expect_end();
  EXPECT_EQ(read->q_low, z->q_low);
  EXPECT_EQ(read->t, z->t);
  EXPECT_EQ(read.own().chart, z.own().chart);
  EXPECT_EQ(read.memory(~std::uint64_t{0}).numbers, z.memory(~std::uint64_t{0}).numbers);
  Archive twice;
  twice("point", read);
  EXPECT_EQ(twice.text(), archive.text());
}

// What is known of a point is forgotten when it is changed; what belongs to its trajectory is not.
TEST(Points, ForgetWhatWasKnownWhenTheyAreChanged) {
  Point<double> z(1);
  z.trajectory().counts = {7};
  z.own().is_current = true;
  z.own().steps = 3;
  z.remember(1).depth = 2;
  z.adjust().t = 1;
  EXPECT_EQ(z.memory(1).depth, 2);
  EXPECT_EQ(z.memory(2).depth, 0) << "of another method nothing is known";
  z.change().q[0] = 1;
  EXPECT_EQ(z.memory(1).depth, 0);
  EXPECT_FALSE(z.own().is_current);
  EXPECT_EQ(z.own().steps, 3);
  EXPECT_EQ(z.trajectory().counts, std::vector<std::int64_t>{7});
}

}  // namespace
}  // namespace cotangent
