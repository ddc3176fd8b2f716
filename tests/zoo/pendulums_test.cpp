#include <gtest/gtest.h>

#include <cmath>

#include "tests/zoo/model_run.hpp"

namespace cotangent::zoo {
namespace {

using std::sqrt;

TEST(Pendulum, MovesLikeTheAngle) {
  // From the downward vertical: x = sin s, y = -cos s; d'Alembert gives s'' = -sin s.
  const Mechanism angle{.place =
                            [](const Jets& s, const Jet&) {
                              return Jets{sin(s[0]), -cos(s[0])};
                            },
                        .mass = diagonal({1, 1}),
                        .force = gravity({1}, 2)};
  ModelRun run("pendulum");
  const std::vector<std::string> names{"x", "y"};
  expect_starts_at(run, expected(names, follow(angle, {kPi / 2}, {-2}, 0)));
  expect_converges(run, 5, 100, expected(names, follow(angle, {kPi / 2}, {-2}, 5)));
}

TEST(Pendulum, ComesBackAfterItsPeriod) {
  // E = s'^2/2 - cos s = 2: the pendulum turns over. With s = 2 f, s'^2 = 2 (E + 1) (1 - k^2 sin^2 f) and
  // k^2 = 2/(E + 1), one turn takes 4 K(k) / sqrt(2 (E + 1)) [landau-mechanics76, 11].
  const Real E = 2;
  const Real period = 4 * std::comp_ellint_1(sqrt(2 / (E + 1))) / sqrt(2 * (E + 1));
  // With s = pi/2 and s' = -2 there, the tension is s'^2 + cos s = 4.
  ModelRun run("pendulum");
  expect_converges(run, period, 50, {{"x", 1}, {"y", 0}, {"v_x", 0}, {"v_y", -2}, {"lambda_rod", 4}});
}

TEST(DoublePendulum, MovesLikeTheAngles) {
  const Mechanism angles{.place =
                             [](const Jets& s, const Jet&) {
                               const Jet x = sin(s[0]), y = -cos(s[0]);
                               return Jets{x, y, x + sin(s[1]), y - cos(s[1])};
                             },
                         .mass = diagonal({1, 1, 1, 1}),
                         .force = gravity({1, 1}, 2)};
  ModelRun run("double_pendulum");
  const std::vector<std::string> names{"x1", "y1", "x2", "y2"};
  const Vec s(2, kPi / 2), rest(2);
  expect_starts_at(run, expected(names, follow(angles, s, rest, 0)));
  expect_converges(run, 4, 200, expected(names, follow(angles, s, rest, 4)));
}

Jets on_sphere(const Jet& theta, const Jet& phi) { return {sin(theta) * cos(phi), sin(theta) * sin(phi), -cos(theta)}; }

TEST(SphericalPendulum, MovesLikeItsAngles) {
  const Mechanism angles{.place = [](const Jets& s, const Jet&) { return on_sphere(s[0], s[1]); },
                         .mass = diagonal({1, 1, 1}),
                         .force = gravity({1}, 3)};
  ModelRun run("spherical_pendulum");
  const std::vector<std::string> names{"x", "y", "z"};
  const Vec s{kPi / 3, 0}, rate{0, 0.8L / std::sin(kPi / 3)};
  expect_starts_at(run, expected(names, follow(angles, s, rate, 0)));
  expect_converges(run, 5, 100, expected(names, follow(angles, s, rate, 5)));
}

TEST(ElasticPendulum, MovesLikePolarCoordinates) {
  // r'' = r s'^2 + cos s - k (r - l0), r s'' = -2 r' s' - sin s, in the angle s from the downward vertical, with k = 3.
  const Field polar = [](Real, const Vec& y) {
    const Real r = y[0], s = y[1], u = y[2], w = y[3];
    return Vec{u, w, r * w * w + std::cos(s) - 3 * (r - 1), (-2 * u * w - std::sin(s)) / r};
  };
  const Real x = 0.3L, y = 1 + 1 / Real(3) + 0.4L;
  const Vec end = integrate(polar, {std::hypot(x, y), std::atan2(x, y), 0, 0}, 5);
  const Real r = end[0], sine = std::sin(end[1]), cosine = std::cos(end[1]), u = end[2], w = end[3];
  ModelRun run("elastic_pendulum");
  expect_converges(
      run, 5, 100,
      {{"x", r * sine}, {"y", -r * cosine}, {"v_x", u * sine + r * w * cosine}, {"v_y", -u * cosine + r * w * sine}});
}

TEST(BeadOnWire, MovesLikeItsAbscissa) {
  // y = (x^2 - 1)^2 / 2.
  const Mechanism abscissa{.place =
                               [](const Jets& s, const Jet&) {
                                 const Jet depth = s[0] * s[0] - 1;
                                 return Jets{s[0], depth * depth / 2};
                               },
                           .mass = diagonal({1, 1}),
                           .force = gravity({1}, 2)};
  ModelRun run("bead_on_wire");
  const std::vector<std::string> names{"x", "y"};
  expect_starts_at(run, expected(names, follow(abscissa, {1}, {1.1L}, 0)));
  expect_converges(run, 5, 100, expected(names, follow(abscissa, {1}, {1.1L}, 5)));
}

}  // namespace
}  // namespace cotangent::zoo
