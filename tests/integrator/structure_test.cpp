#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "tests/integrator/method_contract.hpp"

// What methods keep: symmetry in time, the symplectic form, the constraints. What is declared holds to rounding, what
// is not declared is seen to fail, with steps that are long enough for that.

namespace cotangent {
namespace {

using test::is_ok;
using test::visible_step;

class MethodStructure : public test::MethodTest {};

TEST_P(MethodStructure, IsSymmetricIffDeclared) {
  auto s = runner<Quad>();
  const auto [h, error] = visible_step(s, problem);
  const auto start = test::start<Quad>(problem);
  Point<Quad> z = start;
  ASSERT_TRUE(is_ok(s.step(z, h)));
  EXPECT_GT(static_cast<double>(test::distance(z, start)), 1e-3);
  ASSERT_TRUE(is_ok(s.step(z, -h)));
  const auto defect = static_cast<double>(test::distance(z, start));
  if (facts.symmetric) {
    EXPECT_LE(defect, 1e-29);
  } else {
    EXPECT_GE(defect, 1e-20) << "error " << static_cast<double>(error) << ", h = " << static_cast<double>(h);
  }
}

struct Tangent {
  std::vector<Quad> q, p;
};

// The derivative of points at -2e, -e, e, 2e along a curve, up to e^4.
Tangent tangent(const std::array<Point<Quad>, 4>& at, Quad e) {
  Tangent d{at[0]->q, at[0]->p};
  for (std::size_t j = 0; j < d.q.size(); ++j) {
    d.q[j] = (8 * (at[2]->q[j] - at[1]->q[j]) - (at[3]->q[j] - at[0]->q[j])) / (12 * e);
    d.p[j] = (8 * (at[2]->p[j] - at[1]->p[j]) - (at[3]->p[j] - at[0]->p[j])) / (12 * e);
  }
  return d;
}

Quad wedge(const Tangent& a, const Tangent& b) {
  Quad sum = 0;
  for (std::size_t j = 0; j < a.q.size(); ++j) sum += a.q[j] * b.p[j] - b.q[j] * a.p[j];
  return sum;
}

// Curves on the manifold through the starting point are carried through one step; the wedge product of their tangents
// is what a symplectic method keeps. With e = 1e-8, e^4 and 1e-32/e are far below 1e-21.
TEST_P(MethodStructure, IsSymplecticOnTheManifoldIffDeclared) {
  if (!problem.is_mechanical) return;
  auto s = runner<Quad>();
  const auto [h, error] = visible_step(s, problem);
  const auto e = static_cast<Quad>(1e-8);
  std::vector<Tangent> before, after;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    std::array<Point<Quad>, 4> points;
    for (std::size_t k = 0; k < 4; ++k) {
      test::Noise noise(seed);
      points[k] = test::start<Quad>(problem);
      PhasePoint<Quad>& z = points[k].change();
      const Quad distance = e * std::array{-2, -1, 1, 2}[k];
      for (Quad& x : z.q) x += distance * noise();
      for (Quad& x : z.p) x += distance * noise();

      if (s.instance.m() > 0) {
        ASSERT_TRUE(s.instance.manifold.project_position(z).converged);
        ASSERT_TRUE(s.instance.manifold.project_momentum(z).converged);
      }
    }
    before.push_back(tangent(points, e));
    for (auto& z : points) ASSERT_TRUE(is_ok(s.step(z, h)));
    after.push_back(tangent(points, e));
  }
  double defect = 0, size = 0;
  for (const auto& [a, b] : {std::pair<std::size_t, std::size_t>{0, 1}, {1, 2}, {2, 0}}) {
    size = std::max(size, std::abs(static_cast<double>(wedge(before[a], before[b]))));
    defect = std::max(defect, std::abs(static_cast<double>(wedge(after[a], after[b]) - wedge(before[a], before[b]))));
  }
  EXPECT_GT(size, 1e-2) << "the tangents span no area";
  if (facts.symplectic) {
    EXPECT_LE(defect, 1e-21);
  } else {
    EXPECT_GE(defect, 1e-19) << "error " << static_cast<double>(error) << ", h = " << static_cast<double>(h);
  }
}

TEST_P(MethodStructure, KeepsTheConstraintsThatItDeclaresToKeep) {
  if (!facts.keeps_position && !facts.keeps_momentum) return;
  auto s = runner<double>(test::fastest());
  if (s.instance.m() == 0) return;
  auto z = test::start<double>(problem);
  // The largest residuals, and the largest rounding levels: where a momentum passes through zero its own level does
  // too, but not that of the forces it is the sum of.
  double g = 0, psi = 0, g_level = 0, psi_level = 0;
  for (int k = 0; k < (GetParam().is_first ? 10000 : 1000); ++k) {
    const auto report = s.step(z, 0.02);
    ASSERT_TRUE(is_ok(report)) << "step " << k << ": " << describe(report.status) << ", residual " << report.residual
                               << " against " << report.tolerance;
    const auto r = s.instance.manifold.position_residual(z->q.data(), 0);
    const auto m = s.instance.manifold.momentum_residual(z);
    g = std::max(g, r.value);
    psi = std::max(psi, m.value);
    g_level = std::max(g_level, r.level);
    psi_level = std::max(psi_level, m.level);
  }
  if (facts.keeps_position) {
    EXPECT_LE(g, 64 * g_level);  // what RoundingStop calls near the level
    EXPECT_LE(g, 1e-13);
  }
  if (facts.keeps_momentum) {
    EXPECT_LE(psi, 64 * psi_level);
    EXPECT_LE(psi, 1e-13);
  }
}

TEST_P(MethodStructure, LosesTheConstraintsThatItDoesNotDeclareToKeep) {
  if (facts.keeps_position && facts.keeps_momentum) return;
  auto s = runner<Quad>();
  if (s.instance.m() == 0) return;
  const auto [h, error] = visible_step(s, problem);
  auto z = test::start<Quad>(problem);
  for (int k = 0; k < 3; ++k) ASSERT_TRUE(is_ok(s.step(z, h)));
  if (!facts.keeps_position) {
    EXPECT_GE(static_cast<double>(s.instance.manifold.position_residual(z->q.data(), 0).value), 1e-20);
  }
  if (!facts.keeps_momentum) {
    EXPECT_GE(static_cast<double>(s.instance.manifold.momentum_residual(z).value), 1e-20);
  }
}

INSTANTIATE_TEST_SUITE_P(Every, MethodStructure, testing::ValuesIn(test::method_cases()), test::method_case_name);

}  // namespace
}  // namespace cotangent
