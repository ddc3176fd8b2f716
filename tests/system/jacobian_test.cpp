#include "cotangent/system/matrix/jacobian.hpp"

#include <gtest/gtest.h>

#include "tests/support/instance.hpp"
#include "tests/support/jet.hpp"

namespace cotangent {
namespace {

using test::Instance;
using test::Problem;

class JacobianOf : public testing::TestWithParam<Problem> {};

TEST_P(JacobianOf, AddsUpToG) {
  Instance<Quad> instance(GetParam());
  const auto z = test::noisy_point(instance.model, 3, 0.2);
  Jacobian<Quad> jacobian(instance.system);
  std::vector<Quad> values(jacobian.entries().size(), 1e30);  // every value has to be written
  jacobian.evaluate(z.q.data(), 0, values.data());

  auto G = test::dense_G(instance.model, z.q);
  for (std::size_t e = 0; e < values.size(); ++e) {
    const auto [row, column] = jacobian.entries()[e];
    G[static_cast<std::size_t>(row)][static_cast<std::size_t>(column)] -= values[e];
  }
  for (const auto& row : G)
    for (const Quad& rest : row) EXPECT_LE(static_cast<double>(abs(rest)), 1e-28);
}

INSTANTIATE_TEST_SUITE_P(Every, JacobianOf, testing::ValuesIn(test::problems()),
                         [](const auto& each) { return each.param.name; });

// Two for the anchor and four for each rod, no more.
TEST(Jacobian, IsSparse) {
  for (const int n : {10, 1000}) {
    Instance<double> instance(test::chain(n));
    EXPECT_EQ(Jacobian<double>(instance.system).entries().size(), 4 * instance.m() - 2);
  }
}

}  // namespace
}  // namespace cotangent
