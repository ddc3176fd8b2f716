#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "tests/zoo/model_run.hpp"

namespace cotangent::zoo {
namespace {

TEST(Kepler, FollowsItsEllipse) {
  // x = cos E - e, y = sqrt(1 - e^2) sin E at t = E - e sin E, so E' = 1/(1 - e cos E) [hlw06, I.2.2].
  const Real e = 0.6L, E = 4, b = std::sqrt(1 - e * e), rate = 1 / (1 - e * std::cos(E));
  ModelRun run("kepler");
  expect_converges(
      run, E - e * std::sin(E), 400,
      {{"x", std::cos(E) - e}, {"y", b * std::sin(E)}, {"v_x", -std::sin(E) * rate}, {"v_y", b * std::cos(E) * rate}});
}

TEST(Kepler, ComesBackAfterItsPeriod) {
  ModelRun run("kepler");
  expect_converges(run, 2 * kPi, 800, {{"x", 0.4L}, {"y", 0}, {"v_x", 0}, {"v_y", 2}});
}

TEST(OuterSolarSystem, MovesLikeItsHeliocentricCoordinates) {
  // Relative to the Sun, R_i = r_i - r_0: R_i'' = -G (m_0 + m_i) R_i/|R_i|^3 + sum_j G m_j ((R_j - R_i)/|R_j - R_i|^3 -
  // R_j/|R_j|^3). Data of [hlw06, I.2.4].
  const Real G = 2.95912208286e-4L;
  const Vec m{1.00000597682L,      0.000954786104043L,  0.000285583733151L,
              0.0000437273164546L, 0.0000517759138449L, 1 / 1.3e8L};
  const Field heliocentric = [&](Real, const Vec& y) {
    const auto R = [&](std::size_t i, std::size_t k) { return y[3 * (i - 1) + k]; };
    Vec slope(y.begin() + 15, y.end());
    slope.resize(30);
    for (std::size_t i = 1; i < 6; ++i)
      for (std::size_t j = 1; j < 6; ++j) {
        Real r2 = 0, d2 = 0;
        for (std::size_t k = 0; k < 3; ++k) {
          r2 += R(j, k) * R(j, k);
          d2 += (R(j, k) - R(i, k)) * (R(j, k) - R(i, k));
        }
        for (std::size_t k = 0; k < 3; ++k) {
          slope[15 + 3 * (i - 1) + k] -= G * (i == j ? m[0] + m[j] : m[j]) * R(j, k) / (r2 * std::sqrt(r2));
          if (i != j) slope[15 + 3 * (i - 1) + k] += G * m[j] * (R(j, k) - R(i, k)) / (d2 * std::sqrt(d2));
        }
      }
    return slope;
  };
  const Vec start{-3.5023653L,  -3.8169847L,  -1.5507963L, 9.0755314L,  -3.0458353L,  -1.6483708L,
                  8.3101420L,   -16.2901086L, -7.2521278L, 11.4707666L, -25.7294829L, -10.8169456L,
                  -15.5387357L, -25.2225594L, -3.1902382L, 0.00565429L, -0.00412490L, -0.00190589L,
                  0.00168318L,  0.00483525L,  0.00192462L, 0.00354178L, 0.00137102L,  0.00055029L,
                  0.00288930L,  0.00114527L,  0.00039677L, 0.00276725L, -0.00170702L, -0.00136504L};
  // Positions as they are, velocities times 1000 days: both are then of the size of an orbit.
  const auto relative = [](const Point& p) {
    Vec result;
    for (const char* part : {"", "v_"})
      for (int i = 2; i <= 6; ++i)
        for (int k = 1; k <= 3; ++k) {
          const auto entry = [&](int body) {
            return static_cast<Real>(p[part + ("r[" + std::to_string(body) + "," + std::to_string(k) + "]")]);
          };
          result.push_back((entry(i) - entry(1)) * (*part == 'v' ? 1000 : 1));
        }
    return result;
  };
  const auto scaled = [](Vec y) {
    for (std::size_t i = 15; i < 30; ++i) y[i] *= 1000;
    return y;
  };
  ModelRun run("outer_solar_system");
  const Vec given = relative(run.initial()), wanted = scaled(start);
  for (std::size_t i = 0; i < 30; ++i) EXPECT_NEAR(static_cast<double>(given[i] - wanted[i]), 0, 1e-13);
  expect_converges(run, 8000, 100, relative, scaled(integrate(heliocentric, start, 8000)));
}

TEST(HenonHeiles, MovesLikePolarCoordinates) {
  // V = r^2/2 + r^3 sin(3 f)/3: r'' = r f'^2 - r - r^2 sin 3f, (r^2 f')' = -r^3 cos 3f.
  const Field polar = [](Real, const Vec& y) {
    const Real r = y[0], f = y[1], u = y[2], L = y[3];
    return Vec{u, L / (r * r), L * L / (r * r * r) - r - r * r * std::sin(3 * f), -r * r * r * std::cos(3 * f)};
  };
  // From x = 0, y = 0.1, p_y = 0.1 and p_x from the energy 1/8.
  const Real px = std::sqrt(0.25L - 0.01L - 0.01L + 2 * 0.001L / 3);
  const Real T = 6;
  const Vec y = integrate(polar, {0.1L, kPi / 2, 0.1L, -0.1L * px}, T);
  const Vec slope = polar(T, y);
  const Jet r{y[0], slope[0], 0}, f{y[1], slope[1], 0}, x = r * cos(f), z = r * sin(f);
  ModelRun run("henon_heiles");
  expect_converges(run, T, 60, {{"x", x.v}, {"y", z.v}, {"v_x", x.d}, {"v_y", z.d}});
}

}  // namespace
}  // namespace cotangent::zoo
