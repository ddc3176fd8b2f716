#include "cotangent/report/drawing.hpp"

#include <gtest/gtest.h>

#include "cotangent/elements/extract.hpp"
#include "cotangent/expr/algorithm.hpp"
#include "cotangent/manifold/initial_data.hpp"
#include "cotangent/model/reader.hpp"

namespace cotangent {
namespace {

using Paths = Drawing::Paths;

std::optional<Drawing> derived(const std::string& text) {
  const Model model = read_model_text(text, "test.toml");
  System<double> system(std::make_shared<const Elements>(extract_elements(branch(model))), Backend::interpreter);
  Manifold<double> manifold(system);
  return derived_drawing(branch(model), manifold, make_initial_data(model, manifold, InitialPolicy::project).z);
}

std::vector<std::string> components(const NamedValues& values) {
  std::vector<std::string> texts;
  for (const Expr& e : values.components) texts.push_back(to_string(e));
  return texts;
}

TEST(Drawings, AreDerivedFromNamesAndConstraints) {
  const auto drawing = derived(R"toml(
[system]
coordinates = ["x1", "y1", "x2", "y2"]
hamiltonian = "p_x1^2 + p_y1^2 + p_x2^2 + p_y2^2"
[constraints]
first = "3*((x1 - 2)^2 + (y1 + 1)^2 - 1) = 0"
second = "sqrt((x2 - x1)^2 + (y2 - y1)^2) = 1"
[initial]
x1 = 3
y1 = -1
x2 = 4
y2 = -1
p_x1 = 0
p_y1 = 0
p_x2 = 0
p_y2 = 0
)toml");
  ASSERT_TRUE(drawing);
  EXPECT_FALSE(drawing->is_stated);
  ASSERT_EQ(drawing->picture.points.size(), 3U);
  EXPECT_EQ(components(drawing->picture.points[1]), (std::vector<std::string>{"x2", "y2"}));
  const auto& pivot = drawing->picture.points[2].components;
  EXPECT_NEAR(static_cast<double>(pivot[0].value()), 2, 1e-12);
  EXPECT_NEAR(static_cast<double>(pivot[1].value()), -1, 1e-12);
  EXPECT_EQ(drawing->rods, (Paths{{2, 0}, {0, 1}}));
  EXPECT_EQ(drawing->trails, (Paths{{1}}));
  EXPECT_EQ(drawing->numbers, 6);
}

TEST(Drawings, NumberFamiliesAsTheirValuesAre) {
  const auto drawing = derived(R"toml(
[system]
coordinates = ["r[2,3,2]"]
hamiltonian = "sum(i in 1..2, a in 1..3, norm2(p_r[i,a]))"
[constraints]
bond = { each = "i in 1..2, a in 2..3", equation = "norm2(r[i,a] - r[i,1]) = 1" }
[initial]
r = "if(k == 1, if(j == 1, 0, 1), 5*i + if(j == 2, 0, 0.1))"
p_r = 0
)toml");
  ASSERT_TRUE(drawing);
  EXPECT_EQ(drawing->point_count, 6);
  EXPECT_EQ(drawing->rods, (Paths{{0, 1}, {0, 2}, {3, 4}, {3, 5}}));
}

// An ellipse is no circle, a line no rod, and an angle no point.
TEST(Drawings, ShowNoRodsThatAreNone) {
  const auto drawing = derived(R"toml(
[system]
coordinates = ["x", "y", "z", "phi"]
hamiltonian = "p_x^2 + p_y^2 + p_z^2 + p_phi^2"
[constraints]
surface = "x^2 + 2*y^2 + z^2 = 1"
turn = "z = phi"
[initial]
x = 1
y = 0
z = 0
phi = 0
p_x = 0
p_y = 0
p_z = 0
p_phi = 0
)toml");
  ASSERT_TRUE(drawing);
  EXPECT_EQ(drawing->picture.dimension, 3);
  EXPECT_TRUE(drawing->rods.empty());
  EXPECT_FALSE(
      derived("[system]\ncoordinates = [\"phi\"]\nhamiltonian = \"p_phi^2\"\n[initial]\nphi = 0\np_phi = 0\n"));
}

TEST(Drawings, OfModelsHaveTheirPathsWrittenOut) {
  const Model model = read_model_text(R"toml(
[parameters]
N = 3
[system]
coordinates = ["x[N]", "y[N]"]
hamiltonian = "sum(i in 1..N, p_x[i]^2 + p_y[i]^2)"
[initial]
x = 0
y = 0
p_x = 0
p_y = 0
[picture]
points = { pivot = [0, 0], mass = { each = "i in 1..N", at = ["x[i]", "y[i]"] } }
bodies.box = { each = "i in 1..2", at = ["x[i]", "y[i]"], angle = "x[i]", box = [1, 2] }
rods = [["pivot", "mass", "pivot"], { each = "i in 2..N, j in 1..i-1", path = ["mass[i]", "mass[j]"] }]
trails = ["mass"]
)toml",
                                      "test.toml");
  const Drawing drawing = stated_drawing(model);
  EXPECT_EQ(drawing.rods, (Paths{{0, 1, 2, 3, 0}, {2, 1}, {3, 1}, {3, 2}}));
  EXPECT_EQ(drawing.trails, (Paths{{1, 2, 3}}));
  EXPECT_EQ(drawing.point_count, 4);
  EXPECT_EQ(drawing.numbers, 8 + 2 * 6);
}

}  // namespace
}  // namespace cotangent
