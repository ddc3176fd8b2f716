#include <gtest/gtest.h>

#include <cmath>

#include "tests/zoo/model_run.hpp"

namespace cotangent::zoo {
namespace {

// A pendulum of length 1 by its angle from the downward vertical, s'' = a(t, s, s').
template <class Acceleration>
Expected pendulum(Acceleration a, Real s, Real rate, Real T, const std::string& multiplier = "lambda_rod") {
  const Vec y = integrate([&](Real t, const Vec& z) { return Vec{z[1], a(t, z[0], z[1])}; }, {s, rate}, T);
  const Real sine = std::sin(y[0]), cosine = std::cos(y[0]);
  Expected values{{"x", sine}, {"y", -cosine}, {"v_x", y[1] * cosine}, {"v_y", y[1] * sine}};
  // The pull toward the centre, lambda times |(x, y)| = 1, gives the centripetal acceleration and carries the weight.
  values[multiplier] = y[1] * y[1] + cosine;
  return values;
}

TEST(DampedPendulum, MovesLikeTheDampedAngle) {
  const auto at = [](Real T) {
    return pendulum([](Real, Real s, Real w) { return -std::sin(s) - 0.1L * w; }, kPi / 2, -2, T);
  };
  ModelRun run("damped_pendulum");
  expect_starts_at(run, at(0));
  expect_converges(run, 5, 100, at(5));
}

TEST(DrivenPendulum, MovesLikeTheDrivenAngle) {
  const auto at = [](Real T) {
    return pendulum([](Real t, Real s, Real w) { return -std::sin(s) - w / 2 + 1.15L * std::cos(2 * t / 3); }, 0, 0, T);
  };
  ModelRun run("driven_pendulum");
  expect_starts_at(run, at(0));
  expect_converges(run, 10, 200, at(10));
}

TEST(FrictionHoop, MovesLikeTheAngleWithItsNormalForce) {
  // The hoop pushes inward with N = s'^2 + cos s.
  const auto at = [](Real T) {
    return pendulum(
        [](Real, Real s, Real w) {
          const Real N = w * w + std::cos(s);
          return -std::sin(s) - 0.2L * std::sqrt(N * N + 0.0025L) * std::tanh(w / 0.05L);
        },
        0, 2.5L, T, "lambda_hoop");
  };
  ModelRun run("friction_hoop");
  expect_starts_at(run, at(0));
  // Without a turning point, and through two of them, where the friction changes its sign.
  expect_converges(run, 1, 100, at(1));
  expect_converges(run, 6, 2400, at(6));
}

TEST(KapitzaPendulum, MovesLikeTheAngleOnItsSupport) {
  const Mechanism angle{.place =
                            [](const Jets& s, const Jet& t) {
                              return Jets{sin(s[0]), 0.1L * cos(30 * t) + cos(s[0])};
                            },
                        .mass = diagonal({1, 1}),
                        .force = gravity({1}, 2)};
  ModelRun run("kapitza_pendulum");
  const std::vector<std::string> names{"x", "y"};
  expect_starts_at(run, expected(names, follow(angle, {0.3L}, {0}, 0)));
  expect_converges(run, 2, 500, expected(names, follow(angle, {0.3L}, {0}, 2)));
}

TEST(NoseHoover, MovesLikeTheAnglesWithTheThermostat) {
  // From the downward vertical, and around it; the friction -xi p acts along the velocity.
  const Mechanism angles{.place =
                             [](const Jets& s, const Jet&) {
                               return Jets{sin(s[0]) * cos(s[1]), sin(s[0]) * sin(s[1]), -cos(s[0])};
                             },
                         .mass = diagonal({1, 1, 1}),
                         .force =
                             [](Real, const Vec&, const Vec& v, const Vec& u) {
                               return Vec{-u[0] * v[0], -u[0] * v[1], -u[0] * v[2] - 1};
                             },
                         .rates =
                             [](Real, const Vec&, const Vec& v, const Vec& u) {
                               return Vec{v[0] * v[0] + v[1] * v[1] + v[2] * v[2] - 1, u[0]};
                             }};
  const auto at = [&](Real T) {
    const Motion motion = follow(angles, {std::asin(0.6L), 0}, {0, 0.7L / 0.6L}, T, {0, 0});
    Expected values = expected({"x", "y", "z"}, motion);
    values["xi"] = motion.u[0];
    values["eta"] = motion.u[1];
    return values;
  };
  ModelRun run("nose_hoover");
  expect_starts_at(run, at(0));
  expect_converges(run, 5, 200, at(5));
}

}  // namespace
}  // namespace cotangent::zoo
