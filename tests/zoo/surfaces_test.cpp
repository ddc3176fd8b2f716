#include <gtest/gtest.h>

#include <cmath>

#include "tests/zoo/model_run.hpp"

namespace cotangent::zoo {
namespace {

const std::vector<std::string> kSpace{"x", "y", "z"};

// x^2/4 + y^2/2.25 + z^2 = 1 with poles on the y axis; starts at (2, 0, 0) with the velocity (0, 0.6, 0.8) u.
Jets on_ellipsoid(const Jets& s, const Jet&) {
  return {2 * cos(s[0]) * cos(s[1]), 1.5L * sin(s[0]), cos(s[0]) * sin(s[1])};
}
const Vec kRate{0.6L / 1.5L, 0.8L};

TEST(Ellipsoid, MovesLikeItsAngles) {
  const Mechanism angles{.place = on_ellipsoid, .mass = diagonal({1, 1, 1}), .force = gravity({1}, 3)};
  ModelRun run("ellipsoid");
  expect_starts_at(run, expected(kSpace, follow(angles, {0, 0}, kRate, 0)));
  expect_converges(run, 4, 100, expected(kSpace, follow(angles, {0, 0}, kRate, 4)));
}

TEST(EllipsoidGeodesic, MovesLikeItsAngles) {
  const Mechanism angles{.place = on_ellipsoid, .mass = diagonal({1, 1, 1}), .force = gravity({0}, 3)};
  ModelRun run("ellipsoid_geodesic");
  expect_starts_at(run, expected(kSpace, follow(angles, {0, 0}, kRate, 0)));
  expect_converges(run, 4, 100, expected(kSpace, follow(angles, {0, 0}, kRate, 4)));
}

TEST(EllipsoidGeodesic, KeepsTheIntegralOfJoachimsthal) {
  // (sum x_i^2/a_i^4) (sum v_i^2/a_i^2) [joachimsthal1843]; at (2, 0, 0) with the velocity (0, 0.6, 0.8).
  const auto integral = [](const Point& p) {
    const Real a2[] = {4, 2.25L, 1};
    Real first = 0, second = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      const Real x = p[kSpace[i]], v = p["v_" + kSpace[i]];
      first += x * x / (a2[i] * a2[i]);
      second += v * v / a2[i];
    }
    return Vec{first * second};
  };
  ModelRun run("ellipsoid_geodesic");
  expect_converges(run, 10, 200, integral, {4 / Real(16) * (0.36L / 2.25L + 0.64L)});
}

TEST(EllipsoidGeodesic, ClosesAfterTheLengthOfAPrincipalSection) {
  // In the plane z = 0: an ellipse with half axes a = 2, b = 1.5, of length 4 a E(k), k^2 = 1 - b^2/a^2.
  const Real length = 4 * 2 * std::comp_ellint_2(std::sqrt(1 - 2.25L / 4));
  ModelRun run("ellipsoid_geodesic", {"p_y=1", "p_z=0"});
  expect_converges(run, length, 100, {{"x", 2}, {"y", 0}, {"z", 0}, {"v_x", 0}, {"v_y", 1}, {"v_z", 0}});
}

TEST(RelativisticParticle, MovesLikeItsCanonicalAngles) {
  // With the angle s from the downward vertical, phi around it and their momenta p, j:
  // H = sqrt(1 + p^2 + j^2/sin^2 s) - cos s, in units where m = c = l = g = 1. j is constant.
  const Real sine = std::sin(kPi / 3), j = 0.8L * sine;
  const auto energy = [=](Real s, Real p) { return std::sqrt(1 + p * p + j * j / (std::sin(s) * std::sin(s))); };
  const Field canonical = [=](Real, const Vec& y) {
    const Real s = y[0], p = y[2], E = energy(s, p);
    return Vec{p / E, j / (std::sin(s) * std::sin(s)) / E,
               j * j * std::cos(s) / (std::pow(std::sin(s), Real(3)) * E) - std::sin(s)};
  };
  const auto at = [&](Real T) {
    const Vec y = integrate(canonical, {kPi / 3, 0, 0}, T);
    const Vec slope = canonical(T, y);
    const Jet s{y[0], slope[0], 0}, phi{y[1], slope[1], 0};
    Expected values;
    const Jets place{sin(s) * cos(phi), sin(s) * sin(phi), -cos(s)};
    for (std::size_t i = 0; i < 3; ++i) {
      values[kSpace[i]] = place[i].v;
      values["v_" + kSpace[i]] = place[i].d;
      values["p_" + kSpace[i]] = place[i].d * energy(y[0], y[2]);  // p = E v / c^2
    }
    return values;
  };
  ModelRun run("relativistic_particle");
  expect_starts_at(run, at(0));
  expect_converges(run, 5, 100, at(5));
}

}  // namespace
}  // namespace cotangent::zoo
