#include <gtest/gtest.h>

#include <set>
#include <string>

#include "tests/formulation/field_of.hpp"

// What g and psi do off the manifold, as the fact sheets state it in `residuals`.

namespace cotangent {
namespace {

using test::FieldOf;
using test::Matrix;
using test::Problem;
using test::Vector;

// Exact at every point, where a formulation declares that.
constexpr double kAlpha = 1.5, kBeta = 0.75;
struct Law {
  std::string formulation;
  Quad g_by_psi = 0, psi_by_g = 0, psi_by_psi = 0;
};
const Law kLaws[] = {
    {.formulation = "standard", .g_by_psi = 1},
    {.formulation = "dirac-weak"},
    {.formulation = "hamilton-dirac"},
    {.formulation = "ggl"},
    {.formulation = "baumgarte", .g_by_psi = 1, .psi_by_g = -kBeta * kBeta, .psi_by_psi = -2 * kAlpha},
};

// Several masses, a metric that depends on q, T not quadratic, g no polynomial, everything coupled.
const char* const kProblems[] = {"double_pendulum", "spherical_metric", "relativistic", "group_constraint",
                                 "group_metric"};

TEST(Residuals, FollowTheLawOfTheFactSheetExactly) {
  for (const Law& law : kLaws) {
    for (const char* name : kProblems) {
      const Problem& problem = test::problem(name);
      FieldOf field(problem, law.formulation, {.baumgarte_alpha = kAlpha, .baumgarte_beta = kBeta});
      const Vector z = test::point_off_manifold(problem);
      const auto [g, psi] = test::halves(test::chi(field.model(), z));
      ASSERT_GT(static_cast<double>(test::largest(g)), 1e-3);
      ASSERT_GT(static_cast<double>(test::largest(psi)), 1e-3);
      Vector g_dot, psi_dot;
      for (std::size_t r = 0; r < g.size(); ++r) {
        g_dot.push_back(law.g_by_psi * psi[r]);
        psi_dot.push_back(law.psi_by_g * g[r] + law.psi_by_psi * psi[r]);
      }
      EXPECT_LE(test::largest_defect(field.chi_dot(z), test::joined(g_dot, psi_dot)), 1e-28)
          << law.formulation << " on " << name;
    }
  }
}

// g' = 0 along q', and the momentum p* - G' l has psi = 0, whatever q and p* are.
TEST(Residuals, OfImpetusAreAConstantGAndNoPsi) {
  for (const char* name : kProblems) {
    const Problem& problem = test::problem(name);
    FieldOf impetus(problem, "impetus");
    const Vector z = test::point_off_manifold(problem);
    const auto [q, p_star] = test::halves(z);
    const Matrix G = test::dense_G(impetus.model(), q);
    EXPECT_LE(static_cast<double>(test::largest(test::product(G, test::halves(impetus(z)).q))), 1e-28) << name;

    PhasePoint<Quad> physical(static_cast<std::int64_t>(q.size()));
    const OwnVariables<Quad> own{
        .q = q, .p = p_star, .q_low = Vector(q.size()), .p_low = Vector(q.size()), .chart = {}};
    ASSERT_TRUE(impetus.formulation->leave(own, physical));
    const auto residual = [&](const Vector& p) {
      return static_cast<double>(test::largest(test::halves(test::chi(impetus.model(), test::joined(q, p))).p));
    };
    EXPECT_LE(residual(physical.p), 1e-28) << name;
    EXPECT_GT(residual(p_star), 1e-3) << name;
  }
}

// The variables are q and v here, and psi = G v.
TEST(Residuals, OfLagrangesEquationsOfTheFirstKindAreThoseOfStandard) {
  for (const char* name : kProblems) {
    const Problem& problem = test::problem(name);
    FieldOf lagrange(problem, "lagrange-1");
    Vector z = test::point_off_manifold(problem);
    const auto [q, p] = test::halves(z);
    const Vector v = test::dense_H_p(lagrange.model(), q, p);
    z = test::joined(q, v);
    const auto residuals = [&](const Vector& x) {
      const auto [position, velocity] = test::halves(x);
      Vector g;
      for (const auto& row : test::constraint_jets(lagrange.model(), position, {})) g.push_back(row.c[0]);
      return test::joined(g, test::product(test::dense_G(lagrange.model(), position), velocity));
    };
    Vector expected = test::halves(residuals(z)).p;
    ASSERT_GT(static_cast<double>(test::largest(expected)), 1e-3) << name;
    expected.resize(2 * expected.size(), 0);
    EXPECT_LE(test::largest_defect(test::central_difference(residuals, z, lagrange(z)), expected), 1e-19) << name;
  }
}

// To first order in (g, psi), with mu0 = R^-1 b:
//
//   total    g' =  psi + {g, mu0} g                psi' = {psi, mu0} g                                (3.19)-(3.20)
//   dirac    g' = -psi + ({g, mu0} + S R^-1) g     psi' = ({psi, mu0} + (S R^-1)^2) g - S R^-1 psi
//
// The printed (3.17)-(3.18) for dirac have no terms with S: they hold for one constraint, where S = 0.
struct FirstOrder {
  explicit FirstOrder(const Problem& problem, std::uint64_t seed) : z(test::point_on_manifold(problem, seed)) {
    FieldOf dirac_field(problem, "dirac"), total_field(problem, "total");
    const Model& model = dirac_field.model();
    const auto brackets = test::brackets(model, z);
    const Matrix with_mu0 = test::brackets_with_mu0(model, z);
    const std::size_t m = brackets.R.size();
    const auto middle = with_mu0.begin() + static_cast<std::ptrdiff_t>(m);
    const Matrix g_mu0(with_mu0.begin(), middle), psi_mu0(middle, with_mu0.end());
    const Matrix one = test::identity(m), minus_one = test::identity(m, -1), zero = test::identity(m, 0);
    const Matrix SR = test::product(brackets.S, test::inverse(brackets.R));

    S = brackets.S;
    total = test::largest_defect(total_field.residual_matrix(z), test::blocks(g_mu0, one, psi_mu0, zero));
    const Matrix N = dirac_field.residual_matrix(z);
    dirac = test::largest_defect(N, test::blocks(test::sum(g_mu0, SR), minus_one,
                                                 test::sum(psi_mu0, test::product(SR, SR)), test::sum(zero, SR, -1)));
    printed = test::largest_defect(N, test::blocks(g_mu0, minus_one, psi_mu0, zero));
  }
  Vector z;
  Matrix S;
  double total, dirac, printed;  // by how much each of them fails
};

TEST(Residuals, OfTotalAndDiracFollowTheirLinearSystem) {
  for (const char* name : {"pendulum", "ellipsoid", "spherical_metric", "relativistic", "double_pendulum",
                           "function_of_sum", "group_constraint", "group_metric"}) {
    const FirstOrder found(test::problem(name), 1);
    EXPECT_LE(found.total, 1e-17) << name;
    EXPECT_LE(found.dirac, 1e-17) << name;
    if (found.S.size() == 1) {
      EXPECT_LE(found.printed, 1e-17) << name;
    } else {
      ASSERT_GT(static_cast<double>(test::distance(found.S, test::identity(found.S.size(), 0))), 1e-2) << name;
      EXPECT_GE(found.printed, 1e-2) << name;
    }
  }
}

// Whoever adds a formulation says here where its residuals are measured.
TEST(Residuals, OfEveryFormulationAreMeasured) {
  std::set<std::string> measured{"total", "dirac", "impetus", "lagrange-1"};
  for (const Law& law : kLaws) measured.insert(law.formulation);
  measured.insert("linear-hamiltonian");  // affine_residuals_test.cpp
  for (const char* name : {"state-space", "state-space-velocity", "lagrange-2", "equations"})
    measured.insert(name);  // have none
  for (const auto& entry : formulations<Quad>()) EXPECT_TRUE(measured.contains(entry.facts.name)) << entry.facts.name;
  EXPECT_EQ(measured.size(), formulations<Quad>().size());
}

}  // namespace
}  // namespace cotangent
