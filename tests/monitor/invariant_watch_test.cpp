#include "cotangent/monitor/watch/invariant_watch.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "cotangent/elements/extract.hpp"
#include "cotangent/model/reader.hpp"

namespace cotangent {
namespace {

/// On a circle, under a weight that acts where x < 0 only.
std::vector<ChangingInvariant> changing(const std::string& invariant, double angle_end, double off = 0) {
  const Model model = read_model_text(fmt::format(R"toml(
[system]
coordinates = ["x", "y"]
hamiltonian = "(p_x^2 + p_y^2)/2 + if(x < 0, y, 0)"
[constraints]
circle = "x^2 + y^2 = 1"
[invariants]
I = "{}"
[initial]
x = 1
y = 0
p_x = 0
p_y = 1
)toml",
                                                  invariant),
                                      "test.toml");
  InvariantWatch<double> watch(std::make_unique<System<double>>(
      std::make_shared<const Elements>(extract_elements(model)), Backend::interpreter));
  PhasePoint<double> z(2);
  for (double a = 0; a <= angle_end; a += 0.1) {
    z.q = {(1 + off) * std::cos(a), (1 + off) * std::sin(a)};
    z.p = {-std::sin(a), std::cos(a)};
    z.t = a;
    a == 0 ? watch.start(z, 0.1) : watch.observe(z);
  }
  return watch.found();
}

TEST(InvariantWatch, SeesWhereTheEquationsChangeIt) {
  const std::string L = "x*p_y - y*p_x";
  EXPECT_TRUE(changing(L, 1.5).empty());
  const auto found = changing(L, 2);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].name, "I");
  EXPECT_NEAR(found[0].time, 1.6, 1e-12) << "the first point with x < 0";
  EXPECT_NEAR(found[0].rate, -std::cos(1.6), 1e-12);  // the torque -x of the weight
  EXPECT_TRUE(changing("x^2 + y^2", 3).empty());
  EXPECT_TRUE(changing("(v_x^2 + v_y^2)/2 + if(x < 0, y, 0)", 3).empty()) << "by velocities";
  EXPECT_FALSE(changing("x*v_y - y*v_x + 1e-6*t", 1.5).empty()) << "by the time";
}

TEST(InvariantWatch, LooksAtPointsOffTheConstraintsOnThem) {
  // Not kept off the circle: r' = 0 is, but this depends on where the weightless motion has led.
  const std::string radial = "x*p_x + y*p_y";
  EXPECT_TRUE(changing(radial, 1.5).empty());
  EXPECT_TRUE(changing(radial, 1.5, 1e-4).empty());
}

}  // namespace
}  // namespace cotangent
