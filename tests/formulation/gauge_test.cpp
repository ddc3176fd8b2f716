#include <gtest/gtest.h>

#include <string>

#include "tests/formulation/field_of.hpp"
#include "tests/support/mechanisms.hpp"

// The gauge alpha of R eta = -psi + alpha g, section 3.4 of [leimkuhler-reich94].

namespace cotangent {
namespace {

using test::FieldOf;
using test::Matrix;
using test::Vector;

constexpr double kGauge = -1.375;

class GaugeOn : public testing::TestWithParam<std::string> {
 protected:
  const test::Problem& problem = test::problem(GetParam());
  const Vector on = test::point_on_manifold(problem), off = test::point_off_manifold(problem);
};

TEST_P(GaugeOn, ChangesNothingOnTheManifoldAndSomethingOffIt) {
  for (const char* name : {"dirac", "dirac-weak"}) {
    FieldOf plain(problem, name), gauged(problem, name, {.gauge = kGauge});
    EXPECT_LE(test::largest_defect(plain(on), gauged(on)), 1e-28) << name;
    EXPECT_GE(test::largest_defect(plain(off), gauged(off)), 1e-3) << name;
  }
}

// The Hamilton-Dirac equations have no such freedom.
TEST_P(GaugeOn, IsNotTheBusinessOfOtherFormulations) {
  for (const auto& entry : formulations<Quad>()) {
    const std::string& name = entry.facts.name;
    const bool has_one = name == "dirac" || name == "dirac-weak", is_charted = name.starts_with("state-space");
    if (has_one || is_charted || !test::takes(name, {.name = problem.name, .text = problem.text})) continue;
    EXPECT_EQ(test::largest_defect(FieldOf(problem, name)(off), FieldOf(problem, name, {.gauge = kGauge})(off)), 0)
        << name;
  }
}

// Exactly, not to first order only: g' = psi + R eta = alpha g, and mu is what makes psi' = 0.
TEST_P(GaugeOn, MakesGDecayAndKeepsPsiUnderDiracWeak) {
  FieldOf gauged(problem, "dirac-weak", {.gauge = kGauge});
  const auto [g, psi] = test::halves(test::chi(gauged.model(), off));
  Vector expected;
  for (const Quad& residual : g) expected.push_back(static_cast<Quad>(kGauge) * residual);
  expected.resize(2 * g.size(), 0);
  EXPECT_LE(test::largest_defect(gauged.chi_dot(off), expected), 1e-28);
}

TEST_P(GaugeOn, KeepsDiracHamiltonianOffTheManifold) {
  // z' = J grad K: J^-1 Dz' = J' Dz' is symmetric.
  const auto defect = [&](const char* name) {
    const Matrix unit = test::identity(off.size());
    const Matrix J = test::bracket(unit, unit);
    const Matrix A = test::product(test::transposed(J), FieldOf(problem, name, {.gauge = kGauge}).derivative(off));
    return test::largest_defect(A, test::transposed(A));
  };
  EXPECT_LE(defect("dirac"), 1e-17);
  EXPECT_GE(defect("dirac-weak"), 1e-3);
}

// With N of residual_dynamics_test.cpp for alpha = 0, to first order
//
//   g' = N_g + alpha g,    psi' = N_psi + alpha S R^-1 g - alpha psi.
TEST_P(GaugeOn, AddsToTheLinearSystemOfTheResidualsUnderDirac) {
  FieldOf plain(problem, "dirac"), gauged(problem, "dirac", {.gauge = kGauge});
  const auto brackets = test::brackets(plain.model(), on);
  const std::size_t m = brackets.R.size();
  const Quad alpha = kGauge;
  const Matrix zero = test::identity(m, 0);
  const Matrix SR = test::sum(zero, test::product(brackets.S, test::inverse(brackets.R)), alpha);
  EXPECT_LE(test::largest_defect(gauged.residual_matrix(on),
                                 test::sum(plain.residual_matrix(on), test::blocks(test::identity(m, alpha), zero, SR,
                                                                                   test::identity(m, -alpha)))),
            1e-17);
}

INSTANTIATE_TEST_SUITE_P(Each, GaugeOn,
                         testing::Values("double_pendulum", "spherical_metric", "relativistic", "group_constraint",
                                         "group_metric"),
                         [](const auto& each) { return each.param; });

}  // namespace
}  // namespace cotangent
