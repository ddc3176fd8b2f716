#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <tuple>

#include "cotangent/integrator/registry/registry.hpp"
#include "tests/support/instance.hpp"
#include "tests/support/unit_pendulum.hpp"

// The discrete map of the state-space form depends on how charts are chosen: section 2 of [leimkuhler-reich94] leaves
// that open. Where the chart is a locally constant function of the two ends of a step that does not change when they
// are exchanged, the map is symplectic and symmetric, and its energy does not drift.

namespace cotangent {
namespace {

using test::Problem;

const Problem kRotating{.name = "rotating", .text = test::rotating_pendulum()};

const char* name_of(ChartKind kind) {
  return kind == ChartKind::partition ? "partition" : kind == ChartKind::qr ? "qr" : "svd";
}
const char* name_of(ChartUpdate update) {
  return update == ChartUpdate::midpoint ? "midpoint" : update == ChartUpdate::hysteresis ? "hysteresis" : "every_step";
}

template <class T>
struct Charted {
  Charted(const Problem& problem, const std::string& method, ChartKind kind, ChartUpdate update,
          Backend backend = Backend::interpreter)
      : instance(problem, backend),
        integrator(
            find_method<T>(method).make(instance.manifold, "state-space", {.chart = kind, .chart_update = update})) {}

  /// How many charts were changed in the step.
  std::int64_t step(Point<T>& z, T h) {
    const auto report = integrator->step(z, h);
    EXPECT_EQ(report.status, StepStatus::ok) << describe(report.status);
    return report.charts;
  }

  test::Instance<T> instance;
  std::unique_ptr<Integrator<T>> integrator;
};

/// y = a + b t + r, by least squares.
class LineFit {
 public:
  void add(double t, double y) {
    ++n_;
    const double dt = t - t_, dy = y - y_;
    t_ += dt / n_;
    y_ += dy / n_;
    tt_ += dt * (t - t_);
    ty_ += dt * (y - y_);
    yy_ += dy * (y - y_);
  }
  double slope() const { return ty_ / tt_; }
  double rms_rest() const { return std::sqrt((yy_ - slope() * ty_) / n_); }

 private:
  double n_ = 0, t_ = 0, y_ = 0, tt_ = 0, ty_ = 0, yy_ = 0;  // means, and sums of products of deviations from them
};

using Choice = std::tuple<ChartKind, ChartUpdate>;

auto every_choice() {
  return testing::Combine(testing::Values(ChartKind::partition, ChartKind::qr, ChartKind::svd),
                          testing::Values(ChartUpdate::midpoint, ChartUpdate::hysteresis, ChartUpdate::every_step));
}
std::string choice_name(const testing::TestParamInfo<Choice>& each) {
  return std::string(name_of(std::get<0>(each.param))) + "_by_" + name_of(std::get<1>(each.param));
}

class SlowCharts : public testing::TestWithParam<Choice> {};

// 3000 turns. The error of the energy either wanders about, within a few of its standard deviations, or goes away on a
// line beside which everything else is small.
TEST_P(SlowCharts, LetTheEnergyDriftUnlessTheyAreChosenByTheMiddleOfTheStep) {
  const auto [kind, update] = GetParam();
  Charted<double> run(kRotating, "gauss:2", kind, update, Backend::jit);
  auto z = test::start<double>(kRotating);
  const double start = test::energy(run.instance.system, z), h = 0.05;
  const int steps = 100'000;
  std::int64_t charts = 0;
  LineFit fit;
  for (int k = 1; k <= steps; ++k) {
    charts += run.step(z, h);
    fit.add(h * k, test::energy(run.instance.system, z) - start);
  }
  const double drift = std::abs(fit.slope()) * h * steps;
  EXPECT_GE(charts, 5000) << "each turn needs some";
  if (update == ChartUpdate::midpoint) {
    EXPECT_LE(drift, fit.rms_rest());
    EXPECT_LE(fit.rms_rest(), 1e-5);
  } else {
    EXPECT_GE(drift, 10 * fit.rms_rest());
    EXPECT_GE(drift, 1e-3);
  }
}

INSTANTIATE_TEST_SUITE_P(Of, SlowCharts, every_choice(), choice_name);

class Charts : public testing::TestWithParam<Choice> {
 protected:
  const ChartKind kind = std::get<0>(GetParam());
  const ChartUpdate update = std::get<1>(GetParam());
};

// Two curves through a point of the manifold are carried through a step; dq ^ dp of their tangents is to stay. What the
// points of the curves have in common is the chart, if it is locally constant.
TEST_P(Charts, MakeASymplecticMapIffTheyAreLocallyConstant) {
  for (const char* name : {"ellipsoid", "double_pendulum", "spherical_metric"}) {
    const Problem& problem = test::problem(name);
    test::Instance<Quad> manifold(problem);
    const auto start = test::consistent_point(problem, 1);
    const std::size_t n = start.q.size();
    const Quad e = 1e-10Q, h = 0.1Q;
    const auto tangent = [&](std::uint64_t seed, bool after) {
      test::Noise noise(seed);
      const auto direction_q = noise.vector(n), direction_p = noise.vector(n);
      const auto at = [&](Quad by) {
        auto z = start;
        for (std::size_t j = 0; j < n; ++j) {
          z.q[j] += by * direction_q[j];
          z.p[j] += by * direction_p[j];
        }

        EXPECT_TRUE(manifold.manifold.project_position(z).converged);
        EXPECT_TRUE(manifold.manifold.project_momentum(z).converged);
        Point<Quad> moved = z;
        if (after) Charted<Quad>(problem, "implicit-midpoint", kind, update).step(moved, h);
        return moved.state();
      };
      auto ahead = at(e);
      const auto behind = at(-e);
      for (std::size_t j = 0; j < n; ++j) {
        ahead.q[j] = (ahead.q[j] - behind.q[j]) / (2 * e);
        ahead.p[j] = (ahead.p[j] - behind.p[j]) / (2 * e);
      }
      return ahead;
    };
    const auto wedge = [&](bool after) {
      const auto a = tangent(1, after), b = tangent(2, after);
      Quad sum = 0;
      for (std::size_t j = 0; j < n; ++j) sum += a.q[j] * b.p[j] - b.q[j] * a.p[j];
      return sum;
    };
    const Quad before = wedge(false);
    ASSERT_GT(static_cast<double>(abs(before)), 1e-3) << name;
    const auto defect = static_cast<double>(abs(wedge(true) - before));
    const bool is_constant = update != ChartUpdate::every_step || kind == ChartKind::partition;
    EXPECT_EQ(Charted<Quad>(problem, "implicit-midpoint", kind, update).integrator->facts().symplectic, is_constant);
    if (is_constant) {
      EXPECT_LE(defect, 1e-15) << name;
    } else {
      EXPECT_GE(defect, 1e-7) << name;
    }
  }
}

// Along a trajectory that passes many charts every step is taken forth and back. Two charts differ by the error of the
// method, which is 1e-8 and more here.
TEST_P(Charts, MakeAStepForthAndBackReturnIffTheyAreChosenByTheMiddle) {
  for (const Problem& problem : {kRotating, test::problem("double_pendulum"), test::problem("torus")}) {
    Charted<double> run(problem, "gauss:2", kind, update, Backend::jit);
    const double h = 0.05;
    auto z = test::start<double>(problem);
    std::int64_t charts = 0;
    double defect = 0;
    for (int k = 0; k < 500; ++k) {
      const auto begin = z;
      charts += run.step(z, h);
      auto back = z;
      charts += run.step(back, -h);
      defect = std::max(defect, test::distance(begin, back));
    }
    ASSERT_GE(charts, 4) << problem.name;
    EXPECT_EQ(run.integrator->facts().symmetric, update == ChartUpdate::midpoint);
    if (update == ChartUpdate::midpoint) {
      EXPECT_LE(defect, 1e-13) << problem.name;
    } else {
      EXPECT_GE(defect, 1e-10) << problem.name;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Of, Charts, every_choice(), choice_name);

// One degree before the border of a region a step begins that goes beyond the end of its chart, 46 degrees further.
TEST(ChartsOfAPartition, AreTriedInTurnWhereTheFirstOneEnds) {
  for (const ChartUpdate update : {ChartUpdate::midpoint, ChartUpdate::hysteresis, ChartUpdate::every_step}) {
    for (const int border : {45, 135, 225, 315}) {
      for (const int sense : {-1, 1}) {
        Charted<double> run(kRotating, "rk4", ChartKind::partition, update),
            fine(kRotating, "rk4", ChartKind::partition, update);
        const double angle = (border - sense) * 0.017453292519943295, h = 0.4;
        Point<double> z(2);
        z.change().q = {std::cos(angle), std::sin(angle)};
        z.change().p = {-2 * sense * std::sin(angle), 2 * sense * std::cos(angle)};
        Point<double> exact = z;
        EXPECT_EQ(run.step(z, h), 1);
        for (int k = 0; k < 40; ++k) static_cast<void>(fine.step(exact, h / 40));
        EXPECT_LE(test::distance(z->q, exact->q), 0.2) << border << " degrees, " << name_of(update);
      }
    }
  }
}

}  // namespace
}  // namespace cotangent
