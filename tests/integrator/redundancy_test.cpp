#include "cotangent/manifold/redundancy.hpp"

#include <gtest/gtest.h>

#include "tests/integrator/method_contract.hpp"

// Constraints that follow from others on the manifold, but off it are independent by the size of residuals.

namespace cotangent {
namespace {

using test::is_ok;
using test::MethodRunner;
using test::Problem;

const Problem kTwice{.name = "twice", .text = R"toml(
[system]
coordinates = ["x", "y"]
hamiltonian = "(p_x^2 + p_y^2)/2 + y"
[constraints]
rod = "x^2 + y^2 = 1"
again = "(1 + x/2)*(x^2 + y^2 - 1) = 0"
[initial]
x = 1
y = 0
p_x = 0
p_y = 0
)toml"};

// Dependent in its flat position only.
const Problem kFlat{.name = "flat", .text = R"toml(
[system]
coordinates = ["x", "y", "u", "w"]
hamiltonian = "(p_x^2 + p_y^2 + p_u^2 + p_w^2)/2 + y + 2*w"
[constraints]
left = "x^2 + y^2 = 1"
coupler = "(x - u)^2 + (y - w)^2 = 4"
right = "(u - 2)^2 + w^2 = 1"
[initial]
x = 1
y = 0
u = 3
w = 0
p_x = 0
p_y = 0.5
p_u = 0
p_w = 0.5
)toml"};

TEST(Redundancy, CountsWhatFollowsFromOthersEverywhere) {
  for (const auto& [problem, count] : {std::pair(kTwice, 1U), {kFlat, 0U}, {test::problem("double_pendulum"), 0U}}) {
    test::Instance<double> instance(problem);
    const auto z = test::converted<double>(test::given_point(instance.model));
    settle_redundancy(instance.manifold, z);
    EXPECT_EQ(instance.manifold.matrix().nullity(), count) << problem.name;
  }
}

// Swings of a pendulum, as if the second constraint were not there.
TEST(Redundancy, DoesNotChangeTheMotion) {
  const Problem once{.name = "once", .text = [] {
                       std::string text = kTwice.text;
                       const auto begin = text.find("again");
                       return text.erase(begin, text.find('\n', begin) + 1 - begin);
                     }()};
  for (const auto& [method, formulation] : {std::pair("rattle", "direct"),
                                            {"rk4", "standard"},
                                            {"rk4", "lagrange-1"},
                                            {"gauss:2", "dirac"},
                                            {"gauss:2", "total"},
                                            {"gauss:2", "impetus"},
                                            {"lobatto:3", "direct"}}) {
    MethodRunner<double> twice(method, kTwice, Backend::interpreter, formulation),
        single(method, once, Backend::interpreter, formulation);
    auto a = test::converted<double>(test::given_point(twice.instance.model)), b = a;
    settle_redundancy(twice.instance.manifold, a);
    for (int k = 0; k < 400; ++k) {
      ASSERT_TRUE(is_ok(twice.step(a, 0.01))) << method << " on " << formulation << ", step " << k;
      ASSERT_TRUE(is_ok(single.step(b, 0.01)));
    }
    // Off the manifold, by errors of the method, the two are different fields.
    EXPECT_LE(test::distance(a, b), 2e-7) << method << " on " << formulation;
  }
}

}  // namespace
}  // namespace cotangent
