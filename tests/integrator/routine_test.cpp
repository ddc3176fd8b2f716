#include "cotangent/integrator/routine.hpp"

#include <gtest/gtest.h>

#include <cctype>
#include <cmath>
#include <optional>
#include <ostream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "cotangent/integrator/composed/projected.hpp"
#include "cotangent/integrator/registry/registry.hpp"
#include "cotangent/manifold/initial_data.hpp"
#include "cotangent/manifold/regular_elements.hpp"
#include "cotangent/model/reader.hpp"
#include "tests/support/mechanisms.hpp"
#include "tests/support/problems.hpp"

// Steps by a routine are those of its method, to the last bit, and so is everything that is told of them.

namespace cotangent {
namespace {

using test::Mechanism;

// Recorded after three steps; the next way of a step after three that have gone another one.
constexpr Routine::Costs kSoon{.first_calls = 3, .least_steps = 0, .compiling = 0, .running = 0, .longest = 4000};

struct Way {
  std::string method, formulation;
  Projection projection = Projection::none;
  int least = 0;  ///< of about thirty systems, on so many there must be code

  friend void PrintTo(const Way& way, std::ostream* out) { *out << way.method << " " << way.formulation; }
};

template <class T>
StepMap<T> make_steps(const std::shared_ptr<const CompiledModel>& model, const Way& way) {
  StepMap<T> map;
  map.system = std::make_unique<System<T>>(model);
  map.manifold = std::make_unique<Manifold<T>>(*map.system);
  map.integrator = with_projection(find_method<T>(way.method).make(*map.manifold, way.formulation), *map.manifold,
                                   {.projection = way.projection});
  return map;
}

struct Trajectories {
  Trajectories(const Mechanism& mechanism, const Way& way)
      : model(read_model_text(mechanism.text, mechanism.name)),
        compiled(std::make_shared<const CompiledModel>(regular_elements(model, notes),
                                                       has_jit() ? Backend::jit : Backend::interpreter)),
        by_calls(make_steps<double>(compiled, way)),
        map(make_steps<double>(compiled, way)),
        routine(
            std::move(map.integrator), *map.manifold, [this, way] { return make_steps<Traced>(compiled, way); }, 0,
            kSoon),
        z(make_initial_data(model, *map.manifold).z),
        Z(z) {
    by_calls.integrator->count_projections(&tallies[0]);
    routine.count_projections(&tallies[1]);
  }

  // Makes the same steps in both ways. @return whether they are the same.
  void step(double h, std::int64_t steps) {
    std::int64_t done = 0, made = 0;
    const StepReport<double> expected = by_calls.integrator->advance(z, h, steps, done);
    const StepReport<double> report = routine.advance(Z, h, steps, made);
    same(expected, report);
    ASSERT_EQ(made, done);
    same_points();
  }

  void step(double h) {
    const StepReport<double> expected = by_calls.integrator->step(z, h, end);
    const StepReport<double> report = routine.step(Z, h, End);
    same(expected, report);
    if (expected.status == StepStatus::ok) swap(z, end);
    if (report.status == StepStatus::ok) swap(Z, End);
    same_points();
  }

  void same(const StepReport<double>& a, const StepReport<double>& b) const {
    ASSERT_EQ(a.status, b.status);
    ASSERT_EQ(a.iterations, b.iterations);
    ASSERT_EQ(a.evaluations, b.evaluations);
    ASSERT_EQ(a.error, b.error);
  }

  void same_points() {
    // With all that points remember: whoever goes on from them, or resumes, goes the same way.
    Archive a, b;
    z.state(a);
    Z.state(b);
    tallies[0].state(a);
    tallies[1].state(b);
    ASSERT_EQ(a.text(), b.text());
  }

  Model model;
  std::vector<std::string> notes;
  std::shared_ptr<const CompiledModel> compiled;
  StepMap<double> by_calls, map;
  Routine routine;
  Point<double> z, Z, end, End;
  ProjectionTally<double> tallies[2];
};

class Routines : public testing::TestWithParam<Way> {};

TEST_P(Routines, GiveTheBitsOfCalls) {
  int with_code = 0;
  for (const Mechanism& mechanism : test::all_systems()) {
    SCOPED_TRACE(mechanism.name);
    std::optional<Trajectories> both;
    try {
      both.emplace(mechanism, GetParam());
    } catch (const std::exception&) {
      continue;  // the method does not take it
    }
    const double h = 0.01;
    for (int k = 0; k < 20 && !HasFatalFailure(); ++k) both->step(h);
    for (int k = 0; k < 5 && !HasFatalFailure(); ++k) both->step(h, 7);
    for (const double other : {h / 3, -h, 2 * h, h}) both->step(other, 5);
    if (both->routine.compiled_steps() > 0) ++with_code;
    if (HasFatalFailure()) return;
  }
  EXPECT_GE(with_code, GetParam().least);
}

INSTANTIATE_TEST_SUITE_P(
    Methods, Routines,
    testing::Values(Way{"rk4", "standard", Projection::both, 20}, Way{"rkf78", "standard", Projection::joint, 12},
                    Way{"dopri5", "total", Projection::none, 12}, Way{"rk4", "dirac", Projection::none, 12},
                    Way{"rk4", "baumgarte", Projection::momentum, 12}, Way{"rk4", "impetus", Projection::none, 12},
                    Way{"rk4", "lagrange-1", Projection::none, 12}, Way{"odex:4", "standard", Projection::both, 8},
                    Way{"gauss:2", "standard", Projection::none, 5}, Way{"gauss:2", "direct", Projection::none, 6},
                    Way{"implicit-midpoint", "", Projection::none, 14},
                    Way{"gonzalez", "standard", Projection::none, 1}, Way{"lobatto:3", "", Projection::none, 6},
                    Way{"shake", "", Projection::none, 14}, Way{"hem4", "", Projection::none, 10},
                    Way{"project:both(heun)", "standard", Projection::none, 12},
                    Way{"project:relaxation:energy(rk4)", "standard", Projection::none, 1},
                    Way{"compose:4(rattle)", "", Projection::none, 6}),
    [](const auto& way) {
      std::string name = way.param.method + "_" + way.param.formulation;
      std::erase_if(name, [](char c) { return !std::isalnum(static_cast<unsigned char>(c)) && c != '_'; });
      return name;
    });

const Mechanism& pendulum() {
  static const Mechanism all = [] {
    for (const Mechanism& mechanism : test::all_systems())
      if (mechanism.name == "pendulum") return mechanism;
    throw std::out_of_range("pendulum");
  }();
  return all;
}

// Errors are estimated, steps that are refused are not projected, and noise is another number in every step.
TEST(Routine, EstimatesErrors) {
  Trajectories both(pendulum(), {"dopri5", "standard", Projection::both});
  for (auto* integrator : {both.by_calls.integrator.get(), static_cast<Integrator<double>*>(&both.routine)})
    integrator->tolerate({.relative = 1e-6});
  double h = 0.001;
  for (int k = 0; k < 60; ++k, h *= 1.08) {
    const StepNoiseOf<double> noise{1e-17 * k, 1e-16, 0};
    both.by_calls.integrator->tolerate({.relative = 1e-6}, noise);
    both.routine.tolerate({.relative = 1e-6}, noise);
    both.step(h);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(both.routine.compiled_steps(), 20);
}

// Where a step fails the method says why, and the point stays.
TEST(Routine, LeavesFailuresToTheMethod) {
  Trajectories both(pendulum(), {"rk4", "standard", Projection::both});
  both.step(0.01, 50);
  EXPECT_GT(both.routine.compiled_steps(), 0);
  for (const double h : {30.0, 1e200, std::nan(""), 0.01}) {
    both.step(h);
    if (HasFatalFailure()) return;
  }
  const Point<double> before = both.Z;
  std::int64_t done = 0;
  EXPECT_NE(both.routine.advance(both.Z, 1e200, 10, done).status, StepStatus::ok);
  EXPECT_EQ(done, 0);
  EXPECT_EQ(both.Z->q, before->q);
}

// What is asked for with a projection after every third step looks at the number of the step.
TEST(Routine, LeavesWhatCountsStepsToTheMethod) {
  Trajectories both(pendulum(), {"rk4", "standard"});
  const ProjectionPolicy policy{.projection = Projection::both, .every = 3};
  auto method =
      with_projection(find_method<double>("rk4").make(*both.map.manifold, "standard"), *both.map.manifold, policy);
  Routine routine(
      std::move(method), *both.map.manifold,
      [&] {
        auto map = make_steps<Traced>(both.compiled, {"rk4", "standard"});
        map.integrator = with_projection(std::move(map.integrator), *map.manifold, policy);
        return map;
      },
      0, kSoon);
  std::int64_t done = 0;
  Point<double> z = both.z;
  EXPECT_EQ(routine.advance(z, 0.01, 30, done).status, StepStatus::ok);
  EXPECT_EQ(routine.compiled_steps(), 0);
}

// Time that is not there to be won is not spent.
TEST(Routine, MakesNoCodeThatTakesLongerThanTheRun) {
  const Mechanism& mechanism = pendulum();
  const Way way{"rk4", "standard", Projection::both};
  Routine::Costs dear = kSoon, slow = kSoon;
  dear.compiling = 1;
  slow.running = 1;
  for (const Routine::Costs& costs : {kSoon, dear, slow}) {
    Trajectories both(mechanism, way);
    auto map = make_steps<double>(both.compiled, way);
    Routine routine(
        std::move(map.integrator), *map.manifold, [&] { return make_steps<Traced>(both.compiled, way); }, 1000, costs);
    std::int64_t done = 0;
    EXPECT_EQ(routine.advance(both.z, 0.01, 100, done).status, StepStatus::ok);
    EXPECT_EQ(routine.compiled_steps() > 0, costs.compiling == 0 && costs.running == 0);
  }
}

// Steps with so many corrections here and there are one code, whichever way each of them goes.
TEST(Routine, GoesManyWays) {
  for (const char* method : {"gauss:2", "hem4", "compose:4(rattle)", "implicit-midpoint"}) {
    SCOPED_TRACE(method);
    Trajectories both(pendulum(), {method, ""});
    for (int k = 0; k < 40 && !HasFatalFailure(); ++k) both.step(0.01, 20);
    for (int k = 0; k < 40 && !HasFatalFailure(); ++k) both.step(0.05, 20);
    if (HasFatalFailure()) return;
    const auto before = both.routine.compiled_steps();
    both.step(0.05, 200);
    EXPECT_GE(both.routine.compiled_steps() - before, 190);
  }
}

}  // namespace
}  // namespace cotangent
