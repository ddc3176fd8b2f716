#include "cotangent/monitor/reference/reference.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <stdexcept>

#include "cotangent/elements/extract.hpp"
#include "cotangent/model/reader.hpp"
#include "cotangent/monitor/reference/exact_solution.hpp"
#include "cotangent/monitor/reference/recorded_run.hpp"
#include "cotangent/monitor/registry.hpp"

namespace cotangent {
namespace {

// An oscillator of frequency w, and another array beside it of which only part is known.
constexpr const char* kModel = R"toml(
[parameters]
w = 2.0
[system]
coordinates = ["x", "r[2, 2]"]
states = ["u"]
hamiltonian = "(p_x^2 + w^2*x^2)/2 + sum(i in 1..2, norm2(p_r[i])/2)"
[equations]
u = 1
[exact]
x = "cos(w*t)"
p_x = "-w*sin(w*t)"
r = { each = "i in 1..2", value = "[i + 3*t, 0]" }
u = "t"
[initial]
x = 1
r = [[1, 0], [2, 0]]
p_x = 0
p_r = [[3, 0], [3, 0]]
u = 0
)toml";

template <class T>
PhasePoint<T> solution(T t) {
  PhasePoint<T> z(5, 1);
  const Quad phase = Quad(2) * static_cast<Quad>(t);
  z.q = {static_cast<T>(cosq(phase)), T(1) + T(3) * t, T(2) + T(3) * t, T(0), T(0)};
  z.p = {T(-2) * static_cast<T>(sinq(phase)), T(3), T(3), T(0), T(0)};
  z.s = {t};
  z.t = t;
  return z;
}

template <class T>
class References : public testing::Test {};
using Types = testing::Types<double, Quad>;
TYPED_TEST_SUITE(References, Types);

TYPED_TEST(References, ExactSolutionsTellTheErrorOfWhatTheyKnow) {
  using T = TypeParam;
  const Model model = read_model_text(kModel, "test.toml");
  ExactSolution<T> exact(model, Backend::interpreter);
  auto z = solution<T>(T(0.75));
  EXPECT_LE(static_cast<double>(exact.error(z)->largest()), 8 * static_cast<double>(epsilon<T>()));
  EXPECT_EQ(exact.mismatch(z), "");
  const auto error = [&](auto change) {
    auto changed = z;
    change(changed);

    return static_cast<double>(exact.error(changed)->largest());
  };
  EXPECT_NEAR(error([](auto& w) { w.q[0] += T(0.25); }), 0.25, 1e-14);
  EXPECT_NEAR(error([](auto& w) { w.q[4] -= T(0.5); }), 0.5, 1e-14) << "r[2,2]";
  EXPECT_NEAR(error([](auto& w) { w.p[0] += T(0.125); }), 0.125, 1e-14);
  EXPECT_NEAR(error([](auto& w) { w.s[0] += T(1); }), 1, 1e-14);
  EXPECT_LT(error([](auto& w) { w.p[2] += T(7); }), 1e-14) << "nothing is known about p_r";
  EXPECT_NEAR(error([](auto& w) { w.t += T(1); }), 3, 1) << "the time counts";
  EXPECT_TRUE(std::isnan(error([](auto& w) { w.q[0] = T(std::nan("")); })));
}

TYPED_TEST(References, ExactSolutionsNameTheEntryThatDoesNotFitTheStart) {
  using T = TypeParam;
  const Model model = read_model_text(kModel, "test.toml");
  auto z = solution<T>(T(0));
  std::vector<std::string> notes;
  note_exact_mismatch(model, z, notes);
  EXPECT_TRUE(notes.empty());
  z.q[2] = T(2.5);
  z.s[0] = T(0.25);

  note_exact_mismatch(model, z, notes);
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_NE(notes[0].find("r[2,1] is 2 at t = 0, not 2.5"), std::string::npos) << notes[0];
}

TYPED_TEST(References, RecordsAreComparedAtTimesThatAgree) {
  using T = TypeParam;
  const Model model = read_model_text(kModel, "test.toml");
  // In an order of its own, with a column that nobody knows. 0.3 is not the double next to it in every precision.
  RecordedRun<T> record(
      model, {"x", "t", "energy", "p_r[2,1]"},
      {{T(1), T(2), T(3), T(4)}, {T(0), T(0.3), T(0.75), T(1)}, {T(9), T(9), T(9), T(9)}, {T(3), T(3), T(3.5), T(3)}});
  EXPECT_EQ(record.size(), 2U);
  auto z = solution<T>(T(0));
  record.start(z, T(0.1));
  EXPECT_EQ(static_cast<double>(record.error(z)->largest()), 0);
  z.t = T(3) / T(10);
  z.q[0] = T(2);
  EXPECT_EQ(static_cast<double>(record.error(z)->largest()), 0);
  z.t = T(0.5);
  EXPECT_FALSE(record.error(z));
  z.t = T(0.75) * (T(1) + T(1e-9));
  EXPECT_FALSE(record.error(z)) << "nearly is not enough";
  z.t = T(0.75);
  EXPECT_EQ(static_cast<double>(record.error(z)->largest()), 1);
  EXPECT_EQ(record.remark(), "");
  z.t = T(2);
  EXPECT_FALSE(record.error(z));
  EXPECT_NE(record.remark().find("the record ends at t = 1: after that 'error' is what it was at t = 0.75"),
            std::string::npos)
      << record.remark();
  z.t = T(0);  // back to where it was
  EXPECT_TRUE(record.error(z));
}

TYPED_TEST(References, RecordsWithNothingInCommonAreRefusedOrWarnedOf) {
  using T = TypeParam;
  const Model model = read_model_text(kModel, "test.toml");
  const auto refused = [&](const std::vector<std::string>& names, std::vector<std::vector<T>> columns) {
    try {
      static_cast<void>(RecordedRun<T>(model, names, std::move(columns)));
    } catch (const std::invalid_argument& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_NE(refused({"x"}, {{T(1)}}).find("no column 't'"), std::string::npos);
  EXPECT_NE(refused({"t", "y"}, {{T(1)}, {T(1)}}).find("such as 'x'"), std::string::npos);
  EXPECT_NE(refused({"t", "x"}, {{}, {}}).find("no records"), std::string::npos);
  EXPECT_NE(refused({"t", "x"}, {{T(0), T(0)}, {T(1), T(1)}}).find("do not increase: t = 0 in record 2"),
            std::string::npos);
  EXPECT_EQ(refused({"t", "x"}, {{T(0), T(1)}, {T(1), T(1)}}), "");

  RecordedRun<T> record(model, {"t", "x"}, {{T(0), T(0.3)}, {T(1), T(1)}});
  auto z = solution<T>(T(0));
  record.start(z, T(0.1));
  EXPECT_TRUE(record.error(z));
  z.t = T(0.25);
  EXPECT_FALSE(record.error(z));
  EXPECT_NE(record.remark().find("no time in common with the run but the start"), std::string::npos);
}

TYPED_TEST(References, ErrorsStayWhereTheReferenceKnowsNothing) {
  using T = TypeParam;
  const Model model = read_model_text(kModel, "test.toml");
  System<T> system(std::make_shared<const Elements>(extract_elements(model)), Backend::interpreter);
  Manifold<T> manifold(system);
  MonitorSources<T> sources;
  sources.reference = [&] {
    return std::make_unique<RecordedRun<T>>(model, std::vector<std::string>{"t", "x"},
                                            std::vector<std::vector<T>>{{T(0), T(0.5)}, {T(1), T(1)}});
  };
  MonitorSet<T> monitors({"error"}, manifold, sources);
  const Monitor<T>& error = *monitors.find("error");
  auto z = solution<T>(T(0));
  monitors.start(z);
  z.q[0] = T(3);
  z.t = T(0.25);
  monitors.observe(z);
  EXPECT_EQ(static_cast<double>(error.current()), 0);
  z.t = T(0.5);
  monitors.observe(z);
  EXPECT_EQ(static_cast<double>(error.current()), 2);
  z.t = T(0.75);
  monitors.observe(z);
  EXPECT_EQ(static_cast<double>(error.current()), 2);
  EXPECT_NE(error.remark(), "");
}

// One figure would mix units: those of coordinates, momenta and states stand apart, as far as the reference knows them.
TYPED_TEST(References, HaveErrorsForEachKind) {
  using T = TypeParam;
  const Model model = read_model_text(kModel, "test.toml");
  System<T> system(std::make_shared<const Elements>(extract_elements(model)), Backend::interpreter);
  Manifold<T> manifold(system);
  MonitorSources<T> exact, record;
  exact.reference = [&] { return std::make_unique<ExactSolution<T>>(model, Backend::interpreter); };
  record.reference = [&] {
    return std::make_unique<RecordedRun<T>>(model, std::vector<std::string>{"t", "x"},
                                            std::vector<std::vector<T>>{{T(0), T(0.5)}, {T(1), T(1)}});
  };
  MonitorSet<T> monitors({"error"}, manifold, exact);
  auto z = solution<T>(T(0));
  monitors.start(z);
  z.q[0] += T(0.25);
  z.p[0] += T(4);
  z.s[0] += T(1);
  monitors.observe(z);
  const auto largest = [&](const char* name) { return static_cast<double>(monitors.find(name)->largest()); };
  EXPECT_NEAR(largest("errors.q"), 0.25, 1e-14);
  EXPECT_NEAR(largest("errors.p"), 4, 1e-14);
  EXPECT_NEAR(largest("errors.s"), 1, 1e-14);
  EXPECT_NEAR(largest("error"), 4, 1e-14);
  const MonitorSet<T> of_record({"error"}, manifold, record);
  EXPECT_NE(of_record.find("errors.q"), nullptr);
  EXPECT_EQ(of_record.find("errors.p"), nullptr) << "the record has no momenta";
}

}  // namespace
}  // namespace cotangent
