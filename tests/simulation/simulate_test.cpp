#include "cotangent/simulation/simulate.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <limits>
#include <memory>
#include <stdexcept>

#include "cotangent/base/interruptible.hpp"
#include "cotangent/elements/extract.hpp"
#include "cotangent/integrator/composed/projected.hpp"
#include "cotangent/model/reader.hpp"
#include "tests/kernel/allocations.hpp"

namespace cotangent {
namespace {

constexpr const char* kPendulum = R"toml(
[system]
coordinates = ["x", "y"]
hamiltonian = "(p_x^2 + p_y^2)/2 + y"
[constraints]
rod = "x^2 + y^2 = 1"
[initial]
x = 1
y = 0
p_x = 0
p_y = 0
)toml";

/// Moves q by h H_p = h p, off the constraint; refuses the step of a given number.
class Drift final : public Integrator<double> {
 public:
  explicit Drift(std::int64_t failing_step = -1, double scale = 1)
      : Integrator<double>(MethodFacts()), failing_step_(failing_step), scale_(scale) {}

  StepReport<double> make_step(const Point<double>& begin, double h, Point<double>& end) override {
    lengths.push_back(h);
    // The first call is the rehearsal.
    if (static_cast<std::int64_t>(lengths.size()) - 1 == failing_step_)
      return {.status = StepStatus::position_solve_failed,
              .ok = false,
              .iterations = 7,
              .residual = 0.5,
              .tolerance = 1e-16,
              .row = 0};
    PhasePoint<double>& z = end.change();
    z = begin;
    for (std::size_t i = 0; i < z.q.size(); ++i) z.q[i] += scale_ * h * z.p[i];
    z.t += h;
    return {.iterations = 2};
  }

  std::vector<double> lengths;

 private:
  std::int64_t failing_step_;
  double scale_;
};

/// A method that somebody else owns.
class Borrowed final : public Integrator<double> {
 public:
  explicit Borrowed(Integrator<double>& method) : Integrator<double>(method.facts()), method_(method) {}
  StepReport<double> make_step(const Point<double>& z, double h, Point<double>& end) override {
    return method_.step(z, h, end);
  }

 private:
  Integrator<double>& method_;
};

class Records final : public Recorder<double> {
 public:
  void record(const PhasePoint<double>& z, const MonitorSet<double>& monitors) override {
    times.push_back(z.t);
    if (!monitors.list().empty()) values.push_back(monitors.list()[0]->current());
  }
  std::vector<double> times, values;
};

struct Bench {
  explicit Bench(ProjectionPolicy given = {}, std::vector<std::string> names = {"energy", "position", "momentum"})
      : elements(std::make_shared<const Elements>(extract_elements(read_model_text(kPendulum, "test.toml")))),
        system(elements, Backend::interpreter),
        manifold(system),
        policy(std::move(given)),
        monitors(names, manifold),
        z(2) {
    z.change().q = {1, 0};
    z.change().p = {0, 1};
  }

  Summary run(Integrator<double>& method, const TimeGridOptions& options) {
    const auto integrator = with_projection<double>(std::make_unique<Borrowed>(method), manifold, policy);
    return simulate<double>({*integrator, monitors, manifold, &records, {}, &interrupted, &series},
                            TimeGrid<double>(options), z);
  }

  std::shared_ptr<const Elements> elements;
  System<double> system;
  Manifold<double> manifold;
  ProjectionPolicy policy;
  MonitorSet<double> monitors;
  Point<double> z;
  Records records;
  std::vector<Series> series;
  volatile std::sig_atomic_t interrupted = 0;
};

TEST(Simulate, EndsExactlyAtTheEnd) {
  Bench bench;
  Drift drift;
  const Summary summary = bench.run(drift, {.step = 0.3, .end = 1});
  EXPECT_EQ(summary.outcome, Outcome::done);
  EXPECT_EQ(summary.time, 1);
  EXPECT_EQ(summary.steps, 4);
  EXPECT_EQ(bench.z->t, 1);
  EXPECT_NEAR(bench.z->q[1], 1, 1e-15);  // y = p_y t
  EXPECT_EQ(bench.records.times, (std::vector{0.0, 0.3, 0.6, 0.9, 1.0}));
  EXPECT_EQ(summary.counts.newton, 8);
  EXPECT_FALSE(summary.failure);
}

TEST(Simulate, SeriesHaveEveryStepThatCounts) {
  Bench bench;
  Drift drift(/*failing_step=*/4);
  static_cast<void>(bench.run(drift, {.step = 0.25, .end = 2, .every = 2}));
  ASSERT_EQ(bench.series.size(), 3U);
  const Series& energy = bench.series[0];
  // H changes by y = t, with p_y = 1.
  EXPECT_EQ(energy.size(), 4);
  EXPECT_EQ(energy.first_time(), 0);
  EXPECT_EQ(energy.last_time(), 0.75);
  EXPECT_EQ(energy.first_value(), 0);
  EXPECT_EQ(energy.last_value(), 0.75);
  EXPECT_EQ(bench.series[1].last_value(), 0.75 * 0.75);
}

/// Keeps the times at which it was.
class Clockwork final : public Integrator<double> {
 public:
  Clockwork() : Integrator<double>(MethodFacts()) {}
  StepReport<double> make_step(const Point<double>& z, double h, Point<double>& end) override {
    end.change() = z;
    end.change().advance_time(h);
    times.push_back(end->t);
    return {};
  }
  std::vector<double> times;
};

TEST(Simulate, DrivenSystemsAreAtTheTimesOfTheGridBeforeAnybodySetsThem) {
  const auto elements = std::make_shared<const Elements>(extract_elements(read_model_text(R"toml(
[system]
coordinates = ["x"]
hamiltonian = "p_x^2/2 + x*sin(t)"
[initial]
x = 0
p_x = 0
)toml",
                                                                                          "test.toml")));
  System<double> system(elements, Backend::interpreter);
  Manifold<double> manifold(system);
  MonitorSet<double> monitors;
  Point<double> z(1, system.state_count());
  Clockwork clockwork;
  static_cast<void>(simulate<double>({clockwork, monitors, manifold}, TimeGrid<double>({0.1, 1.05}), z));
  EXPECT_EQ(clockwork.times,
            (std::vector{0.1 /* the rehearsal */, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.05}));
}

TEST(Simulate, RehearsesWithoutMovingThePoint) {
  Bench bench;
  Drift drift;
  static_cast<void>(bench.run(drift, {.step = 0.5, .end = 1}));
  EXPECT_EQ(drift.lengths.size(), 3u);
  EXPECT_EQ(bench.z->q[1], 1);
}

TEST(Simulate, ReportsMonitorsOfEveryStepAlthoughFewAreRecorded) {
  Bench bench;
  bench.z.change().p = {-1, 0};  // x = 1 - t: g = x^2 - 1 is 0 at t = 0 and t = 2, -1 at t = 1
  Drift drift;
  const Summary summary = bench.run(drift, {.step = 0.125, .end = 2, .every = 100});
  EXPECT_EQ(bench.records.times, (std::vector{0.0, 2.0}));
  ASSERT_EQ(summary.monitors.size(), 3u);
  EXPECT_EQ(summary.monitors[1].name, "position");
  EXPECT_EQ(summary.monitors[1].final, 0);
  EXPECT_EQ(summary.monitors[1].largest, 1);
}

TEST(Simulate, StopsWithTheReasonAndKeepsWhatWasReached) {
  Bench bench;
  Drift drift(3);
  const Summary summary = bench.run(drift, {.step = 0.25, .end = 1, .every = 100});
  EXPECT_EQ(summary.outcome, Outcome::failed);
  EXPECT_EQ(summary.steps, 2);
  EXPECT_EQ(summary.time, 0.5);
  ASSERT_TRUE(summary.failure);
  EXPECT_EQ(summary.failure->status, StepStatus::position_solve_failed);
  EXPECT_EQ(summary.failure->step, 3);
  EXPECT_EQ(summary.failure->time, 0.5);
  EXPECT_EQ(summary.failure->residual, 0.5);
  EXPECT_EQ(summary.failure->tolerance, 1e-16);
  EXPECT_EQ(summary.failure->constraint, "rod");
  // The last point reached is recorded, although it was not its turn.
  EXPECT_EQ(bench.records.times, (std::vector{0.0, 0.5}));
}

/// Goes well until the step of a given number, which leaves nothing that can be used.
class Blowup final : public Integrator<double> {
 public:
  explicit Blowup(int bad_step) : Integrator<double>(MethodFacts()), bad_step_(bad_step) {}

  StepReport<double> make_step(const Point<double>& begin, double h, Point<double>& end) override {
    PhasePoint<double>& z = end.change();
    z = begin;
    const bool is_bad = z.q[1] > (bad_step_ - 1.5) * h;  // q[1] = k h before step k + 1
    z.q[1] = is_bad ? std::numeric_limits<double>::quiet_NaN() : z.q[1] + h;
    return {.evaluations = 1};
  }

 private:
  int bad_step_;
};

TEST(Simulate, CountsAndRecordsNothingOfAStepThatIsNotFinite) {
  for (const std::vector<std::string>& monitors : {std::vector<std::string>{"energy", "position"}, {"momentum"}, {}}) {
    Bench bench({}, monitors);
    bench.z.change().p = {0, 0};
    Blowup blowup(4);
    const Summary summary = bench.run(blowup, {.step = 0.25, .end = 100, .every = monitors.empty() ? 1000 : 1});
    EXPECT_EQ(summary.outcome, Outcome::failed);
    ASSERT_TRUE(summary.failure);
    EXPECT_EQ(summary.failure->during, Phase::step);
    EXPECT_EQ(summary.failure->status, StepStatus::not_finite);
    EXPECT_EQ(summary.failure->step, 4);
    EXPECT_EQ(summary.failure->time, 0.75);
    EXPECT_EQ(summary.steps, 3);
    EXPECT_EQ(summary.time, 0.75);
    EXPECT_EQ(summary.counts.rhs, 3);
    EXPECT_EQ(bench.z->q[1], 0.75);
    EXPECT_EQ(bench.records.times.back(), 0.75);
    for (const auto& monitor : summary.monitors) {
      EXPECT_TRUE(std::isfinite(monitor.final)) << monitor.name;
      EXPECT_TRUE(std::isfinite(monitor.largest)) << monitor.name;
    }
    if (!monitors.empty() && monitors[0] == "energy") {
      EXPECT_EQ(summary.monitors[0].final, 0.75);
    }
  }
}

/// A disk that is full after some records.
class SmallDisk final : public Recorder<double> {
 public:
  explicit SmallDisk(int room) : room_(room) {}
  void record(const PhasePoint<double>&, const MonitorSet<double>&) override {
    if (room_-- == 0) throw std::runtime_error("the disk is full");
  }
  void finish() override {
    if (room_ == 0) throw std::runtime_error("the disk is full");
  }

 private:
  int room_;
};

TEST(Simulate, EndsWhereNothingMoreCanBeRecorded) {
  for (const auto& [room, steps] : {std::pair{0, 0}, {3, 3}, {5, 4}}) {
    Bench bench;
    Drift drift;
    SmallDisk disk(room);
    const Summary summary = simulate<double>({drift, bench.monitors, bench.manifold, &disk},
                                             TimeGrid<double>({.step = 0.25, .end = 1}), bench.z);
    EXPECT_EQ(summary.outcome, Outcome::failed);
    ASSERT_TRUE(summary.failure);
    EXPECT_EQ(summary.failure->during, Phase::recording);
    EXPECT_EQ(summary.failure->message, "the disk is full");
    EXPECT_EQ(summary.steps, steps);
  }
}

TEST(Simulate, EndsCleanlyWhenInterrupted) {
  Bench bench;
  bench.interrupted = 1;
  Drift drift;
  const Summary summary = bench.run(drift, {.step = 0.25, .end = 1});
  EXPECT_EQ(summary.outcome, Outcome::interrupted);
  EXPECT_EQ(summary.steps, 0);
  EXPECT_STREQ(describe(summary.outcome), "interrupted");
}

/// A method whose fourth step goes on until it is given up. The first call is the rehearsal.
class Endless final : public Integrator<double> {
 public:
  explicit Endless(volatile std::sig_atomic_t& interrupted)
      : Integrator<double>(MethodFacts()), interrupted_(interrupted) {}

  StepReport<double> make_step(const Point<double>& begin, double h, Point<double>& end) override {
    end.change() = begin;
    end.change().t += h;
    if (++calls_ < 5) return {};
    interrupted_ = 1;
    const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (std::chrono::steady_clock::now() < patience) check_interruption();
    return {};
  }

 private:
  volatile std::sig_atomic_t& interrupted_;
  int calls_ = 0;
};

TEST(Simulate, ALongStepIsGivenUp) {
  Bench bench;
  Endless endless(bench.interrupted);
  const Summary summary = bench.run(endless, {.step = 0.25, .end = 10});
  EXPECT_EQ(summary.outcome, Outcome::interrupted);
  EXPECT_EQ(summary.steps, 3);
  EXPECT_EQ(summary.time, 0.75);
  EXPECT_EQ(bench.z->t, 0.75);
  EXPECT_EQ(bench.records.times.back(), 0.75);
  EXPECT_NO_THROW(check_interruption()) << "nobody asks any more";
}

TEST(Simulate, WhatIsGivenUpBeforeTheFirstStepIsSaid) {
  Bench bench;
  Endless endless(bench.interrupted);
  Point<double> end = bench.z;
  for (int k = 0; k < 4; ++k) static_cast<void>(endless.step(bench.z, 0.25, end));
  EXPECT_THROW(static_cast<void>(bench.run(endless, {.step = 0.25, .end = 10})), Interrupted);
}

TEST(Simulate, ProjectsAsThePolicySays) {
  for (const auto& [policy, expected] : {std::pair{ProjectionPolicy{.projection = Projection::both}, 10},
                                         {ProjectionPolicy{.projection = Projection::both, .every = 4}, 2},
                                         {ProjectionPolicy{.projection = Projection::none}, 0},
                                         {ProjectionPolicy{.projection = Projection::position, .above = 1e3}, 0}}) {
    Bench bench(policy);
    Drift drift;
    const Summary summary = bench.run(drift, {.step = 0.01, .end = 0.1});
    EXPECT_EQ(summary.counts.projections, expected);
    if (expected == 10) {
      EXPECT_LT(summary.monitors[1].largest, 1e-15);
      EXPECT_LT(summary.monitors[2].largest, 1e-15);
    }
  }
}

TEST(Simulate, ProjectsOnlyAboveTheGivenResidual) {
  // g grows by about h^2 = 1e-4 in each step from the circle: every third step or so exceeds 5e-4.
  Bench bench({.projection = Projection::position, .above = 5e-4});
  Drift drift;
  const Summary summary = bench.run(drift, {.step = 0.01, .end = 0.5});
  EXPECT_GT(summary.counts.projections, 1);
  EXPECT_LT(summary.counts.projections, 50);
  EXPECT_LE(summary.monitors[1].largest, 5e-4);
}

TEST(Simulate, GoesBackBeforeAStepWhoseProjectionFails) {
  Bench bench({.projection = Projection::both});
  bench.z.change().q = {1, 0};
  bench.z.change().p = {-1, 0};
  Drift drift;  // at t = 1 the point is the centre of the circle, where the constraint has no gradient
  const Summary summary = bench.run(drift, {.step = 1, .end = 2});
  EXPECT_EQ(summary.outcome, Outcome::failed);
  ASSERT_TRUE(summary.failure);
  EXPECT_EQ(summary.failure->during, Phase::projection);
  EXPECT_EQ(bench.z->q, (std::vector<double>{1, 0}));
  EXPECT_EQ(bench.z->p, (std::vector<double>{-1, 0}));
  EXPECT_EQ(summary.steps, 0);
}

TEST(Simulate, DoesNotAllocatePerStep) {
  const auto allocations_of = [](double end) {
    Bench bench({.projection = Projection::both});
    bench.records.times.reserve(20000);
    bench.records.values.reserve(20000);
    Drift drift;
    drift.lengths.reserve(20000);
    const long before = test::allocations();
    static_cast<void>(bench.run(drift, {.step = 0.01, .end = end}));
    return test::allocations() - before;
  };
  EXPECT_EQ(allocations_of(1), allocations_of(100));
}

TEST(Projections, HaveNamesAndDefaults) {
  EXPECT_EQ(find_projection("both"), Projection::both);
  for (const auto& facts : projections()) EXPECT_EQ(name_of(facts.projection), facts.name);
  EXPECT_THROW(static_cast<void>(find_projection("bothe")), std::invalid_argument);
  MethodFacts facts;
  EXPECT_EQ(default_projection(facts, 0), Projection::none);
  facts.keeps_position = true;
  EXPECT_EQ(default_projection(facts, 1), Projection::both);
  facts.keeps_momentum = true;
  EXPECT_EQ(default_projection(facts, 1), Projection::none);
}

}  // namespace
}  // namespace cotangent
