#include "cotangent/monitor/watch/jump_watch.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "cotangent/elements/extract.hpp"
#include "cotangent/model/reader.hpp"

namespace cotangent {
namespace {

/// A run along x = -1, -0.9, ... with p_x = 1 and y = 0 of a system with this potential and further tables.
template <class T>
std::vector<Jump> jumps(const std::string& potential, const std::string& tables = "") {
  const Model model = read_model_text(fmt::format(R"toml(
[parameters]
N = 3
[system]
coordinates = ["x", "y"]
hamiltonian = "(p_x^2 + p_y^2)/2 + {}"
{}
[initial]
x = -1
y = 0
p_x = 1
p_y = 0
)toml",
                                                  potential, tables),
                                      "test.toml");
  const Elements elements = extract_elements(model);
  const auto watch = JumpWatch<T>::make(model, elements, Backend::interpreter);
  if (!watch) return {};
  const System<T> system(std::make_shared<const Elements>(elements), Backend::interpreter);
  PhasePoint<T> z(2, system.state_count());
  z.q = {T(-1), T(0)};
  z.p = {T(1), T(0)};
  watch->start(z, 0);
  for (int k = 1; k <= 20; ++k) {
    PhasePoint<T> next = z;
    next.q[0] = T(-1) + T(k) / T(10);
    next.t = T(k) / T(10);
    watch->follow({z, next, T(1) / T(10)});
    z = next;
  }
  return watch->jumps();
}

template <class T>
class JumpWatches : public testing::Test {};
using Types = testing::Types<double, Quad>;
TYPED_TEST_SUITE(JumpWatches, Types);

TYPED_TEST(JumpWatches, TellTimeAndExpression) {
  const auto wall = jumps<TypeParam>("if(x > 0.25, 1, 0)");
  ASSERT_EQ(wall.size(), 1u);
  EXPECT_NEAR(wall[0].time, 1.25, 1e-14);
  EXPECT_TRUE(wall[0].is_of_energy);
  EXPECT_NE(wall[0].text.find("the Hamiltonian jumps at t = 1.25, at '0.25 < x'"), std::string::npos) << wall[0].text;

  const auto kink = jumps<TypeParam>("abs(x - 0.25)");
  ASSERT_EQ(kink.size(), 1u);
  EXPECT_TRUE(kink[0].is_of_gradient && !kink[0].is_of_energy);
  EXPECT_NE(kink[0].text.find("the gradient of the Hamiltonian jumps"), std::string::npos) << kink[0].text;

  const auto force = jumps<TypeParam>("0", "[forces]\ny = \"-sign(x - 0.25)\"");
  ASSERT_EQ(force.size(), 1u);
  EXPECT_FALSE(force[0].is_of_energy || force[0].is_of_gradient);
  EXPECT_NE(force[0].text.find("the force on 'y' jumps"), std::string::npos) << force[0].text;
}

TYPED_TEST(JumpWatches, AreSilentWhereNothingJumps) {
  for (const char* smooth : {"x^2", "abs(x)^3", "max(x - 0.25, 0)^2", "if(x > 0.25, (x - 0.25)^2, 0)",
                             "if(x < 0, 1, 0) + if(x >= 0, 1, 0)", "1e6 + abs(x)^3", "if(x > 5, 1, 0)"})
    EXPECT_TRUE(jumps<TypeParam>(smooth).empty()) << smooth;
  // Of a force the value counts, not the slope.
  EXPECT_TRUE(jumps<TypeParam>("0", "[forces]\ny = \"max(x, 0)\"").empty());
  EXPECT_FALSE(jumps<TypeParam>("max(x, 0)").empty());
}

TYPED_TEST(JumpWatches, LookAtEveryPlaceOfAStep) {
  // Both in one step, and only the second one matters.
  const auto second = jumps<TypeParam>("abs(x - 0.22)^3 + if(x > 0.27, 1, 0)");
  ASSERT_EQ(second.size(), 1u);
  EXPECT_NEAR(second[0].time, 1.27, 1e-14);
}

TYPED_TEST(JumpWatches, NameTheInstanceOfAFamily) {
  const auto found = jumps<TypeParam>("sum(i in 1..N, if(x > i/10 - 0.05, 1, 0))");
  ASSERT_EQ(found.size(), 1u) << "the first of them";
  EXPECT_NE(found[0].text.find("0.05 < x"), std::string::npos) << found[0].text;
}

}  // namespace
}  // namespace cotangent
