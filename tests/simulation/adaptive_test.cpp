#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "cotangent/formulation/field/standard.hpp"
#include "tests/kernel/allocations.hpp"
#include "tests/simulation/orbits.hpp"

namespace cotangent {
namespace {

using test::kPeriod;
using test::options;

/// Refuses steps that are too long, and counts them.
class Impatient final : public Integrator<double> {
 public:
  Impatient(Integrator<double>& inner, double longest)
      : Integrator<double>(inner.facts()), inner_(inner), longest_(longest) {}
  StepReport<double> make_step(const Point<double>& z, double h, Point<double>& end) override {
    if (std::abs(h) <= longest_) return inner_.step(z, h, end);
    return {.status = StepStatus::stage_solve_failed, .ok = false, .residual = 1};
  }

 private:
  Integrator<double>& inner_;
  double longest_;
};

/// Says that its error is C h^3 in units of a tolerance of one, and keeps the steps.
class Estimator final : public Integrator<double> {
 public:
  explicit Estimator(double C) : Integrator<double>(sheet()), C_(C) {}
  static MethodFacts sheet() {
    MethodFacts facts;
    facts.order = 2;
    facts.error_order = 3;
    return facts;
  }
  StepReport<double> make_step(const Point<double>& z, double h, Point<double>& end) override {
    end.change() = z;
    end.change().advance_time(h);
    steps.push_back(h);
    StepReport<double> report;
    report.error = C_ * h * h * h / tolerance_;
    return report;
  }
  void tolerate(const Tolerance& tolerance, const StepNoiseOf<double>& /*noise*/) override {
    tolerance_ = tolerance.relative;
  }

  std::vector<double> steps;

 private:
  double C_, tolerance_ = 0;
};

TEST(PiControl, MeetsTheToleranceWithSafety) {
  test::Orbit<double> orbit(test::kepler("0.6"), "rk4");
  Estimator estimator(100);
  const Summary summary = orbit.run(options(Controller::pi, 1e-4, 1), &estimator);
  EXPECT_EQ(summary.outcome, Outcome::done);
  // In the long run, but for the last step: 1 = 0.9 err^(-0.7/3) err^(0.4/3).
  const double h = estimator.steps[estimator.steps.size() - 2];
  const double error = 100 * h * h * h / 1e-4;
  EXPECT_NEAR(error, std::pow(0.9, 3 / 0.3), 1e-6);
  EXPECT_EQ(summary.time, 1);
}

TEST(PiControl, ErrorsFollowTheTolerance) {
  double last = 0;
  for (const double tolerance : {1e-7, 1e-9, 1e-11}) {
    test::Orbit<double> orbit(test::kepler("0.6"), "rk4");
    const Summary summary = orbit.run(options(Controller::pi, tolerance, kPeriod));
    ASSERT_EQ(summary.outcome, Outcome::done);
    const double error = std::abs(orbit.z->q[0] - 0.4) + std::abs(orbit.z->q[1]);
    if (last > 0) {
      // The error of a step is proportional to the tolerance, their sum to tolerance^(4/5).
      EXPECT_GT(last / error, 20);
      EXPECT_LT(last / error, 80);
    }
    last = error;
    ASSERT_TRUE(summary.choice);
    EXPECT_EQ(summary.choice->controller, "pi");
    EXPECT_GT(summary.choice->largest, 4 * summary.choice->smallest);
    EXPECT_LT(summary.counts.rejected, summary.steps / 5);
  }
  EXPECT_LT(last, 1e-6);
}

TEST(PiControl, AFirstStepThatIsTooLongIsMadeAgain) {
  test::Orbit<double> orbit(test::kepler("0.6"), "rk4");
  auto wanted = options(Controller::pi, 1e-6, 1);
  wanted.first_step = 0.9;
  const Summary summary = orbit.run(wanted);
  EXPECT_EQ(summary.outcome, Outcome::done);
  EXPECT_GT(summary.counts.rejected, 0);
  EXPECT_NEAR(orbit.track.energies.back(), 0, 1e-5);
}

// A pendulum comes to rest away from the origin. Momenta fall to what cancelled forces leave, and what is tolerated of
// them by default falls as well: the lengths of steps must not follow.
constexpr const char* kComesToRest = R"toml(
[system]
coordinates = ["x", "y"]
hamiltonian = "(p_x^2 + p_y^2)/2 - 0.6*x + 0.8*y"
dissipation = "0.2*(v_x^2 + v_y^2)"
[constraints]
rod = "x^2 + y^2 = 1"
[initial]
x = 1
y = 0
p_x = 0
p_y = 0.5
)toml";

TEST(PiControl, StepsStayLongWhereAMotionComesToRest) {
  for (const char* method : {"dopri5", "dop853", "vern9", "odex:4", "rkf78", "radau-iia:3", "lobatto:3", "rk4"}) {
    test::Orbit<double> orbit(kComesToRest, method);
    const Summary summary = orbit.run(options(Controller::pi, 1e-8, 500));
    EXPECT_EQ(summary.outcome, Outcome::done) << method;
    EXPECT_LT(summary.steps, 5000) << method;
    EXPECT_NEAR(orbit.z->q[1] / orbit.z->q[0], -0.8 / 0.6, 1e-7) << method;
  }
}

// No step is short enough for a force that jumps wherever the velocity changes its sign; that is no rounding error.
TEST(PiControl, StickingFrictionEndsARunWithAReason) {
  test::Orbit<double> orbit(R"toml(
[system]
coordinates = ["x"]
hamiltonian = "p_x^2/2 + x^2/2"
[forces]
x = "-0.3*v_x/abs(v_x)"
[initial]
x = 1
p_x = 0.5
)toml",
                            "dop853");
  const Summary summary = orbit.run(options(Controller::pi, 1e-10, 1000));
  EXPECT_EQ(summary.outcome, Outcome::failed);
  ASSERT_TRUE(summary.failure);
  EXPECT_EQ(summary.failure->during, Phase::tolerance);
  EXPECT_LT(summary.steps, 10000);
}

// Where s = 0 has been reached the motion stays there: s' points to it from both sides. A series ends where it crosses.
TEST(SeriesControl, SlidingAlongAJumpEndsARun) {
  test::Orbit<double> orbit(R"toml(
[system]
coordinates = ["x"]
hamiltonian = "p_x^2/2"
states = ["s"]
[equations]
s = "0.3*cos(x) - sign(s)"
[initial]
x = 0
p_x = 1
s = 1
)toml",
                            "taylor");
  const Summary summary = orbit.run(options(Controller::pi, 1e-8, 1000));
  EXPECT_EQ(summary.outcome, Outcome::failed);
  ASSERT_TRUE(summary.failure);
  EXPECT_EQ(summary.failure->during, Phase::tolerance);
  EXPECT_FALSE(std::isfinite(summary.failure->error)) << "no step was rejected";
  EXPECT_LT(summary.time, 2);
  EXPECT_LT(summary.steps, 20000);
}

// p_x becomes infinite where cos(x) = 0, in a finite time. At a collision H_pp is what it always is.
TEST(AdaptiveRun, NamesAMassThatBecomesSingular) {
  const auto failure_of = [](const std::string& hamiltonian, const std::string& start) {
    test::Orbit<double> orbit("[system]\ncoordinates = [\"x\", \"y\"]\nhamiltonian = \"" + hamiltonian +
                                  "\"\n[initial]\n" + start + "y = 0\np_x = 1\np_y = 0\n",
                              "dop853");
    const Summary summary = orbit.run(options(Controller::pi, 1e-8, 5));
    EXPECT_EQ(summary.outcome, Outcome::failed) << hamiltonian;
    return summary.failure ? summary.failure->status : StepStatus::not_finite;
  };
  EXPECT_EQ(failure_of("cos(x)*p_x^2/2 + p_y^2/2 - x", "x = 0\n"), StepStatus::singular_mass);
  EXPECT_NE(failure_of("p_x^2/2 + p_y^2/2 - 1/sqrt(x^2 + y^2)", "x = -1\n"), StepStatus::singular_mass);
}

TEST(AdaptiveRun, StepsThatFailAreMadeAgainShorter) {
  for (const Controller controller : {Controller::pi, Controller::reversible}) {
    test::Orbit<double> orbit(test::kepler("0.6"), "rattle");
    const auto rattle = orbit.make();
    std::unique_ptr<Integrator<double>> impatient = std::make_unique<Impatient>(*rattle, 0.03);
    if (controller == Controller::pi) impatient = with_estimate(std::move(impatient));
    const Summary summary = orbit.run(options(controller, 1e-4, 2), impatient.get());
    EXPECT_EQ(summary.outcome, Outcome::done);
    EXPECT_EQ(summary.time, 2);
    EXPECT_GT(summary.counts.rejected, 0);
    const bool warned = !summary.warnings.empty() && summary.warnings.back().kind == "irreversible-steps";
    EXPECT_EQ(warned, controller == Controller::reversible);
    if (warned) {
      EXPECT_LE(summary.choice->largest, 0.03);
    }
  }
}

// Two bodies fall into each other after the time pi/(2 sqrt 2).
TEST(AdaptiveRun, EndsBeforeACollisionWithEverythingThatWasReached) {
  test::Orbit<double> orbit(R"toml(
[system]
coordinates = ["x"]
hamiltonian = "p_x^2/2 - 1/x"
[initial]
x = 1
p_x = 0
)toml",
                            "rk4");
  const Summary summary = orbit.run(options(Controller::pi, 1e-8, 2));
  EXPECT_EQ(summary.outcome, Outcome::failed);
  ASSERT_TRUE(summary.failure);
  EXPECT_EQ(summary.failure->during, Phase::tolerance);
  EXPECT_GT(summary.failure->error, 1);
  EXPECT_NEAR(summary.time, M_PI / (2 * std::sqrt(2)), 1e-6);
  EXPECT_EQ(summary.failure->time, summary.time);
  EXPECT_EQ(orbit.track.points.back().t, summary.time);
  EXPECT_EQ(static_cast<std::int64_t>(orbit.track.points.size()), summary.steps + 1);
}

TEST(AdaptiveRun, SamplesChangeNoStepAndLieOnTheTrajectory) {
  const auto run = [](test::Orbit<double>& orbit, std::optional<double> sample) {
    auto wanted = options(Controller::pi, 1e-8, 2);
    wanted.sample = sample;
    return orbit.run(wanted);
  };
  test::Orbit<double> plain(test::kDriven, "rk4", Projection::both), sampled(test::kDriven, "rk4", Projection::both);
  const Summary a = run(plain, {}), b = run(sampled, 0.1);
  EXPECT_EQ(a.steps, b.steps);
  EXPECT_EQ(plain.z->q, sampled.z->q);
  EXPECT_EQ(plain.z->p, sampled.z->p);
  EXPECT_GT(b.counts.rhs, a.counts.rhs);
  ASSERT_EQ(sampled.track.points.size(), 21u);
  test::Orbit<double> fine(test::kDriven, "rk4", Projection::both);
  Point<double> z = fine.start();
  for (std::size_t k = 0; k <= 20; ++k) {
    const auto& point = sampled.track.points[k];
    EXPECT_EQ(point.t, static_cast<double>(k) / 10);  // the decimal
    EXPECT_LT(sampled.manifold.position_residual(point.q.data(), point.t).value, 1e-15);
    EXPECT_LT(sampled.manifold.momentum_residual(point).value, 4e-15);
    for (std::size_t j = 0; j < 2; ++j) {
      EXPECT_NEAR(point.q[j], z->q[j], 1e-6);
      EXPECT_NEAR(point.p[j], z->p[j], 1e-6);
    }
    EXPECT_NEAR(point.s[0], z->s[0], 1e-6);
    for (int i = 0; i < 50 && k < 20; ++i) ASSERT_EQ(fine.integrator->step(z, 0.002).status, StepStatus::ok);
  }
  // The monitors have watched the steps, not the samples.
  for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ(a.monitors[k].largest, b.monitors[k].largest);
}

// x and y on the ellipse at time t, by Kepler's equation E - e sin E = t.
std::pair<double, double> on_ellipse(double e, double t) {
  double E = t;
  for (int i = 0; i < 50; ++i) E -= (E - e * std::sin(E) - t) / (1 - e * std::cos(E));
  return {std::cos(E) - e, std::sqrt(1 - e * e) * std::sin(E)};
}

TEST(AdaptiveRun, SamplesAreAsGoodAsSteps) {
  for (const char* method : {"rk4", "dopri5", "dop853"}) {
    const auto error = [&](std::optional<double> sample) {
      test::Orbit<double> orbit(test::kepler("0.6"), method);
      auto wanted = options(Controller::pi, 1e-8, 5);
      wanted.sample = sample;
      EXPECT_EQ(orbit.run(wanted).outcome, Outcome::done);
      double largest = 0;
      for (const auto& point : orbit.track.points) {
        const auto [x, y] = on_ellipse(0.6, point.t);
        largest = std::max({largest, std::abs(point.q[0] - x), std::abs(point.q[1] - y)});
      }
      return largest;
    };
    EXPECT_LT(error(0.01), 3 * error({})) << method;
    EXPECT_LT(error(0.01), 1e-5);
  }
}

TEST(AdaptiveRun, RecordsEveryKthStepAndTheLast) {
  test::Orbit<double> orbit(test::kepler("0.6"), "rattle");
  auto wanted = options(Controller::reversible, 1e-3, 3);
  wanted.every = 7;
  const Summary summary = orbit.run(wanted);
  EXPECT_EQ(static_cast<std::int64_t>(orbit.track.points.size()), 1 + (summary.steps + 6) / 7);
  EXPECT_EQ(orbit.track.points.back().t, 3);
}

TEST(AdaptiveRun, DoesNotAllocatePerStep) {
  for (const Controller controller : {Controller::pi, Controller::reversible}) {
    const auto allocations_of = [&](double end) {
      test::Orbit<double> orbit(test::kBumper, "rattle");
      auto wanted = options(controller, 1e-4, end);
      wanted.sample = end / 2;
      const long before = test::allocations();
      static_cast<void>(orbit.run(wanted));
      return test::allocations() - before;
    };
    EXPECT_EQ(allocations_of(1), allocations_of(20));
  }
}

// Forth and back with a control, by a method: how far from the start it ends.
double return_distance(const std::string& text, double h, int steps, bool is_reversible) {
  test::Orbit<double> orbit(text, "rattle");
  DensityControl<double> control(*orbit.integrator, orbit.manifold, options(Controller::reversible, 1e-4, 100),
                                 nullptr);
  const PhasePoint<double> start = orbit.start();
  Point<double> z = start, end;
  control.begin(z, h);
  double smallest = 1, largest = 0;
  for (const int direction : {1, -1}) {
    for (int k = 0; k < steps; ++k) {
      double length = control.propose();
      // The same density, but only at the beginning of a step.
      if (!is_reversible) length = direction * h * std::pow(std::hypot(z->q[0], z->q[1]) / start.q[0], 1.5);
      const auto report = control.attempt(z, length, end);
      EXPECT_EQ(report.status, StepStatus::ok);
      control.accept(z, length, report, end);
      swap(z, end);
      smallest = std::min(smallest, std::abs(length));
      largest = std::max(largest, std::abs(length));
    }
    control.reverse();
  }
  EXPECT_GT(largest, 3 * smallest);
  double result = 0;
  for (std::size_t j = 0; j < z->q.size(); ++j)
    result = std::max({result, std::abs(z->q[j] - start.q[j]), std::abs(z->p[j] - start.p[j])});
  return result;
}

TEST(ReversibleControl, LeadsBackToTheStart) {
  // A rounding error at the perihelion is enlarged by up to (1 + e)/(1 - e) = 19 in q and as much as p = 4.4 there.
  EXPECT_LT(return_distance(test::kepler("0.9"), 0.001, 1000, true), 2000 * epsilon<double>() * 19 * 4.4);
  EXPECT_GT(return_distance(test::kepler("0.9"), 0.001, 1000, false), 1e-4);
  EXPECT_LT(return_distance(test::kBumper, 0.01, 2000, true), 1e-10);
}

// At the start of a swing from the side the method makes hardly an error. Steps that were chosen there alone would make
// 10 times what is tolerated elsewhere.
TEST(AdaptiveSteps, MeetTheToleranceAlongTheMotion) {
  const std::string pendulum =
      "[system]\ncoordinates = [\"x\", \"y\"]\nhamiltonian = \"(p_x^2 + p_y^2)/2 + y\"\n"
      "[constraints]\nrod = \"x^2 + y^2 = 1\"\n[initial]\nx = 1\ny = 0\np_x = 0\np_y = -2\n";
  for (const auto& [text, method] :
       {std::pair{pendulum, "gauss:3"}, {pendulum, "rattle"}, {test::kepler("0.6"), "gauss:2"}}) {
    test::Orbit<double> orbit(text, method);
    const Summary summary = orbit.run(options(Controller::reversible, 1e-7, 10));
    EXPECT_LT(summary.choice->largest_error, 2) << method;
    EXPECT_GT(summary.choice->largest_error, 0.02) << method;
    const Summary watched = test::Orbit<double>(text, method).run(options(Controller::pi, 1e-7, 10));
    EXPECT_LE(watched.choice->largest_error, 1) << method;
    EXPECT_GT(watched.choice->largest_error, 0.1) << method;
  }
}

// A force that has the period of half a step looks constant to equal halves.
TEST(AdaptiveSteps, DivideStepsUnevenlyToSeeWhatHalvesDoNot) {
  test::Orbit<double> orbit(
      "[system]\ncoordinates = [\"x\"]\nhamiltonian = \"p_x^2/2 - x*cos(40*pi*t)\"\n[initial]\nx = 0\np_x = 0\n",
      "rattle");
  orbit.estimate();
  EXPECT_FALSE(orbit.integrator->facts().symmetric);
  orbit.integrator->tolerate({.relative = 0, .absolute = 1});
  Point<double> z = orbit.start(), end;
  const StepReport<double> report = orbit.integrator->step(z, 0.1, end);
  const double actual = std::abs(end->p[0]);  // the exact one is 0
  EXPECT_GT(report.error, 0.25 * actual);
  EXPECT_LT(report.error, actual);
}

// The error of the energy over the first and the last tenth of a run.
struct Drift {
  double first = 0, last = 0;
  std::int64_t steps = 0;
};

Drift energy_drift(const std::string& text, const std::string& method, Controller controller, double tolerance,
                   double end, Backend backend = Backend::interpreter) {
  test::Orbit<double> orbit(text, method, Projection::none, {}, backend);
  auto wanted = options(controller, tolerance, end);
  class Extremes final : public Recorder<double> {
   public:
    explicit Extremes(double end) : end_(end) {}
    void record(const PhasePoint<double>& z, const MonitorSet<double>& monitors) override {
      const double energy = monitors.list()[0]->current();
      if (z.t < end_ / 10) drift.first = std::max(drift.first, energy);
      if (z.t > end_ * 9 / 10) drift.last = std::max(drift.last, energy);
    }
    Drift drift;

   private:
    double end_;
  } extremes(end);
  Point<double> z = orbit.start();
  if (controller == Controller::pi) orbit.estimate();
  const Summary summary = simulate<double>({*orbit.integrator, orbit.monitors, orbit.manifold, &extremes}, wanted, z);
  EXPECT_EQ(summary.outcome, Outcome::done);
  // Where the energy is lost the orbit may become another one, with nearer encounters.
  for (const auto& warning : summary.warnings)
    EXPECT_TRUE(warning.kind == "tolerance-exceeded" || (controller == Controller::pi && warning.kind == "short-steps"))
        << warning.text;
  extremes.drift.steps = summary.steps;
  return extremes.drift;
}

void expect_contrast(const std::string& text, const std::string& method, double tolerance, double end,
                     Backend backend = Backend::interpreter) {
  const Drift reversible = energy_drift(text, method, Controller::reversible, tolerance, end, backend);
  const Drift naive = energy_drift(text, method, Controller::pi, tolerance, end, backend);
  const auto say = [&](const char* name, const Drift& drift) {
    ::testing::Test::RecordProperty(name, std::to_string(drift.first) + " " + std::to_string(drift.last));
    if (std::getenv("COTANGENT_TEST_NUMBERS") != nullptr)
      std::printf("%s %s: %.3g, then %.3g, in %lld steps\n", method.c_str(), name, drift.first, drift.last,
                  static_cast<long long>(drift.steps));
  };
  say("reversible", reversible);
  say("naive", naive);
  EXPECT_LT(reversible.last, 1.05 * reversible.first);
  EXPECT_GT(naive.last, 5 * reversible.last);
}

TEST(ReversibleControl, KeepsTheEnergyOfEccentricOrbitsAndThePiControllerDoesNot) {
  expect_contrast(test::kepler("0.6"), "rattle", 1e-4, 60 * kPeriod);
  expect_contrast(test::kepler("0.9"), "rattle", 1e-4, 120 * kPeriod);
  expect_contrast(test::kepler("0.6"), "gauss:2", 1e-5, 60 * kPeriod);
}

TEST(ReversibleControl, KeepsTheEnergyOfAPendulumThatHitsAWall) { expect_contrast(test::kBumper, "rattle", 1e-4, 800); }

// Where H_qq vanishes the motion has no frequency of its own; steps still follow their density, from wherever it
// starts.
TEST(ReversibleControl, PassesPointsWithoutAFrequency) {
  const auto oscillator = [](const char* V, const char* x, const char* p) {
    return std::string("[system]\ncoordinates = [\"x\"]\nhamiltonian = \"p_x^2/2 + ") + V + "\"\n[initial]\nx = " + x +
           "\np_x = " + p + "\n";
  };
  const auto expect_kept = [](const std::string& text, double tolerance) {
    SCOPED_TRACE(text);
    const Drift drift = energy_drift(text, "rattle", Controller::reversible, tolerance, 200);
    EXPECT_LT(drift.last, 1.05 * drift.first);
    EXPECT_LT(static_cast<double>(drift.steps), 200 * std::pow(tolerance, -1.0 / 3));
  };
  for (const double tolerance : {1e-3, 1e-5}) {
    expect_kept(oscillator("x^4/4", "1", "0"), tolerance);
    expect_kept(oscillator("x^4/4", "0", "0.7"), tolerance);
    expect_kept(oscillator("x^4/4 - x^2/2", "1.5", "0"), tolerance);
  }
  // Between two walls: 225 are needed, with errors of 0.98 times what is tolerated.
  const std::string walls = oscillator("cosh(8*x)/1500", "0.3", "1");
  const auto steps = [&](double tolerance) {
    const Drift drift = energy_drift(walls, "rattle", Controller::reversible, tolerance, 200);
    EXPECT_LT(drift.last, 1.05 * drift.first);
    return static_cast<double>(drift.steps) * std::cbrt(tolerance);
  };
  const double loose = steps(1e-4), tight = steps(1e-6);
  EXPECT_LT(tight, 230);
  EXPECT_NEAR(loose, tight, 0.05 * tight);
}

TEST(SlowReversibleControl, KeepsTheEnergyForAHundredThousandPeriods) {
  const Backend backend = has_jit() ? Backend::jit : Backend::interpreter;
  for (const char* eccentricity : {"0.6", "0.9"})
    expect_contrast(test::kepler(eccentricity), "rattle", 1e-3, 1e5 * kPeriod, backend);
}

TEST(StepDensity, GoesLikeTheFrequencyOfAKeplerOrbit) {
  test::Orbit<double> orbit(test::kepler("0.9"), "rattle");
  FrequencyDensity<double> density(orbit.manifold, 1e6);
  Standard<double> standard(orbit.manifold);
  PhasePoint<double> rate = orbit.start();
  const auto at = [&](const PhasePoint<double>& z) {
    EXPECT_TRUE(standard.field(z, rate.q.data(), rate.p.data(), rate.s.data()));
    return density(z, rate, standard.multipliers());
  };
  Point<double> z = orbit.start();
  static_cast<void>(at(z));
  density.start(z, rate, standard.multipliers());
  const double there = at(z), r = z->q[0];
  for (int k = 0; k < 4000; ++k) {
    ASSERT_EQ(orbit.integrator->step(z, 0.001).status, StepStatus::ok);
    const double ratio = at(z) / there * std::pow(std::hypot(z->q[0], z->q[1]) / r, 1.5);
    EXPECT_GT(ratio, 0.6);
    EXPECT_LT(ratio, 3);
  }
  // Smooth and positive at rest, and the same with the opposite momenta.
  const double forth = at(z);
  for (double& p : z.change().p) p = -p;
  EXPECT_NEAR(at(z), forth, 1e-12 * forth);
  for (double& p : z.change().p) p = 0;
  const double rest = at(z);
  for (double& p : z.change().p) p = 1e-3;
  EXPECT_NEAR(at(z), rest, 1e-3 * rest);
}

// Comes from where nothing happens, where a step of any length has no error, and is thrown back by a soft wall.
TEST(ReversibleControl, AStartWithoutErrorsDoesNotMakeStepsThatAreTooLong) {
  test::Orbit<double> orbit(R"toml(
[system]
coordinates = ["x"]
hamiltonian = "p_x^2/2 + exp(-2*x)"
[initial]
x = 12
p_x = -1
)toml",
                            "rattle");
  const Summary summary = orbit.run(options(Controller::reversible, 1e-5, 24));
  ASSERT_EQ(summary.outcome, Outcome::done);
  EXPECT_GT(orbit.z->q[0], 11);
  EXPECT_NEAR(orbit.z->p[0], 1, 1e-4);
  EXPECT_LT(summary.monitors[0].largest, 0.01);
  EXPECT_LT(summary.steps, 200);
}

TEST(StepDensity, MayBeAnExpression) {
  test::Orbit<double> orbit(test::kepler("0.9"), "rattle");
  ExpressionDensity<double> density(orbit.model, read_expression(orbit.model, "(x^2 + y^2)^(-3/4)"),
                                    Backend::interpreter);
  EXPECT_NEAR(density(orbit.start()), std::pow(0.1, -1.5), 1e-12);
  const Summary summary = orbit.run(options(Controller::reversible, 1e-4, kPeriod), nullptr, &density);
  ASSERT_EQ(summary.outcome, Outcome::done);
  ASSERT_TRUE(summary.choice);
  EXPECT_NEAR(summary.choice->largest / summary.choice->smallest, std::pow(19, 1.5), 8);
}

// Positive at the perihelion x = 0.4, but not on the other side.
TEST(StepDensity, ThatIsNotPositiveEndsARun) {
  test::Orbit<double> orbit(test::kepler("0.6"), "rattle");
  ExpressionDensity<double> density(orbit.model, read_expression(orbit.model, "1 + 2*x"), Backend::interpreter);
  const Summary summary = orbit.run(options(Controller::reversible, 1e-4, kPeriod), nullptr, &density);
  ASSERT_EQ(summary.outcome, Outcome::failed);
  EXPECT_EQ(summary.failure->status, StepStatus::no_step_density);
  EXPECT_LT(orbit.z->q[0], -0.5);
  EXPECT_GT(orbit.z->q[0], -1);
  EXPECT_LT(summary.counts.rejected, 2);
}

}  // namespace
}  // namespace cotangent
