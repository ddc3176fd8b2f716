#include <gtest/gtest.h>

#include "mistakes.hpp"
#include "support.hpp"

namespace cotangent {
namespace {

const std::string kModel = R"toml([parameters]
N = 4
size = 0.1
pairs = [[1,3], [2,4]]
[system]
coordinates = ["x[N]", "y[N]", "q[4]"]
hamiltonian = "sum(i in 1..N, p_x[i]^2 + p_y[i]^2) + norm2(p_q)"
[definitions]
"middle(i)" = "[(x[i] + x[i+1])/2, (y[i] + y[i+1])/2]"
[initial]
x = 0
y = 0
q = 0
p_x = 0
p_y = 0
p_q = 0
[picture]
points.pivot = [0, 0]
points.x = { each = "i in 1..N", at = ["x[i]", "y[i]"], size = "2*size", colour = 3 }
points.half = { each = "i in 1..N-1", at = "middle(i)" }
rods = [["pivot", "x"], { each = "i in 2..N", path = ["x[i-1]", "x[i]"] }]
lines = ["x", { each = "(a, b) in pairs", path = ["x[a]", "x[b]"] }]
trails = ["half[2]"]
speed = 0.5
[run]
step = 0.1
)toml";

const std::string kSpace = R"toml([system]
coordinates = ["q[4]", "a"]
hamiltonian = "norm2(p_q) + p_a^2"
[initial]
q = [1, 0, 0, 0]
a = 0
p_q = 0
p_a = 0
[picture]
bodies.top = { at = [1, 2, 3], quaternion = "q", box = [1, 2, 3] }
up = "y"
view = [10, 20]
)toml";

double number(const Model& model, const Picture::Reference& reference, double index = 0) {
  return evaluate<double>(reference.first, [&](SymbolId symbol, std::span<const std::int64_t> at) {
    for (const auto& parameter : model.parameters)
      if (parameter.symbol == symbol)
        return static_cast<double>(parameter.table.at(static_cast<std::size_t>(at[0] - 1 + 2 * (at[1] - 1))));
    return index;
  });
}

TEST(Picture, HasPointsThatAreNumberedInTheirOrder) {
  const Model model = read(kModel);
  ASSERT_TRUE(model.picture);
  const Picture& picture = *model.picture;
  EXPECT_EQ(picture.dimension, 2);
  ASSERT_EQ(picture.points.size(), 3U);
  EXPECT_EQ(picture.points[1].name, "x");  // a name of its own, though a coordinate has it, too
  EXPECT_EQ(picture.points[1].size, 0.2);
  EXPECT_EQ(picture.points[1].colour, 3);
  EXPECT_FALSE(picture.points[2].size);
  EXPECT_EQ(picture.speed, 0.5);

  ASSERT_EQ(picture.rods.size(), 2U);
  const auto& whole = picture.rods[0].points;
  EXPECT_EQ(number(model, whole[0]), 0);
  EXPECT_EQ(whole[0].count, 1);
  EXPECT_EQ(number(model, whole[1]), 1);
  EXPECT_EQ(whole[1].count, 4);
  const auto& each = picture.rods[1].points;
  EXPECT_EQ(number(model, each[0], 3), 2);  // x[2] is point 2, behind the pivot
  EXPECT_EQ(number(model, each[1], 3), 3);
  const auto& listed = picture.lines[1].points;
  EXPECT_EQ(number(model, listed[0], 2), 2);  // the second pair is [2, 4]
  EXPECT_EQ(number(model, listed[1], 2), 4);
  EXPECT_EQ(number(model, picture.trails[0].points[0]), 6);
}

TEST(Picture, TurnsBodiesByUnitQuaternions) {
  const Model model = read(kSpace);
  const auto& body = model.picture->bodies.at(0);
  EXPECT_EQ(body.box, (std::vector<double>{1, 2, 3}));
  ASSERT_EQ(body.components.size(), 12U);
  EXPECT_EQ(model.picture->up, "y");
  EXPECT_EQ(model.picture->azimuth, 10);
  EXPECT_EQ(model.picture->elevation, 20);
  // A turn by the angle 2 atan(|r|/w) about r = (1, 2, 2): R r = r, and R R' = 1.
  const double w = 4 / 5., r[] = {1 / 5., 2 / 5., 2 / 5.};
  const auto at = [&](std::size_t k) {
    return evaluate<double>(body.components[k],
                            [&](SymbolId, std::span<const std::int64_t> i) { return i[0] == 1 ? w : r[i[0] - 2]; });
  };
  for (std::size_t c = 0; c < 3; ++c) EXPECT_NEAR(r[0] * at(3 + c) + r[1] * at(6 + c) + r[2] * at(9 + c), r[c], 1e-15);
  for (std::size_t a = 0; a < 3; ++a)
    for (std::size_t b = 0; b < 3; ++b) {
      double product = 0;
      for (std::size_t c = 0; c < 3; ++c) product += at(3 + 3 * a + c) * at(3 + 3 * b + c);
      EXPECT_NEAR(product, a == b ? 1 : 0, 1e-15);
    }
  // The vector (0, 0, 1) turns by v + 2 w (r x v) + 2 r x (r x v).
  const double expected[] = {2 * w * r[1] + 2 * r[0] * r[2], -2 * w * r[0] + 2 * r[1] * r[2],
                             1 - 2 * (r[0] * r[0] + r[1] * r[1])};
  for (std::size_t c = 0; c < 3; ++c) EXPECT_NEAR(at(9 + c), expected[c], 1e-15);
}

TEST(Picture, IsPartOfABranch) {
  const Model model = read(kModel), copy = branch(model);
  EXPECT_EQ(to_string(copy.picture->points[1].components[0]), "x[i]");
  copy.graph->declare("more", SymbolKind::index);
  EXPECT_EQ(copy.picture->rods[1].points[0].first, copy.graph->own(model.picture->rods[1].points[0].first));
}

TEST(Picture, MistakesAreReportedWhereTheyAre) {
  expect_reported(kModel,
                  {
                      {"rods =", "rod =", 21, 1, "unknown key 'rod'", "'rods'"},
                      {"at = \"middle(i)\"", "att = \"middle(i)\"", 20, 39, "unknown key 'att'", "'at'"},
                      {"[0, 0]", "[0, 0, 0, 0]", 18, 16, "has 2 or 3 components, not 4", ""},
                      {"[0, 0]", "[0, 0, 0]", 19, 39, "this has 2 components, and what stands before it 3", "plane"},
                      {"[0, 0]", "\"x[1]\"", 18, 17, "is a number, not a vector", ""},
                      {"\"2*size\"", "0", 19, 64, "must be positive", ""},
                      {"colour = 3", "colour = 9", 19, 83, "from 1 to 6", ""},
                      {"[\"pivot\", \"x\"]", "[\"pivto\", \"x\"]", 21, 11, "there is no point 'pivto'", "'pivot'"},
                      {"[\"pivot\", \"x\"]", "[\"pivot\", \"x[5]\"]", 21, 22, "outside 1..4", ""},
                      {"[\"pivot\", \"x\"]", "[\"pivot\"]", 21, 9, "leads from one point to another", ""},
                      {"\"x[i-1]\"", "\"x[i-2]\"", 21, 58, "outside 1..4 (at i = 2)", ""},
                      {"speed = 0.5", "speed = -1", 24, 9, "must be positive", ""},
                      {"speed = 0.5", "up = \"w\"", 24, 7, "axes", ""},
                      {"trails = [\"half[2]\"]", "trails = [\"2*half\"]", 23, 12, "there is no point", ""},
                  });
  expect_reported(kSpace, {
                              {"quaternion = \"q\"", "quaternion = \"q\", angle = \"a\"", 10, 8, "turned twice", ""},
                              {"quaternion = \"q\"", "angle = \"a\"", 10, 32, "in the plane", ""},
                              {"quaternion = \"q\"", "quaternion = [1, 0, 0]", 10, 45, "4 components", ""},
                              {"quaternion = \"q\", box = [1, 2, 3]", "quaternion = \"q\"", 10, 8, "has no 'box'", ""},
                              {"box = [1, 2, 3]", "box = [1, 2]", 10, 56, "a list of 3 lengths", ""},
                              {"bodies.top = { at = [1, 2, 3], quaternion = \"q\", box = [1, 2, 3] }", "", 9, 1,
                               "shows nothing", ""},
                          });
}

}  // namespace
}  // namespace cotangent
