#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>

#include "tests/zoo/model_run.hpp"

namespace cotangent::zoo {
namespace {

using Real3 = std::array<Real, 3>;

Real3 cross(const Real3& a, const Real3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

// The attitude of a body: its axes a_j in space, and the angular velocity in the body.
struct Attitude {
  std::array<Real3, 3> axis{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  Real3 w{};

  // A vector of the body in space.
  Real3 in_space(const Real3& x) const {
    Real3 result{};
    for (std::size_t j = 0; j < 3; ++j)
      for (std::size_t k = 0; k < 3; ++k) result[k] += x[j] * axis[j][k];
    return result;
  }
  Real3 in_body(const Real3& y) const {
    Real3 result{};
    for (std::size_t j = 0; j < 3; ++j)
      for (std::size_t k = 0; k < 3; ++k) result[j] += y[k] * axis[j][k];
    return result;
  }
};

// Euler's equations in the body, I w' = (I w) x w + torque, and a_j' = (w in space) x a_j; starts with the axes of
// space.
Attitude turn(
    const Mat& inertia, const Real3& w, Real T,
    const std::function<Real3(const Attitude&)>& torque = [](const Attitude&) { return Real3{}; }) {
  const auto unpack = [](const Vec& y) {
    Attitude result;
    for (std::size_t j = 0; j < 3; ++j)
      for (std::size_t k = 0; k < 3; ++k) result.axis[j][k] = y[3 * j + k];
    result.w = {y[9], y[10], y[11]};
    return result;
  };
  const Field field = [&](Real, const Vec& y) {
    const Attitude now = unpack(y);
    const Real3 in_space = now.in_space(now.w);
    Vec slope;
    for (const Real3& axis : now.axis)
      for (const Real component : cross(in_space, axis)) slope.push_back(component);
    Real3 L{};
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j) L[i] += inertia[i][j] * now.w[j];
    const Real3 gyroscopic = cross(L, now.w), moment = torque(now);
    const Vec w_dot = solve(inertia, {gyroscopic[0] + moment[0], gyroscopic[1] + moment[1], gyroscopic[2] + moment[2]});
    slope.insert(slope.end(), w_dot.begin(), w_dot.end());
    return slope;
  };
  return unpack(integrate(field, {1, 0, 0, 0, 1, 0, 0, 0, 1, w[0], w[1], w[2]}, T));
}

// The axes and their velocities as entries of the coordinate a.
Expected axes(const Attitude& attitude) {
  Expected values;
  for (std::size_t j = 0; j < 3; ++j) {
    const Real3 velocity = cross(attitude.in_space(attitude.w), attitude.axis[j]);
    for (std::size_t k = 0; k < 3; ++k) {
      const std::string name = "a[" + std::to_string(j + 1) + "," + std::to_string(k + 1) + "]";
      values[name] = attitude.axis[j][k];
      values["v_" + name] = velocity[k];
    }
  }
  return values;
}

const Mat kInertia = diagonal({0.6L, 0.8L, 1});
const Real3 kSpin{0.1L, 2, 0.2L};

TEST(RigidBodyMatrix, ObeysEulersEquations) {
  ModelRun run("rigid_body_matrix");
  expect_starts_at(run, axes(turn(kInertia, kSpin, 0)));
  expect_converges(run, 5, 200, axes(turn(kInertia, kSpin, 5)));
}

// The period of the angular velocity in the body [landau-mechanics76, 37], for I1 < I2 < I3 and M^2 > 2 E I2.
Real period() {
  const Real I1 = 0.6L, I2 = 0.8L, I3 = 1;
  const Real M2 = I1 * I1 * kSpin[0] * kSpin[0] + I2 * I2 * kSpin[1] * kSpin[1] + I3 * I3 * kSpin[2] * kSpin[2];
  const Real E2 = I1 * kSpin[0] * kSpin[0] + I2 * kSpin[1] * kSpin[1] + I3 * kSpin[2] * kSpin[2];
  const Real k2 = (I2 - I1) * (E2 * I3 - M2) / ((I3 - I2) * (M2 - E2 * I1));
  return 4 * std::comp_ellint_1(std::sqrt(k2)) * std::sqrt(I1 * I2 * I3 / ((I3 - I2) * (M2 - E2 * I1)));
}

TEST(RigidBodyMatrix, RepeatsItsAngularVelocityAfterThePeriodOfTheEllipticFunctions) {
  // a_j' = w x a_j, so a_3 . a_2' = w_1 and cyclically.
  const auto in_body = [](const Point& p) {
    Vec w;
    for (const auto& [j, k] : {std::pair{3, 2}, std::pair{1, 3}, std::pair{2, 1}}) {
      Real sum = 0;
      for (int i = 1; i <= 3; ++i) {
        const auto entry = [i](int axis) { return "a[" + std::to_string(axis) + "," + std::to_string(i) + "]"; };
        sum += static_cast<Real>(p[entry(j)]) * p["v_" + entry(k)];
      }
      w.push_back(sum);
    }
    return w;
  };
  ModelRun run("rigid_body_matrix");
  expect_converges(run, period(), 400, in_body, {kSpin[0], kSpin[1], kSpin[2]});
}

TEST(RigidBodyQuaternion, ObeysEulersEquations) {
  // q' = q (0, w)/2 for the quaternion of the attitude, with Euler's equations for w.
  const Field field = [](Real, const Vec& y) {
    const Real a = y[0], b = y[1], c = y[2], d = y[3], w1 = y[4], w2 = y[5], w3 = y[6];
    return Vec{(-b * w1 - c * w2 - d * w3) / 2, (a * w1 + c * w3 - d * w2) / 2, (a * w2 + d * w1 - b * w3) / 2,
               (a * w3 + b * w2 - c * w1) / 2,  (0.8L - 1) * w2 * w3 / 0.6L,    (1 - 0.6L) * w3 * w1 / 0.8L,
               (0.6L - 0.8L) * w1 * w2};
  };
  const auto at = [&](Real T) {
    const Vec y = integrate(field, {1, 0, 0, 0, kSpin[0], kSpin[1], kSpin[2]}, T);
    return expected(entries("q", 4), {.x = y, .v = field(T, y), .u = {}});
  };
  ModelRun run("rigid_body_quaternion");
  expect_starts_at(run, at(0));
  expect_converges(run, 5, 200, at(5));
}

TEST(RigidBodyPoints, ObeysEulersEquations) {
  const std::array<Real3, 4> place{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, 0}}};
  const Vec m{1, 2, 3, 4};
  const Real3 w{0.5L, 1, -0.3L};
  // The centre of mass moves straight on; with x from there, I = sum m (|x|^2 - x x').
  Real3 centre{};
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t k = 0; k < 3; ++k) centre[k] += m[i] * place[i][k] / 10;
  std::array<Real3, 4> x = place;
  Mat inertia(3, Vec(3));
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t k = 0; k < 3; ++k) x[i][k] -= centre[k];
    for (std::size_t k = 0; k < 3; ++k)
      for (std::size_t l = 0; l < 3; ++l) {
        inertia[k][l] -= m[i] * x[i][k] * x[i][l];
        inertia[l][l] += m[i] * x[i][k] * x[i][k];
      }
  }
  const Real3 drift = cross(w, centre);
  const auto at = [&](Real T) {
    const Attitude attitude = turn(inertia, w, T);
    Motion motion;
    for (const Real3& point : x) {
      const Real3 arm = attitude.in_space(point), velocity = cross(attitude.in_space(attitude.w), arm);
      for (std::size_t k = 0; k < 3; ++k) {
        motion.x.push_back(centre[k] + T * drift[k] + arm[k]);
        motion.v.push_back(drift[k] + velocity[k]);
      }
    }
    return expected(entries("r", 4, 3), motion);
  };
  ModelRun run("rigid_body_points");
  expect_starts_at(run, at(0));
  expect_converges(run, 5, 100, at(5));
}

TEST(HeavyTop, ObeysTheEquationsOfEulerAndPoisson) {
  // About the fixed point: the axes 1 and 3 have m X^2 more. The weight at X e_2 has the moment X e_2 x (weight in the
  // body).
  const Mat inertia = diagonal({15.234375L, 0.46875L, 15.234375L});
  const auto moment = [](const Attitude& now) { return cross({0, 1, 0}, now.in_body({0, 0, -15 * 9.81L})); };
  const Real3 w{0, 150, -4.61538L};
  ModelRun run("heavy_top");
  expect_starts_at(run, axes(turn(inertia, w, 0, moment)));
  // A quarter of a second is 6 turns of the body; steps are a small part of one.
  expect_converges(run, 0.25L, 1000, axes(turn(inertia, w, 0.25L, moment)));
}

TEST(DoubleGyroscope, MovesLikeEulersAngles) {
  // Axes of a body: e_j turned by psi about z, theta about y, phi about z.
  const auto place = [](const Jets& s, const Jet&) {
    Jets axes;
    for (std::size_t body = 0; body < 2; ++body)
      for (const Jet3& e : {Jet3{1, 0, 0}, Jet3{0, 1, 0}, Jet3{0, 0, 1}})
        append(axes, turned(turned(turned(e, 2, s[3 * body + 2]), 1, s[3 * body + 1]), 2, s[3 * body]));
    return axes;
  };
  const Real h1 = 1 / Real(3) + 0.5L, h2 = 0.5L * 0.25L + 0.05L;
  Mat mass = diagonal({0.3L, 0.3L, 0.3L, 0.3L, 0.3L, 0.3L, h1, h1, h1, 0.2L, 0.2L, 0.2L, 0.2L, 0.2L, 0.2L, h2, h2, h2});
  for (std::size_t k = 0; k < 3; ++k) mass[6 + k][15 + k] = mass[15 + k][6 + k] = 0.5L * 0.5L;
  const Mechanism angles{.place = place, .mass = mass, .force = [](Real, const Vec&, const Vec&, const Vec&) {
                           Vec weight(18);
                           weight[8] = -(0.5L + 0.5L);
                           weight[17] = -0.5L * 0.5L;
                           return weight;
                         }};
  std::vector<std::string> names = entries("a", 3, 3);
  for (const std::string& name : entries("b", 3, 3)) names.push_back(name);
  // b_1 = (1, 0, 0): the line of nodes is turned forward by a quarter and back again.
  const Vec s{0, 0.3L, 0, kPi / 2, 0.5L, -kPi / 2}, rate{0, 0, 12, 0, 0, 15};
  ModelRun run("double_gyroscope");
  expect_starts_at(run, expected(names, follow(angles, s, rate, 0)));
  expect_converges(run, 1, 400, expected(names, follow(angles, s, rate, 1)));
}

}  // namespace
}  // namespace cotangent::zoo
