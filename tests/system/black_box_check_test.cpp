#include "cotangent/system/black_box/black_box_check.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <tuple>

#include "tests/system/black_boxes.hpp"

namespace cotangent {
namespace {

using test::Twins;

const std::vector<double> kQ{0.3, -0.8, 0.7, -1.3}, kP{0.2, 0.5, -0.4, 0.1};

BlackBoxCheck check_at(const BlackBox& box) {
  const auto first = [&](const std::vector<double>& x) { return std::vector<double>(x.begin(), x.begin() + box.n); };
  return check(box, first(kQ), first(kP), 0.4);
}

class Check : public testing::TestWithParam<Twins> {};

TEST_P(Check, PassesWhatIsCorrect) {
  const auto report = check_at(GetParam().box);
  EXPECT_TRUE(report.is_consistent()) << report;
  for (const auto& line : report.lines) EXPECT_LE(line.accuracy, 1e-8) << line.function;
  EXPECT_TRUE(check_at(test::without_second_derivatives(GetParam().box)).is_consistent());
}

INSTANTIATE_TEST_SUITE_P(Every, Check, testing::ValuesIn(test::all_twins()),
                         [](const auto& each) { return each.param.problem.name; });

/// Makes one number that a function writes a little wrong.
template <class Function>
void spoil(Function& function, std::size_t entry) {
  function = [before = function, entry](auto... arguments) {
    before(arguments...);
    std::get<sizeof...(arguments) - 1>(std::tuple(arguments...))[entry] *= 1 + 1e-6;
  };
}

struct Mistake {
  std::string name;  ///< of the line that must tell
  BlackBox box;
};

std::vector<Mistake> mistakes() {
  std::vector<Mistake> list;
  const auto add = [&](const char* name, const Twins& twins, const std::function<void(BlackBox&)>& change) {
    list.push_back({name, twins.box});
    change(list.back().box);
  };
  using C = const double*;
  add("H_q", test::metric_twins(), [](BlackBox& box) { spoil(box.H_q, 1); });
  add("H_p", test::metric_twins(), [](BlackBox& box) { spoil(box.H_p, 2); });
  add("G", test::double_pendulum_twins(), [](BlackBox& box) { spoil(box.G, 3); });
  add("H_pp_times", test::double_pendulum_twins(), [](BlackBox& box) { spoil(box.H_pp_times, 2); });
  add("H_p_along", test::metric_twins(), [](BlackBox& box) { spoil(box.H_p_along, 1); });
  add("H_q_along", test::metric_twins(), [](BlackBox& box) { spoil(box.H_q_along, 0); });
  add("g_second", test::double_pendulum_twins(), [](BlackBox& box) { spoil(box.g_second, 1); });
  add("H_t", test::moving_twins(),
      [](BlackBox& box) { box.H_t = [f = box.H_t](C q, C p, double t) { return f(q, p, t) * 1.000001; }; });
  add("H_pt", test::moving_twins(), [](BlackBox& box) { spoil(box.H_pt, 1); });
  add("g_t", test::moving_twins(), [](BlackBox& box) { spoil(box.g_t, 0); });
  add("g_t_along", test::moving_twins(), [](BlackBox& box) { spoil(box.g_t_along, 0); });
  add("H without H_t", test::moving_twins(), [](BlackBox& box) {
    box.H_t = nullptr;
    box.H_pt = nullptr;
  });
  add("g without g_t", test::moving_twins(), [](BlackBox& box) {
    box.g_t = nullptr;
    box.g_t_along = nullptr;
  });
  add("is_separable", test::metric_twins(), [](BlackBox& box) { box.is_separable = true; });
  add("H_pp outside H_pp_pattern", test::double_pendulum_twins(), [](BlackBox& box) { box.H_pp_places.pop_back(); });
  add("G outside G_pattern", test::double_pendulum_twins(), [](BlackBox& box) { box.G_pattern.back() = {1, 0}; });
  return list;
}

// And everything that does not depend on the mistake passes.
TEST(CheckOfABlackBox, FindsEveryPlantedMistake) {
  for (const Mistake& mistake : mistakes()) {
    const auto report = check_at(mistake.box);
    EXPECT_FALSE(report.is_consistent()) << mistake.name;
    bool is_named = false;
    for (const auto& line : report.lines) is_named = is_named || (line.function == mistake.name && !line.is_consistent);
    EXPECT_TRUE(is_named) << mistake.name << "\n" << report;
  }
}

TEST(CheckOfABlackBox, TellsTheWorstEntry) {
  auto box = test::double_pendulum_twins().box;
  box.G = [G = box.G](const double* q, double t, double* out) {
    G(q, t, out);
    out[3] += 0.5;  // row 1, column 3
  };
  const auto report = check_at(box);
  for (const auto& line : report.lines) {
    if (line.function != "G") continue;
    EXPECT_EQ(line.entry, "row 1, column 3");
    EXPECT_NEAR(line.value - line.expected, 0.5, 1e-8);
  }
  std::ostringstream text;
  text << report;
  EXPECT_NE(text.str().find("MISTAKE  G "), std::string::npos) << text.str();
}

TEST(CheckOfABlackBox, ThrowsNothing) {
  EXPECT_FALSE(check(BlackBox{}, {}, {}).is_consistent());
  auto box = test::pendulum_twins().box;
  EXPECT_FALSE(check(box, {1.0}, {0.0}).is_consistent());
  box.g = [](const double*, double, double*) { throw std::runtime_error("no such constraint"); };
  const auto report = check(box, {0.6, 0.8}, {0, 0});
  EXPECT_FALSE(report.is_consistent());
  EXPECT_NE(report.text().find("no such constraint"), std::string::npos);
  EXPECT_FALSE(report.lines.empty()) << "the rest is checked all the same";
}

}  // namespace
}  // namespace cotangent
