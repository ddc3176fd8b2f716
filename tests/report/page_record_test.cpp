#include "cotangent/report/page_record.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "cotangent/elements/extract.hpp"
#include "cotangent/model/reader.hpp"
#include "cotangent/report/terminal_plot.hpp"

namespace cotangent {
namespace {

constexpr const char* kModel = R"toml(
[system]
coordinates = ["x", "y"]
hamiltonian = "p_x^2/2 + p_y^2/2 + x^2/2"
[initial]
x = 0
y = 0
p_x = 0
p_y = 0
[picture]
points.bob = ["2*x", "y"]
)toml";

class PageRecords : public testing::Test {
 protected:
  PageRecords()
      : model(read_model_text(kModel, "test.toml")),
        system(std::make_shared<const Elements>(extract_elements(model)), Backend::interpreter),
        manifold(system),
        monitors({"energy"}, manifold),
        z(2, 0) {
    monitors.start(z);
  }

  std::unique_ptr<PageRecord<double>> recorded(int records) {
    auto frames = std::make_unique<PictureFrames<double>>(model, stated_drawing(model), Backend::interpreter);
    auto record = std::make_unique<PageRecord<double>>(model, manifold, monitors, std::move(frames));
    for (int k = 0; k < records; ++k) {
      z.t = 0.5 * k;
      z.q = {x(k), static_cast<double>(k)};
      monitors.observe(z);
      record->record(z, monitors);
    }
    record->finish();
    return record;
  }

  // One spike that no stride hits.
  static double x(int k) { return k == 70'001 ? 9 : std::sin(0.01 * k); }

  Model model;
  System<double> system;
  Manifold<double> manifold;
  MonitorSet<double> monitors;
  PhasePoint<double> z;
};

TEST_F(PageRecords, KeepEverythingOfShortRuns) {
  const auto record = recorded(1000);
  EXPECT_EQ(record->stride(), 1);
  EXPECT_EQ(record->times().size(), 1000U);
  ASSERT_EQ(record->columns().size(), 5U);
  EXPECT_EQ(record->columns()[0].name, "x");
  EXPECT_EQ(record->columns()[0].role, "coordinate");
  EXPECT_EQ(record->columns()[4].name, "energy");
  EXPECT_EQ(record->columns()[4].role, "monitor");
  EXPECT_EQ(record->columns()[0].values[999], x(999));
  EXPECT_EQ(record->frames().size(), 2000U);
  EXPECT_EQ(record->frames()[2 * 700], static_cast<float>(2 * x(700)));
}

TEST_F(PageRecords, ThinLongRunsWithoutHidingExtrema) {
  const int count = 150'000;
  const auto record = recorded(count);
  const auto stride = static_cast<int>(record->stride());
  EXPECT_EQ(stride, 16);
  EXPECT_EQ(record->records(), count);
  const auto& times = record->times();
  ASSERT_LE(times.size(), 16385U);
  ASSERT_EQ(record->frames().size(), 2 * times.size());
  for (std::size_t k = 0; k + 1 < times.size(); ++k) {
    const int of = static_cast<int>(k) * stride;
    ASSERT_EQ(times[k], 0.5 * of);
    ASSERT_EQ(record->columns()[0].values[k], x(of));
    ASSERT_EQ(record->frames()[2 * k + 1], static_cast<float>(of));
  }
  EXPECT_EQ(times.back(), 0.5 * (count - 1));  // the last one is always there
  const auto& values = record->columns()[0].values;
  EXPECT_LT(*std::max_element(values.begin(), values.end()), 1.001);
  EXPECT_EQ(record->columns()[0].extrema.largest(), 9);
}

TEST_F(PageRecords, AreDrawnOnTerminals) {
  const std::string text = terminal_plot(*recorded(3000), 60, false);
  EXPECT_NE(text.find("energy |H - H(0)|"), text.npos);
  EXPECT_NE(text.find("1e+00"), text.npos);  // H is 1/2 at most
  EXPECT_NE(text.find("t = 1499.5"), text.npos);
  EXPECT_EQ(text.find('\x1b'), text.npos);
  EXPECT_NE(terminal_plot(*recorded(3000), 60, true).find("\x1b[36m"), text.npos);
  std::size_t longest = 0, length = 0;
  for (const char c : text) {
    if ((c & 0xc0) != 0x80) ++length;  // characters, not bytes
    if (c == '\n') longest = std::max(longest, length - 1), length = 0;
  }
  EXPECT_LE(longest, 60U);
}

}  // namespace
}  // namespace cotangent
