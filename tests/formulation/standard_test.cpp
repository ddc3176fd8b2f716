#include "cotangent/formulation/field/standard.hpp"

#include <gtest/gtest.h>
#include <quadmath.h>

#include "tests/support/instance.hpp"
#include "tests/support/jet.hpp"

namespace cotangent {
namespace {

using test::Instance;
using test::Problem;

// Minimal coordinates: the same systems in angles, derived by hand; nothing of the library is used.

struct Planar {
  Quad x, y;
};
Planar direction(Quad angle) { return {sinq(angle), -cosq(angle)}; }  // from the vertical
Planar turned(Quad angle) { return {cosq(angle), sinq(angle)}; }      // its derivative

// theta'' = -(g / l) sin theta, and x = l sin theta, y = -l cos theta.
TEST(Standard, IsThePendulumOfTheTextbook) {
  Instance<Quad> instance(test::problem("pendulum"));
  Standard<Quad> standard(instance.manifold);
  const Quad m = static_cast<Quad>(13) / 10, l = static_cast<Quad>(9) / 10, g = static_cast<Quad>(11) / 10;
  for (int k = 0; k < 12; ++k) {
    const Quad theta = k * static_cast<Quad>(0.5), omega = static_cast<Quad>(1.3) - k * static_cast<Quad>(0.25);
    const Planar d = direction(theta), t = turned(theta);
    const Quad alpha = -g / l * sinq(theta);
    const std::vector<Quad> q = {l * d.x, l * d.y}, p = {m * l * omega * t.x, m * l * omega * t.y};
    std::vector<Quad> q_dot(2), p_dot(2);
    ASSERT_TRUE(standard.field({q.data(), p.data(), nullptr, 0}, q_dot.data(), p_dot.data(), nullptr));
    // r'' = l (theta'' t - theta'^2 d)
    const std::vector<Quad> force = {m * l * (alpha * t.x - omega * omega * d.x),
                                     m * l * (alpha * t.y - omega * omega * d.y)};
    EXPECT_LE(static_cast<double>(test::distance(p_dot, force)), 1e-31);
    EXPECT_LE(static_cast<double>(test::distance(q_dot, {l * omega * t.x, l * omega * t.y})), 1e-32);
  }
}

// (m1 + m2) l1 a1 + m2 l2 a2 cos d + m2 l2 w2^2 sin d + (m1 + m2) g sin theta1 = 0
// l2 a2 + l1 a1 cos d - l1 w1^2 sin d + g sin theta2 = 0,   d = theta1 - theta2
TEST(Standard, IsTheDoublePendulumOfTheTextbook) {
  Instance<Quad> instance(test::problem("double_pendulum"));
  Standard<Quad> standard(instance.manifold);
  const Quad m1 = 2, m2 = static_cast<Quad>(0.5), l1 = 1, l2 = static_cast<Quad>(7) / 10,
             g = static_cast<Quad>(12) / 10;
  test::Noise noise(1);
  for (int k = 0; k < 12; ++k) {
    const Quad theta1 = 3 * noise(), theta2 = 3 * noise(), w1 = 2 * noise(), w2 = 2 * noise();
    const Quad c = cosq(theta1 - theta2), s = sinq(theta1 - theta2);
    const auto a =
        test::solve({{(m1 + m2) * l1, m2 * l2 * c}, {l1 * c, l2}},
                    {-m2 * l2 * w2 * w2 * s - (m1 + m2) * g * sinq(theta1), l1 * w1 * w1 * s - g * sinq(theta2)});
    const Planar d1 = direction(theta1), t1 = turned(theta1), d2 = direction(theta2), t2 = turned(theta2);
    const Planar v1{l1 * w1 * t1.x, l1 * w1 * t1.y}, v2{v1.x + l2 * w2 * t2.x, v1.y + l2 * w2 * t2.y};
    const Planar a1{l1 * (a[0] * t1.x - w1 * w1 * d1.x), l1 * (a[0] * t1.y - w1 * w1 * d1.y)};
    const Planar a2{a1.x + l2 * (a[1] * t2.x - w2 * w2 * d2.x), a1.y + l2 * (a[1] * t2.y - w2 * w2 * d2.y)};
    const std::vector<Quad> q = {l1 * d1.x, l1 * d1.y, l1 * d1.x + l2 * d2.x, l1 * d1.y + l2 * d2.y};
    const std::vector<Quad> p = {m1 * v1.x, m1 * v1.y, m2 * v2.x, m2 * v2.y};
    std::vector<Quad> q_dot(4), p_dot(4);
    ASSERT_TRUE(standard.field({q.data(), p.data(), nullptr, 0}, q_dot.data(), p_dot.data(), nullptr));
    EXPECT_LE(static_cast<double>(test::distance(p_dot, {m1 * a1.x, m1 * a1.y, m2 * a2.x, m2 * a2.y})), 1e-29);
    EXPECT_LE(static_cast<double>(test::distance(q_dot, {v1.x, v1.y, v2.x, v2.y})), 1e-31);
  }
}

// A bead on the unit circle. With P along the circle, the reduced Hamiltonian is K(theta, P) = H(q(theta), P
// t(theta)), because on the manifold p is tangent wherever H_p is a multiple of p.
struct Bead {
  const char* hamiltonian;
  Quad (*K_theta)(Quad theta, Quad P);
  Quad (*K_P)(Quad theta, Quad P);
};

class StandardBead : public testing::TestWithParam<Bead> {};

TEST_P(StandardBead, MovesAsItsAngleDoes) {
  Problem bead{.name = "bead", .text = R"toml(
[system]
coordinates = ["x", "y"]
hamiltonian = "HAMILTONIAN"
[constraints]
circle = "x^2 + y^2 = 1"
[initial]
x = 1
y = 0
p_x = 0
p_y = 1
)toml"};
  bead.text.replace(bead.text.find("HAMILTONIAN"), 11, GetParam().hamiltonian);
  Instance<Quad> instance(bead);
  Standard<Quad> standard(instance.manifold);
  test::Noise noise(4);
  for (int k = 0; k < 12; ++k) {
    const Quad theta = 3 * noise(), P = 2 * noise();
    const Planar d = direction(theta), t = turned(theta);
    const Quad theta_dot = GetParam().K_P(theta, P), P_dot = -GetParam().K_theta(theta, P);
    const std::vector<Quad> q = {d.x, d.y}, p = {P * t.x, P * t.y};
    std::vector<Quad> q_dot(2), p_dot(2);
    ASSERT_TRUE(standard.field({q.data(), p.data(), nullptr, 0}, q_dot.data(), p_dot.data(), nullptr));
    EXPECT_LE(static_cast<double>(test::distance(q_dot, {theta_dot * t.x, theta_dot * t.y})), 1e-31);
    // (P t)' = P' t - P theta' d
    EXPECT_LE(static_cast<double>(
                  test::distance(p_dot, {P_dot * t.x - P * theta_dot * d.x, P_dot * t.y - P * theta_dot * d.y})),
              1e-30);
  }
}

INSTANTIATE_TEST_SUITE_P(InAMetricThatChangesAndWithARelativisticMass, StandardBead,
                         testing::Values(
                             // w = 1 + x^2 / 2 = 1 + sin^2 theta / 2, V = y + x^2 = -cos theta + sin^2 theta
                             Bead{"(1 + x^2/2)*(p_x^2 + p_y^2)/2 + y + x^2",
                                  [](Quad theta, Quad P) {
                                    return sinq(theta) * cosq(theta) * P * P / 2 + sinq(theta) +
                                           2 * sinq(theta) * cosq(theta);
                                  },
                                  [](Quad theta, Quad P) -> Quad { return (1 + sinq(theta) * sinq(theta) / 2) * P; }},
                             Bead{"sqrt(1 + p_x^2 + p_y^2) + x*y",
                                  [](Quad theta, Quad) -> Quad { return -cosq(2 * theta); },
                                  [](Quad, Quad P) -> Quad { return P / sqrtq(1 + P * P); }}));

// Off the manifold psi is constant and g = g(0) + t psi(0), followed here by classical Runge-Kutta steps of
// its own: 200 steps of 1/400 are good to h^4 times constants.
TEST(Standard, KeepsPsiAndLetsGGrowLinearlyOffTheManifold) {
  for (const char* name :
       {"double_pendulum", "spherical_metric", "relativistic", "group_constraint", "coupled_momenta"}) {
    Instance<Quad> instance(test::problem(name));
    Standard<Quad> standard(instance.manifold);
    const Model& model = instance.model;
    auto z = test::noisy_point(model, 3, 0.05);
    const std::size_t n = z.q.size();
    const auto g_of = [&] {
      std::vector<Quad> g;
      for (const auto& row : test::constraint_jets(model, z.q, {})) g.push_back(row.c[0]);
      return g;
    };
    const auto psi_of = [&] { return test::product(test::dense_G(model, z.q), test::dense_H_p(model, z.q, z.p)); };
    const auto g0 = g_of(), psi0 = psi_of();
    ASSERT_GT(static_cast<double>(test::largest(psi0)), 1e-3);

    const int steps = 200;
    const Quad h = static_cast<Quad>(1) / 400;
    std::vector<Quad> q_dot(n), p_dot(n);
    for (int s = 0; s < steps; ++s) {
      const auto q = z.q, p = z.p;
      auto q_sum = q, p_sum = p;
      auto x = q, y = p;
      const Quad a[4] = {h / 2, h / 2, h, 0}, b[4] = {h / 6, h / 3, h / 3, h / 6};
      for (int stage = 0; stage < 4; ++stage) {
        ASSERT_TRUE(standard.field({x.data(), y.data(), nullptr, 0}, q_dot.data(), p_dot.data(), nullptr));
        for (std::size_t j = 0; j < n; ++j) {
          q_sum[j] += b[stage] * q_dot[j];
          p_sum[j] += b[stage] * p_dot[j];
          x[j] = q[j] + a[stage] * q_dot[j];
          y[j] = p[j] + a[stage] * p_dot[j];
        }
      }
      z.q = q_sum;
      z.p = p_sum;
    }
    const auto g = g_of(), psi = psi_of();
    for (std::size_t r = 0; r < g.size(); ++r) {
      EXPECT_NEAR(static_cast<double>(psi[r] - psi0[r]), 0, 1e-8) << name;
      EXPECT_NEAR(static_cast<double>(g[r] - g0[r] - steps * h * psi0[r]), 0, 1e-8) << name;
    }
    EXPECT_GT(static_cast<double>(test::distance(g, g0)), 1e-4) << name << ": g has not moved";
  }
}

}  // namespace
}  // namespace cotangent
