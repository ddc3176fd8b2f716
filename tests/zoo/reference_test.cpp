#include "tests/zoo/reference.hpp"

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "tests/zoo/model_run.hpp"

namespace cotangent::zoo {
namespace {

TEST(Reference, FollowsKeplersEllipse) {
  // x = cos E - e, y = sqrt(1 - e^2) sin E with t = E - e sin E, started at the perihelion E = 0.
  const Real e = 0.6L, E = 9;
  const Field field = [](Real, const Vec& y) {
    const Real r3 = std::pow(y[0] * y[0] + y[1] * y[1], 1.5L);
    return Vec{y[2], y[3], -y[0] / r3, -y[1] / r3};
  };
  const Vec y = integrate(field, {1 - e, 0, 0, std::sqrt((1 + e) / (1 - e))}, E - e * std::sin(E));
  // A hundred times the tolerance of a step: the steps add up, and errors along the orbit grow.
  EXPECT_NEAR(static_cast<double>(y[0] - (std::cos(E) - e)), 0, 1e-14);
  EXPECT_NEAR(static_cast<double>(y[1] - std::sqrt(1 - e * e) * std::sin(E)), 0, 1e-14);
}

TEST(Reference, TakesTimeIntoAccount) {
  const Vec y = integrate([](Real t, const Vec& x) { return Vec{x[0] * std::cos(t)}; }, {1}, 5);
  EXPECT_NEAR(static_cast<double>(y[0] - std::exp(std::sin(Real(5)))), 0, 1e-15);
}

TEST(Reference, ReducesCartesianMechanicsToAngles) {
  // A pendulum in x = sin s, y = -cos s with a torque -s' and a support that falls freely, -t^2/2: relative to it there
  // is no gravity, so s'' = -s'.
  const Mechanism mechanism{.place =
                                [](const Jets& s, const Jet& t) {
                                  return Jets{sin(s[0]), -cos(s[0]) - t * t / 2};
                                },
                            .mass = diagonal({1, 1}),
                            .force =
                                [](Real t, const Vec&, const Vec& v, const Vec&) {
                                  return Vec{-v[0], -1 - (v[1] + t)};
                                }};
  const Motion motion = follow(mechanism, {0}, {2}, 3);
  const Real s = 2 * (1 - std::exp(Real(-3)));
  EXPECT_NEAR(static_cast<double>(motion.x[0] - std::sin(s)), 0, 1e-15);
  EXPECT_NEAR(static_cast<double>(motion.x[1] - (-std::cos(s) - Real(4.5))), 0, 1e-15);
  EXPECT_NEAR(static_cast<double>(motion.v[0] - std::cos(s) * 2 * std::exp(Real(-3))), 0, 1e-15);
}

TEST(Reference, JetsHaveTheDerivativesOfTheirFunctions) {
  // Differences of order four at step 1e-3, whose own error is about 1e-12.
  const auto f = [](const Jet& x) { return atan2(sqrt(sin(x) * x + cos(x * x)) / (x - 3), x * x); };
  const Real x = 0.7L, h = 1e-3L;
  const auto at = [&](Real k) { return f(x + k * h).v; };
  const Jet jet = f({x, 1, 0});
  EXPECT_NEAR(static_cast<double>(jet.d), static_cast<double>((8 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12 * h)),
              1e-11);
  EXPECT_NEAR(static_cast<double>(jet.dd),
              static_cast<double>((16 * (at(1) + at(-1)) - (at(2) + at(-2)) - 30 * at(0)) / (12 * h * h)), 1e-10);
}

TEST(Reference, GivesHeavyRodsTheirMomentOfInertia) {
  // A rod of mass 3 and length 2 about its end: m l^2 / 3 = 4, so s'' = -(m g l/2) sin s / 4; for small s the
  // frequency is sqrt(3/4) and s(T) = s(0) cos(w T) up to s(0)^3.
  Mat mass(2, Vec(2));
  add_rod(mass, 3, kFixed, 0, 2);
  const Mechanism mechanism{.place =
                                [](const Jets& s, const Jet&) {
                                  return Jets{2 * sin(s[0]), -2 * cos(s[0])};
                                },
                            .mass = mass,
                            .force =
                                [](Real, const Vec&, const Vec&, const Vec&) {
                                  return Vec{0, -1.5L};
                                }};
  const Motion motion = follow(mechanism, {1e-6L}, {0}, 2);
  EXPECT_NEAR(static_cast<double>(motion.x[0] / 2e-6L), static_cast<double>(std::cos(std::sqrt(Real(0.75)) * 2)),
              1e-11);
}

// A pendulum with g = 1 runs to (x, y) = (sin s, -cos s); the file is changed by less than the error of any single run.
TEST(ConvergenceCheck, NoticesAModelThatIsSlightlyWrong) {
  static const Mechanism angle{.place =
                                   [](const Jets& s, const Jet&) {
                                     return Jets{sin(s[0]), -cos(s[0])};
                                   },
                               .mass = diagonal({1, 1}),
                               .force = gravity({1}, 2)};
  static const Expected values = expected({"x", "y"}, follow(angle, {kPi / 2}, {-2}, 5));
  static ModelRun right("pendulum"), wrong("pendulum", {"g=1.00001"});
  expect_converges(right, 5, 100, values);
  EXPECT_NONFATAL_FAILURE(expect_converges(wrong, 5, 100, values), "extrapolated");
}

TEST(ConvergenceCheck, NoticesAMethodOfAnotherOrder) {
  ModelRun run("pendulum", {}, "rk4");
  testing::TestPartResultArray failures;
  {
    testing::ScopedFakeTestPartResultReporter reporter(
        testing::ScopedFakeTestPartResultReporter::INTERCEPT_ONLY_CURRENT_THREAD, &failures);
    // The period of the pendulum that turns over with the energy 2, see pendulums_test.cpp.
    const Real period = 4 * std::comp_ellint_1(std::sqrt(2 / Real(3))) / std::sqrt(Real(6));
    expect_converges(run, period, 20, {{"x", 1}, {"y", 0}, {"v_x", 0}, {"v_y", -2}});
  }
  int about_order = 0;
  for (int i = 0; i < failures.size(); ++i)
    about_order += std::string(failures.GetTestPartResult(i).message()).find("extrapolated") != std::string::npos;
  EXPECT_GE(about_order, 1);
}

}  // namespace
}  // namespace cotangent::zoo
