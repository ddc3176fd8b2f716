#include <gtest/gtest.h>

#include <cmath>

#include "tests/zoo/model_run.hpp"

namespace cotangent::zoo {
namespace {

class EveryModel : public testing::TestWithParam<std::string> {};

TEST_P(EveryModel, RunsWithItsOwnStepAndKeepsItsConstraints) {
  ModelRun run(GetParam());
  EXPECT_LT(run.initial_change(), 1e-13) << "[initial] is not consistent";
  const Point point = run.at(10 * static_cast<Real>(run.default_step()), 10);
  expect_on_manifold(point);
  double moved = 0;
  for (const auto& [name, value] : point.values) {
    EXPECT_TRUE(std::isfinite(value)) << name;
    moved = std::max(moved, std::abs(value - run.initial()[name]));
  }
  EXPECT_GT(moved, 0) << "nothing happens in this model";
}

INSTANTIATE_TEST_SUITE_P(Zoo, EveryModel, testing::ValuesIn(model_names()),
                         [](const auto& name) { return name.param; });

TEST(Zoo, HasModels) { EXPECT_GE(model_names().size(), 35U); }

}  // namespace
}  // namespace cotangent::zoo
