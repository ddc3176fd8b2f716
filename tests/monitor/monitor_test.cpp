#include "cotangent/monitor/monitor.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <string>

#include "cotangent/elements/extract.hpp"
#include "cotangent/model/reader.hpp"
#include "cotangent/monitor/registry.hpp"
#include "tests/support/unit_pendulum.hpp"

namespace cotangent {
namespace {

const std::string kPendulum = test::UnitPendulum().text();

constexpr const char* kFree = R"toml(
[system]
coordinates = ["x"]
hamiltonian = "p_x^2/2"
[initial]
x = 1
p_x = 0
)toml";

template <class T>
struct Problem {
  explicit Problem(const std::string& text)
      : elements(std::make_shared<const Elements>(extract_elements(read_model_text(text, "test.toml")))),
        system(elements, Backend::interpreter),
        manifold(system) {}

  std::shared_ptr<const Elements> elements;
  System<T> system;
  Manifold<T> manifold;
};

template <class T>
PhasePoint<T> point(std::vector<T> q, std::vector<T> p) {
  PhasePoint<T> z(static_cast<std::int64_t>(q.size()));
  z.q = std::move(q);
  z.p = std::move(p);
  return z;
}

template <class T>
class Monitors : public testing::Test {};
using Types = testing::Types<double, Quad, Lanes>;
TYPED_TEST_SUITE(Monitors, Types);

TYPED_TEST(Monitors, MeasureWhatTheirDescriptionsSay) {
  using T = TypeParam;
  Problem<T> problem(kPendulum);
  MonitorSet<T> set({"momentum", "energy", "position"}, problem.manifold);
  ASSERT_EQ(set.list().size(), 3u);
  EXPECT_EQ(set.list()[0]->name(), "energy");  // in the order of the registry

  set.start(point<T>({T(1), T(0)}, {T(0), T(0)}));
  for (const auto& monitor : set.list()) EXPECT_EQ(lane(monitor->current(), 0), 0);
  // H = (1 + 4)/2 + 2 = 4.5, g = 1 + 4 - 1, G H_p = 2 (1, 2)(1, -2)' = -6
  set.observe(point<T>({T(1), T(2)}, {T(1), T(-2)}));
  EXPECT_EQ(lane(set.list()[0]->current(), 0), 4.5);
  EXPECT_EQ(lane(set.list()[1]->current(), 0), 4);
  EXPECT_EQ(lane(set.list()[2]->current(), 0), 6);
  // The maximum stays when the value falls.
  set.observe(point<T>({T(0), T(-1)}, {T(1), T(0)}));
  EXPECT_EQ(lane(set.list()[0]->current(), 0), 0.5);
  EXPECT_EQ(lane(set.list()[0]->largest(), 0), 4.5);
  EXPECT_EQ(lane(set.list()[1]->current(), 0), 0);
  EXPECT_EQ(lane(set.list()[1]->largest(), 0), 4);
}

TYPED_TEST(Monitors, NoticeWhatIsNotANumberAndKeepIt) {
  using T = TypeParam;
  Problem<T> problem(kPendulum);
  MonitorSet<T> set({"energy"}, problem.manifold);
  set.start(point<T>({T(1), T(0)}, {T(0), T(0)}));
  EXPECT_TRUE(set.is_finite());
  set.observe(point<T>({T(1), T(std::numeric_limits<double>::quiet_NaN())}, {T(0), T(0)}));
  EXPECT_FALSE(set.is_finite());
  set.observe(point<T>({T(1), T(0)}, {T(0), T(0)}));
  EXPECT_TRUE(set.is_finite());
  const auto largest = lane(set.list()[0]->largest(), 0);
  EXPECT_TRUE(largest != largest);
}

TYPED_TEST(Monitors, ForgetAPointThatIsTakenBack) {
  using T = TypeParam;
  Problem<T> problem(kPendulum);
  MonitorSet<T> set({"energy"}, problem.manifold);
  set.start(point<T>({T(1), T(0)}, {T(0), T(0)}));
  set.observe(point<T>({T(1), T(2)}, {T(0), T(0)}));
  set.observe(point<T>({T(1), T(1)}, {T(0), T(0)}));
  set.observe(point<T>({T(1), T(std::numeric_limits<double>::quiet_NaN())}, {T(0), T(0)}));
  set.take_back();
  EXPECT_EQ(lane(set.list()[0]->current(), 0), 1);
  EXPECT_EQ(lane(set.list()[0]->largest(), 0), 2);
}

TEST(MonitorSet, LeavesOutWhatDoesNotApply) {
  Problem<double> problem(kFree);
  const MonitorSet<double> set({"energy", "position", "momentum"}, problem.manifold);
  ASSERT_EQ(set.list().size(), 1u);
  EXPECT_EQ(set.list()[0]->name(), "energy");
}

TEST(MonitorSet, RefusesUnknownNamesWithASuggestion) {
  try {
    static_cast<void>(find_monitor("enrgy"));
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("'energy'"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace cotangent
