#include "cotangent/simulation/simulate.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <limits>
#include <memory>
#include <new>

#include "cotangent/model/reader.hpp"

namespace {
std::atomic<std::int64_t> allocations = 0;
}

void* operator new(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace cotangent {
namespace {

constexpr const char* kPendulum = R"(
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
)";

/// Moves q by h H_p = h p, off the constraint; refuses the step of a given number.
class Drift final : public Integrator<double> {
 public:
  explicit Drift(std::int64_t failing_step = -1, double scale = 1)
      : Integrator<double>({.name = "drift"}), failing_step_(failing_step), scale_(scale) {}

  StepReport<double> step(PhasePoint<double>& z, double h) override {
    lengths.push_back(h);
    // The first call is the rehearsal.
    if (static_cast<std::int64_t>(lengths.size()) - 1 == failing_step_)
      return {.status = StepStatus::position_solve_failed, .iterations = 7, .residual = 0.5, .tolerance = 1e-16, .row = 0};
    for (std::size_t i = 0; i < z.q.size(); ++i) z.q[i] += scale_ * h * z.p[i];
    z.t += h;
    z.touch();
    return {.iterations = 2};
  }

  std::vector<double> lengths;

 private:
  std::int64_t failing_step_;
  double scale_;
};

class Records final : public Recorder<double> {
 public:
  void record(const PhasePoint<double>& z, const MonitorSet<double>& monitors) override {
    times.push_back(z.t);
    if (!monitors.list().empty()) values.push_back(monitors.list()[0]->current());
  }
  std::vector<double> times, values;
};

struct Setup {
  explicit Setup(ProjectionPolicy policy = {}, std::vector<std::string> names = {"energy", "position", "momentum"})
      : elements(std::make_shared<const Elements>(extract_elements(read_model_text(kPendulum, "test.toml")))),
        system(elements, Backend::interpreter),
        manifold(system),
        projector(manifold, policy),
        monitors(names, manifold),
        z(2) {
    z.q = {1, 0};
    z.p = {0, 1};
  }

  Summary run(Integrator<double>& integrator, const TimeGridOptions& options) {
    return simulate<double>({integrator, projector, monitors, *elements, &records, {}, &interrupted},
                            TimeGrid<double>(options), z);
  }

  std::shared_ptr<const Elements> elements;
  System<double> system;
  Manifold<double> manifold;
  Projector<double> projector;
  MonitorSet<double> monitors;
  PhasePoint<double> z;
  Records records;
  volatile std::sig_atomic_t interrupted = 0;
};

TEST(Simulate, EndsExactlyAtTheEnd) {
  Setup setup;
  Drift drift;
  const Summary summary = setup.run(drift, {.step = 0.3, .end = 1});
  EXPECT_EQ(summary.outcome, Outcome::done);
  EXPECT_EQ(summary.time, 1);
  EXPECT_EQ(summary.steps, 4);
  EXPECT_EQ(setup.z.t, 1);
  EXPECT_NEAR(setup.z.q[1], 1, 1e-15);  // y = p_y t
  EXPECT_EQ(setup.records.times, (std::vector{0.0, 0.3, 0.6, 3 * 0.3, 1.0}));
  EXPECT_EQ(summary.counts.newton, 8);
  EXPECT_FALSE(summary.failure);
}

TEST(Simulate, RehearsesWithoutMovingThePoint) {
  Setup setup;
  Drift drift;
  static_cast<void>(setup.run(drift, {.step = 0.5, .end = 1}));
  EXPECT_EQ(drift.lengths.size(), 3u);
  EXPECT_EQ(setup.z.q[1], 1);
}

TEST(Simulate, ReportsMonitorsOfEveryStepAlthoughFewAreRecorded) {
  Setup setup;
  setup.z.p = {-1, 0};  // x = 1 - t: g = x^2 - 1 is 0 at t = 0 and t = 2, -1 at t = 1
  Drift drift;
  const Summary summary = setup.run(drift, {.step = 0.125, .end = 2, .every = 100});
  EXPECT_EQ(setup.records.times, (std::vector{0.0, 2.0}));
  ASSERT_EQ(summary.monitors.size(), 3u);
  EXPECT_EQ(summary.monitors[1].name, "position");
  EXPECT_EQ(summary.monitors[1].final, 0);
  EXPECT_EQ(summary.monitors[1].largest, 1);
}

TEST(Simulate, StopsWithTheReasonAndKeepsWhatWasReached) {
  Setup setup;
  Drift drift(3);
  const Summary summary = setup.run(drift, {.step = 0.25, .end = 1, .every = 100});
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
  EXPECT_EQ(setup.records.times, (std::vector{0.0, 0.5}));
}

TEST(Simulate, StopsWhereTheEnergyIsNotFinite) {
  Setup setup;
  Drift drift(-1, std::numeric_limits<double>::infinity());
  const Summary summary = setup.run(drift, {.step = 0.25, .end = 1});
  EXPECT_EQ(summary.outcome, Outcome::failed);
  ASSERT_TRUE(summary.failure);
  EXPECT_EQ(summary.failure->status, StepStatus::not_finite);
  EXPECT_EQ(setup.records.times, (std::vector{0.0}));
}

TEST(Simulate, NoticesAPointThatIsNotFiniteWithoutMonitors) {
  Setup setup({}, {});
  Drift drift(-1, std::numeric_limits<double>::infinity());
  EXPECT_EQ(setup.run(drift, {.step = 0.25, .end = 1}).outcome, Outcome::failed);
}

TEST(Simulate, EndsCleanlyWhenInterrupted) {
  Setup setup;
  setup.interrupted = 1;
  Drift drift;
  const Summary summary = setup.run(drift, {.step = 0.25, .end = 1});
  EXPECT_EQ(summary.outcome, Outcome::interrupted);
  EXPECT_EQ(summary.steps, 0);
  EXPECT_STREQ(describe(summary.outcome), "interrupted");
}

TEST(Simulate, ProjectsAsThePolicySays) {
  for (const auto& [policy, expected] :
       {std::pair{ProjectionPolicy{.projection = Projection::both}, 10},
        {ProjectionPolicy{.projection = Projection::both, .every = 4}, 2},
        {ProjectionPolicy{.projection = Projection::none}, 0},
        {ProjectionPolicy{.projection = Projection::position, .above = 1e3}, 0}}) {
    Setup setup(policy);
    Drift drift;
    const Summary summary = setup.run(drift, {.step = 0.01, .end = 0.1});
    EXPECT_EQ(summary.counts.projections, expected);
    if (expected == 10) {
      EXPECT_LT(summary.monitors[1].largest, 1e-15);
      EXPECT_LT(summary.monitors[2].largest, 1e-15);
    }
  }
}

TEST(Simulate, ProjectsOnlyAboveTheGivenResidual) {
  // g grows by about h^2 = 1e-4 in each step from the circle: every third step or so exceeds 5e-4.
  Setup setup({.projection = Projection::position, .above = 5e-4});
  Drift drift;
  const Summary summary = setup.run(drift, {.step = 0.01, .end = 0.5});
  EXPECT_GT(summary.counts.projections, 1);
  EXPECT_LT(summary.counts.projections, 50);
  EXPECT_LE(summary.monitors[1].largest, 5e-4);
}

TEST(Simulate, GoesBackBeforeAStepWhoseProjectionFails) {
  Setup setup({.projection = Projection::both});
  setup.z.q = {1, 0};
  setup.z.p = {-1, 0};
  Drift drift;  // at t = 1 the point is the centre of the circle, where the constraint has no gradient
  const Summary summary = setup.run(drift, {.step = 1, .end = 2});
  EXPECT_EQ(summary.outcome, Outcome::failed);
  ASSERT_TRUE(summary.failure);
  EXPECT_TRUE(summary.failure->in_projection);
  EXPECT_EQ(setup.z.q, (std::vector<double>{1, 0}));
  EXPECT_EQ(setup.z.p, (std::vector<double>{-1, 0}));
  EXPECT_EQ(summary.steps, 0);
}

TEST(Simulate, DoesNotAllocatePerStep) {
  const auto allocations_of = [](double end) {
    Setup setup({.projection = Projection::both});
    setup.records.times.reserve(20000);
    setup.records.values.reserve(20000);
    Drift drift;
    drift.lengths.reserve(20000);
    const std::int64_t before = allocations;
    static_cast<void>(setup.run(drift, {.step = 0.01, .end = end}));
    return allocations - before;
  };
  EXPECT_EQ(allocations_of(1), allocations_of(100));
}

TEST(Projections, HaveNamesAndDefaults) {
  EXPECT_EQ(find_projection("both"), Projection::both);
  for (const auto& facts : projections()) EXPECT_EQ(name_of(facts.projection), facts.name);
  EXPECT_THROW(static_cast<void>(find_projection("bothe")), std::invalid_argument);
  EXPECT_EQ(default_projection({.keeps_position = true, .keeps_momentum = true}, 1), Projection::none);
  EXPECT_EQ(default_projection({.keeps_position = true}, 1), Projection::both);
  EXPECT_EQ(default_projection({}, 0), Projection::none);
}

}  // namespace
}  // namespace cotangent
