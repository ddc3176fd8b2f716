#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

#include "cotangent/analysis/drift.hpp"
#include "cotangent/base/archive.hpp"
#include "cotangent/integrator/composed/projected.hpp"
#include "cotangent/integrator/registry/registry.hpp"
#include "cotangent/integrator/runge_kutta/doubled.hpp"
#include "tests/integrator/method_contract.hpp"
#include "tests/kernel/allocations.hpp"

// The contract of integrator.hpp, measured for every method of the registry on every problem that it takes. A
// claim is checked from both sides: what is declared holds to rounding, what is not declared is seen to fail.

namespace cotangent {
namespace {

using test::fastest;
using test::Instance;
using test::is_ok;
using test::MethodRunner;
using test::Problem;

// Charts take one trajectory at a time. Nothing if there is no other formulation.
std::optional<std::string> batch_formulation(const MethodFacts& facts, const Problem& problem) {
  const auto& names = facts.formulations;
  if (!problem.is_mechanical) return "equations";
  if (names.front() != "state-space") return names.front();
  if (std::find(names.begin(), names.end(), "hamilton-dirac") != names.end()) return "hamilton-dirac";
  if (problem.text.find("[constraints]") == std::string::npos) return "standard";
  return std::nullopt;
}

// Functional iteration needs shorter steps than Newton's method, and some parts of a step that is composed are longer
// than it. Group-preserving schemes, of order one, leave the numbers with long steps. Short series have larger errors
// than Runge-Kutta methods of their order, and drift off the manifold.
double long_step(const MethodFacts& facts, const Problem& problem) {
  const bool is_implicit =
      facts.formulations.front() == "state-space" || facts.kind == MethodKind::implicit_runge_kutta;
  const double step = is_implicit ? std::min(problem.long_step, 0.04) : problem.long_step;
  if (facts.kind == MethodKind::group_preserving) return std::min(step, 0.02);
  return facts.kind == MethodKind::composition || facts.kind == MethodKind::taylor ? step / 2 : step;
}

class MethodContract : public test::MethodTest {
 protected:
  template <class T>
  MethodRunner<T> batch_runner(Backend backend = Backend::interpreter) const {
    return MethodRunner<T>(method, problem, backend, *batch_formulation(facts, problem));
  }
  bool takes_batches() const { return batch_formulation(facts, problem).has_value(); }
};

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  for (std::size_t j = 0; j < a.size(); ++j)
    if (std::bit_cast<std::uint64_t>(a[j]) != std::bit_cast<std::uint64_t>(b[j])) return false;
  return a.size() == b.size();
}

bool same_state(const PhasePoint<double>& a, const PhasePoint<double>& b) {
  return same_bits(a.q, b.q) && same_bits(a.p, b.p) && same_bits(a.s, b.s);
}

bool same_bits(const PhasePoint<double>& a, const PhasePoint<double>& b) {
  return same_state(a, b) && same_bits(a.q_low, b.q_low) && same_bits(a.p_low, b.p_low) &&
         same_bits(a.s_low, b.s_low) && std::abs(a.t - b.t) <= 1e-12;  // t is a sum in another order
}

bool is_finite(const std::vector<double>& x) {
  return std::all_of(x.begin(), x.end(), [](double each) { return std::isfinite(each); });
}
bool is_finite(const PhasePoint<double>& z) { return is_finite(z.q) && is_finite(z.p) && is_finite(z.s); }

TEST_P(MethodContract, AFailedStepLeavesThePointUntouchedAndDoesNotSpoilTheNext) {
  auto s = runner<double>(), other = runner<double>();
  auto z = test::start<double>(problem);
  for (int k = 0; k < 5; ++k) ASSERT_TRUE(is_ok(s.step(z, 0.02)));
  const auto before = z;
  bool failed = false;
  for (const double h : {1e3, 1e150, 1e300, std::numeric_limits<double>::infinity()}) {
    const auto report = s.step(z, h);
    if (is_ok(report)) {  // a method may succeed even so, but then with numbers
      EXPECT_TRUE(is_finite(z)) << "h = " << h << " was accepted";
      z = before;
      continue;
    }
    failed = true;
    EXPECT_FALSE(report.ok);
    EXPECT_NE(report.status, StepStatus::ok);
    EXPECT_STRNE(describe(report.status), "");
    EXPECT_TRUE(same_bits(z, before)) << "h = " << h;
  }
  EXPECT_TRUE(failed) << "a step that never ends was made";
  // To rounding: another guess may end one bit away.
  auto fresh = before;
  fresh.forget();
  ASSERT_TRUE(is_ok(other.step(fresh, 0.02)));
  ASSERT_TRUE(is_ok(s.step(z, 0.02)));
  EXPECT_LE(test::distance(z, fresh), 1e-13);
}

TEST_P(MethodContract, AStepDoesNotDependOnTheStepsBefore) {
  auto s = runner<double>();
  auto z = test::start<double>(problem);
  for (int k = 0; k < 50; ++k) ASSERT_TRUE(is_ok(s.step(z, k < 25 ? 0.02 : 0.013)));
  auto again = z;
  again.change();
  auto fresh = runner<double>();
  ASSERT_TRUE(is_ok(s.step(z, 0.013)));
  ASSERT_TRUE(is_ok(fresh.step(again, 0.013)));
  EXPECT_LE(test::distance(z, again), 1e-13);
}

/// All of a point: two with the same text lead to the same bits.
template <class T>
std::string text_of(Point<T> z) {
  Archive archive;
  archive("point", z);
  return archive.text();
}

/// Steps from one point, with others in between, from a method that was just made, and from the point after change().
template <class T, class Make>
void expect_function_of_its_arguments(const Make& make, const Point<T>& start, double h) {
  const auto method = make();
  Point<T> z = start, end, other, again;
  method->begin(z);
  for (int k = 0; k < 6; ++k) ASSERT_TRUE(is_ok(method->step(z, h)));
  const std::string before = text_of(z);
  ASSERT_TRUE(is_ok(method->step(z, h, end)));
  EXPECT_EQ(text_of(z), before) << "the beginning is another one";
  static_cast<void>(method->step(end, -2 * h, other));
  static_cast<void>(method->step(start, h / 3, other));
  static_cast<void>(method->step(z, 1e150, other));  // most fail
  static_cast<void>(method->step(start, h, again));
  ASSERT_TRUE(is_ok(method->step(z, h, again)));
  EXPECT_EQ(text_of(again), text_of(end)) << "it depends on steps in between";
  const auto fresh = make();
  Point<T> first;
  ASSERT_TRUE(is_ok(fresh->step(z, h, first)));
  EXPECT_EQ(text_of(first), text_of(end)) << "it depends on the method";

  Point<T> changed = z, made = z.state();
  changed.change();
  made.trajectory() = z.trajectory();
  made.own().owner = z.own().owner;
  made.own().steps = z.own().steps;
  made.own().chart = z.own().chart;
  made.own().quality = z.own().quality;
  made.own().q = z.own().q;  // a guess
  ASSERT_TRUE(is_ok(method->step(changed, h, end)));
  ASSERT_TRUE(is_ok(fresh->step(made, h, again)));
  EXPECT_EQ(text_of(again), text_of(end)) << "it has not forgotten";
}

TEST_P(MethodContract, AStepIsAFunctionOfItsArguments) {
  const auto start = test::start<double>(problem);
  test::Instance<double> instance(problem);
  const auto make = [&] { return find_method<double>(method).make(instance.manifold); };
  expect_function_of_its_arguments(make, start, 0.02);
  if (!takes_batches()) return;
  test::Instance<Lanes> instances(problem);
  Point<Lanes> lanes = test::start<Lanes>(problem);
  for (int l = 0; l < kLanes; ++l)
    test::set_lane(lanes.change(), l, test::start<double>(problem, static_cast<std::uint64_t>(l % 5)));
  const auto make_batch = [&] {
    return find_method<Lanes>(method).make(instances.manifold, *batch_formulation(facts, problem));
  };
  expect_function_of_its_arguments(make_batch, lanes, 0.02);
}

TEST(Methods, MakeFunctionsOfTheirArgumentsWithEveryFormulationChartAndProjection) {
  const Problem& problem = test::problem("double_pendulum");
  const auto start = test::start<double>(problem);
  test::Instance<double> instance(problem);
  int runs = 0;
  const auto expect = [&](const char* method, const std::string& formulation, const FormulationOptions& options,
                          const ProjectionPolicy& policy = {.projection = Projection::none}) {
    SCOPED_TRACE(std::string(method) + " under " + formulation);
    const auto make = [&] {
      return with_projection(with_estimate(find_method<double>(method).make(instance.manifold, formulation, options)),
                             instance.manifold, policy);
    };
    try {
      static_cast<void>(make());
    } catch (const std::invalid_argument&) {
      return;  // not on that problem, or not together
    }
    expect_function_of_its_arguments(make, start, 0.05);
    ++runs;
  };
  for (const auto& entry : formulations<double>()) {
    for (const char* method : {"gauss:2", "dopri5", "compose:4(implicit-midpoint)"}) {
      expect(method, entry.facts.name, {.impetus_reset = 4});
      expect(method, entry.facts.name, {}, {.projection = Projection::both, .every = 3, .invariants = {"energy"}});
    }
  }
  for (const auto chart : {ChartKind::partition, ChartKind::qr, ChartKind::svd})
    for (const auto update : {ChartUpdate::midpoint, ChartUpdate::hysteresis, ChartUpdate::every_step})
      for (const char* method : {"gauss:2", "compose:4(implicit-midpoint)"})
        expect(method, "state-space", {.chart = chart, .chart_update = update});
  EXPECT_GT(runs, 60);
}

// Whoever moves a point says so with change(); what was remembered of the old one must not be used.
TEST_P(MethodContract, APointThatWasMovedIsTakenAsItIs) {
  auto s = runner<double>(), fresh = runner<double>();
  auto z = test::start<double>(problem);
  for (int k = 0; k < 3; ++k) ASSERT_TRUE(is_ok(s.step(z, 0.02)));
  z = test::start<double>(problem, 4);
  auto same = test::start<double>(problem, 4);
  ASSERT_TRUE(is_ok(s.step(z, 0.02)));
  ASSERT_TRUE(is_ok(fresh.step(same, 0.02)));
  EXPECT_LE(test::distance(z, same), 1e-13);
}

// A point that was put together by hand has not been anywhere.
TEST_P(MethodContract, APointMadeFromScratchIsTakenAsItIs) {
  auto s = runner<double>(), fresh = runner<double>();
  auto z = test::start<double>(problem);
  Point<double> made(static_cast<std::int64_t>(z->q.size()), static_cast<std::int64_t>(z->s.size()));
  made.change().q = z->q;
  made.change().p = z->p;
  made.change().s = z->s;
  ASSERT_TRUE(is_ok(s.step(z, 0.02)));
  ASSERT_TRUE(is_ok(fresh.step(made, 0.02)));
  EXPECT_TRUE(same_bits(made, z));
}

TEST_P(MethodContract, MachineCodeAndInterpreterGiveTheSameBits) {
  if (!has_jit()) GTEST_SKIP();
  auto compiled = runner<double>(Backend::jit), interpreted = runner<double>();
  auto a = test::start<double>(problem), b = a;
  for (int k = 0; k < 200; ++k) {
    ASSERT_TRUE(is_ok(compiled.step(a, 0.02)));
    ASSERT_TRUE(is_ok(interpreted.step(b, 0.02)));
    ASSERT_TRUE(same_bits(a, b)) << "after step " << k + 1;
  }
}

PhasePoint<double> lane_of(const PhasePoint<Lanes>& batch, int l) {
  PhasePoint<double> z(static_cast<std::int64_t>(batch.q.size()), static_cast<std::int64_t>(batch.s.size()));
  const auto get = [&](const std::vector<Lanes>& lanes, std::vector<double>& x) {
    for (std::size_t j = 0; j < x.size(); ++j) x[j] = lanes[j][l];
  };
  get(batch.q, z.q);
  get(batch.p, z.p);
  get(batch.s, z.s);
  get(batch.q_low, z.q_low);
  get(batch.p_low, z.p_low);
  get(batch.s_low, z.s_low);
  z.t = batch.t;
  return z;
}

// Lanes need different numbers of iterations; with the longer step some of them also need a new matrix on the
// way.
TEST_P(MethodContract, EveryLaneGivesTheBitsOfARunOfItsOwn) {
  if (!takes_batches()) return;
  auto batch = batch_runner<Lanes>(fastest());
  auto single = batch_runner<double>(fastest());
  auto z = test::start<Lanes>(problem);
  std::vector<Point<double>> alone;
  for (int l = 0; l < kLanes; ++l) {
    alone.push_back(test::start<double>(problem, static_cast<std::uint64_t>(l % 7)));
    test::set_lane(z.change(), l, alone.back());
  }
  const int steps = GetParam().is_first ? 1000 : 200, at_once = 50;
  const auto h = [&](int k) { return 4 * k < 3 * steps ? 0.02 : long_step(facts, problem); };
  for (int k = 0; k < steps; k += at_once) {
    std::int64_t done = 0;
    const auto made = batch.integrator->advance(z, h(k), at_once, done);
    ASSERT_TRUE(is_ok(made)) << "step " << k + done << ": " << describe(made.status);
  }
  for (int l = 0; l < 7; ++l) {
    auto& x = alone[static_cast<std::size_t>(l)];
    for (int k = 0; k < steps; ++k) ASSERT_TRUE(is_ok(single.step(x, h(k)))) << "lane " << l << ", step " << k;
    for (int same = l; same < kLanes; same += 7)
      ASSERT_TRUE(same_bits(lane_of(z, same), x))
          << "lane " << same << " is off by " << test::distance(lane_of(z, l), x);
  }
}

TEST_P(MethodContract, SeveralStepsAtOnceGiveTheBitsOfSingleSteps) {
  auto several = runner<double>(fastest()), single = runner<double>(fastest());
  auto a = test::start<double>(problem), b = a;
  for (const auto& [h, count] :
       {std::pair(0.02, 1), {0.02, 100}, {0.02, 7}, {long_step(facts, problem), 50}, {0.013, 50}}) {
    std::int64_t done = -1;
    ASSERT_TRUE(is_ok(several.integrator->advance(a, h, count, done)));
    EXPECT_EQ(done, count);
    for (int k = 0; k < count; ++k) ASSERT_TRUE(is_ok(single.step(b, h)));
    ASSERT_TRUE(same_bits(a, b)) << "h = " << h << ", off by " << test::distance(a, b) << ", t by " << a->t - b->t;
  }
  std::int64_t done = -1;
  EXPECT_TRUE(is_ok(several.integrator->advance(a, 0.02, 0, done)));
  EXPECT_EQ(done, 0);
  EXPECT_TRUE(same_bits(a, b));
}

TEST_P(MethodContract, ALaneThatFailsStaysAndTheOthersGoOn) {
  if (!takes_batches()) return;
  auto batch = batch_runner<Lanes>();
  auto single = batch_runner<double>();
  auto z = test::start<Lanes>(problem);
  auto alone = test::start<double>(problem);
  auto bad = alone;
  for (auto* x : {&bad.change().p, &bad.change().s})
    for (double& entry : *x) entry = 1e200;  // leaves the domain of every problem
  test::set_lane(z.change(), 3, bad);
  const auto report = batch.step(z, 0.02);
  ASSERT_TRUE(is_ok(single.step(alone, 0.02)));
  if (lane(report.ok, 3)) {
    EXPECT_TRUE(is_finite(lane_of(z, 3)));
  } else {
    EXPECT_NE(report.status, StepStatus::ok);
    EXPECT_TRUE(same_state(lane_of(z, 3), bad));
  }
  const auto expect_others = [&] {
    for (int l = 0; l < kLanes; ++l) ASSERT_TRUE(l == 3 || same_state(lane_of(z, l), alone)) << "lane " << l;
  };
  for (int l = 0; l < kLanes; ++l) ASSERT_TRUE(l == 3 || lane(report.ok, l)) << "lane " << l;
  expect_others();
  // What they know of the step before they keep; the parts of a composition begin anew.
  if (facts.kind == MethodKind::composition) return;
  for (int k = 0; k < 2; ++k) {
    static_cast<void>(batch.step(z, 0.02));
    ASSERT_TRUE(is_ok(single.step(alone, 0.02)));
    expect_others();
  }
}

template <class T>
long allocations_of_steps(const test::MethodCase& c, const std::string& formulation) {
  MethodRunner<T> s(c.method, c.problem, fastest(), formulation);
  constexpr int kFirst = 5, kSteps = 50;
  bool ok = true;
  const auto run = [&] {
    auto z = test::start<T>(c.problem);
    long count = 0;
    for (int k = 0; k < kFirst + kSteps; ++k) {
      const long before = test::allocations();
      const auto report = s.step(z, 0.02);
      ok = is_ok(report) && ok;
      // The first steps compile what they need. A new chart is a new object, and the only other reason to allocate.
      if (k >= kFirst && report.charts == 0) count += test::allocations() - before;
    }
    return count;
  };
  const long once = run(), again = run();
  EXPECT_TRUE(ok);
  // Charts may have been tried, and not taken: the second time they are there.
  const bool has_charts = formulation.starts_with("state-space");
  return has_charts ? again : once + again;
}

TEST_P(MethodContract, StepsDoNotAllocate) {
  const long before = test::allocations();
  const auto counted = std::make_unique<int>(0);
  ASSERT_EQ(test::allocations() - before, 1) << "allocations are not counted";
  EXPECT_EQ(allocations_of_steps<double>(GetParam(), problem.is_mechanical ? facts.formulations.front() : ""), 0);
  if (takes_batches()) {
    EXPECT_EQ(allocations_of_steps<Lanes>(GetParam(), *batch_formulation(facts, problem)), 0);
  }
}

// What one formulation leaves in a point is not for another one.
TEST(Methods, MayTakeTurnsOnOnePoint) {
  const Problem& problem = test::problem("double_pendulum");
  MethodRunner<double> impetus("rk4", problem, Backend::interpreter, "impetus");
  MethodRunner<double> lagrange("rk4", problem, Backend::interpreter, "lagrange-1");
  auto z = test::start<double>(problem), apart = z;
  for (int k = 0; k < 3; ++k) {
    ASSERT_TRUE(is_ok(impetus.step(z, 0.02)) && is_ok(lagrange.step(z, 0.02)));
    ASSERT_TRUE(is_ok(impetus.step(apart, 0.02)));
    apart.forget();
    ASSERT_TRUE(is_ok(lagrange.step(apart, 0.02)));
    apart.forget();
  }
  EXPECT_TRUE(same_state(z, apart));
}

// From rest every second iterate of functional iteration changes nothing but q, or nothing but p: neither a reason to
// fail nor to stop early.
TEST(Methods, IterateFunctionallyToRoundingFromRest) {
  const Problem oscillator{.name = "oscillator", .text = R"toml(
[system]
coordinates = ["x"]
hamiltonian = "(p_x^2 + x^2)/2"
[initial]
x = 1
p_x = 0
)toml"};
  for (const double h : {0.1, 0.6, 0.9, 1.2}) {
    MethodRunner<double> midpoint("implicit-midpoint", oscillator);
    Point<double> z = test::converted<double>(test::given_point(midpoint.instance.model));
    ASSERT_TRUE(is_ok(midpoint.step(z, h))) << h;
    const double a = h * h / 4;  // the Cayley transform of the rotation
    EXPECT_NEAR(z->q[0], (1 - a) / (1 + a), 4e-16) << h;
    EXPECT_NEAR(z->p[0], -h / (1 + a), 4e-16) << h;
  }
}

INSTANTIATE_TEST_SUITE_P(Every, MethodContract, testing::ValuesIn(test::method_cases()), test::method_case_name);

TEST(Methods, AcceptExactlyTheSystemsThatTheirFactSheetsName) {
  for (const auto* list : {&test::problems(), &test::equations()}) {
    for (const Problem& problem : *list) {
      Instance<double> instance(problem);
      for (const auto& method : methods<double>()) {
        if (test::applies(method.facts, problem)) {
          EXPECT_NO_THROW(method.make(instance.manifold)) << method.facts.name << " on " << problem.name;
        } else {
          EXPECT_THROW(method.make(instance.manifold), std::invalid_argument)
              << method.facts.name << " on " << problem.name;
        }
      }
    }
  }
}

TEST(Methods, AreFoundByNameAndHaveFactSheets) {
  for (const auto& method : methods<double>()) {
    EXPECT_EQ(find_method<double>(method.facts.name).facts.name, method.facts.name);
    EXPECT_GE(method.facts.order, 1);
    EXPECT_FALSE(method.facts.description.empty());
    EXPECT_FALSE(method.facts.formulations.empty());
    EXPECT_FALSE(method.facts.reference.empty());
    const auto find = [&](const std::vector<Problem>& all) {
      return std::find_if(all.begin(), all.end(),
                          [&](const Problem& problem) { return test::applies(method.facts, problem); });
    };
    const auto mechanical = find(test::problems());
    Instance<double> instance(mechanical != test::problems().end() ? *mechanical : *find(test::equations()));
    EXPECT_EQ(method.make(instance.manifold)->facts().name, method.facts.name);
  }
  EXPECT_THROW(find_method<double>("ratle"), std::invalid_argument);
}

// Falling into V = -y^3/3 the point reaches infinity in finite time, and numbers that are finite end some
// steps later. With a pendulum beside it, whose constraint does not notice.
constexpr const char* kFallAndPendulum = R"toml(
[system]
coordinates = ["x", "y", "u", "w"]
hamiltonian = "(p_x^2 + p_y^2 + p_u^2 + p_w^2)/2 + (x^2 + y^2)/2 + x^2*y - y^3/3 + w"
[constraints]
rod = "u^2 + w^2 = 1"
[initial]
x = 0.1
y = 2
u = 0.6
w = 0.8
p_x = 0
p_y = 1
p_u = 0
p_w = 0
)toml";

TEST(Methods, StopWhereTheMotionLeavesTheNumbersWithTheLastGoodPoint) {
  Problem free = test::problem("free");
  free.text.replace(free.text.find("x = 0.3"), std::string::npos, "x = 0.1\ny = 2\np_x = 0\np_y = 1\n");
  for (const Problem& problem : {free, Problem{.name = "fall_and_pendulum", .text = kFallAndPendulum}}) {
    for (const auto& method : methods<double>()) {
      if (!test::applies(method.facts, problem)) continue;
      const std::string what = method.facts.name + " on " + problem.name;
      MethodRunner<double> single(method.facts.name, problem), several(method.facts.name, problem);
      Point<double> z = test::converted<double>(test::given_point(single.instance.model)), many = z, before = z;
      int steps = 0;
      for (; steps < 1000; ++steps) {
        before = z;
        if (!is_ok(single.step(z, 0.1))) break;
      }
      // Implicit methods may step over infinity.
      if (steps == 1000 && !method.facts.is_explicit) {
        EXPECT_TRUE(is_finite(z)) << what;
        continue;
      }
      EXPECT_LT(steps, 1000) << what << " went on";
      EXPECT_GT(steps, 5) << what;
      EXPECT_TRUE(same_bits(z, before)) << what;
      EXPECT_TRUE(is_finite(z)) << what;
      if (testing::Test::HasFailure()) return;
      std::int64_t done = -1;
      const StepStatus status = several.integrator->advance(many, 0.1, 1000, done).status;
      EXPECT_NE(status, StepStatus::ok) << what;
      EXPECT_EQ(done, steps) << what;
      EXPECT_TRUE(same_bits(many, z)) << what;
    }
  }
}

// H - H(0) over 10^5 steps, a line fitted through it: |slope T| against the size of the oscillation, and its standard
// error.
struct EnergyError {
  double drift, oscillation, error;
};
EnergyError energy_error(const std::string& method, const Problem& problem, double h) {
  MethodRunner<double> s(method, problem, fastest());
  auto z = test::start<double>(problem);
  const double H0 = test::energy(s.instance.system, z);
  const int steps = 100000, every = 20;
  Series series;
  double low = 0, high = 0;
  for (int k = 1; k <= steps; ++k) {
    if (!is_ok(s.step(z, h))) {
      ADD_FAILURE() << method << " on " << problem.name << " failed in step " << k;
      break;
    }
    if (k % every != 0) continue;
    const double e = test::energy(s.instance.system, z) - H0;
    series.add(static_cast<double>(k) / steps, e);
    low = std::min(low, e);
    high = std::max(high, e);
  }
  const Drift drift = measure_drift(series);
  return {std::abs(drift.slope), high - low, drift.error};
}

TEST(SymplecticMethods, HaveNoEnergyDrift) {
  const auto first = test::first_methods();
  for (const auto& method : methods<double>()) {
    if (first.count(method.facts.name) == 0) continue;
    if (!method.facts.symplectic) continue;
    for (const char* name : {"pendulum", "ellipsoid", "relativistic", "torus", "double_pendulum", "free"}) {
      if (!test::applies(method.facts, test::problem(name))) continue;
      const double h = std::string(name) == "free" ? 0.1 : 0.05;
      const auto [drift, oscillation, error] = energy_error(method.facts.name, test::problem(name), h);
      EXPECT_GT(oscillation, 1e-7) << name << ": nothing to measure against";
      // Means of a chaotic motion wander, by no more than their standard error says: two have Lyapunov exponents of 0.1
      // and more, whatever the time.
      const bool is_chaotic = std::string(name) == "double_pendulum" || std::string(name) == "relativistic";
      EXPECT_LT(drift,
                is_chaotic ? std::max(0.05 * oscillation, std::min(3 * error, 0.15 * oscillation)) : 0.05 * oscillation)
          << method.facts.name << " on " << name;
    }
  }
}

// The other side: the same measurement finds the drift of a method that is not symplectic.
TEST(SymplecticMethods, AreNeededForThat) {
  const auto [drift, oscillation, error] = energy_error("rk4", test::problem("free"), 0.1);
  EXPECT_GT(drift, 5 * error);
  EXPECT_GT(drift, 0.5 * oscillation);
}

KernelCompiler<double>::Statistics compiled_for_chain(const std::string& method, int N) {
  MethodRunner<double> s(method, test::chain(N), fastest());
  auto z = test::start<double>(test::chain(N));
  for (int k = 0; k < 2; ++k) {
    const auto report = s.step(z, 1e-3);
    EXPECT_TRUE(is_ok(report)) << method << ", " << N << " links: " << describe(report.status) << ", residual "
                               << report.residual << " against " << report.tolerance;
  }
  return s.instance.system.compiler().statistics();
}

TEST(Methods, CompileTheSameCodeForAChainOfAnyLength) {
  for (const auto& method : methods<double>()) {
    if (!test::applies(method.facts, test::chain(20))) continue;
    // On more than some 500 links projections of stages do not converge: docs/projections.md.
    const auto shorter = compiled_for_chain(method.facts.name, 20), longer = compiled_for_chain(method.facts.name, 400);
    EXPECT_GT(shorter.kernels, 0);
    EXPECT_EQ(shorter.kernels, longer.kernels) << method.facts.name;
    EXPECT_EQ(shorter.functions, longer.functions) << method.facts.name;
  }
}

}  // namespace
}  // namespace cotangent
