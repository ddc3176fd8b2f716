#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>

#include "tests/formulation/field_of.hpp"

// Section 3.5 of [leimkuhler-reich94]: for affine constraints and a quadratic potential the residuals
//
//   r = W G' Q^-1 g,   s = W G' Q^-1 psi,    W = H_pp, Q = G W G'
//
// (H q and H p there, where masses are one) satisfy a linear system of their own, with B = P W H_qq P and the
// projection P = W G' Q^-1 G in the metric of the masses. It is exact at every point, however far off the manifold.

namespace cotangent {
namespace {

using test::Matrix;
using test::Problem;
using test::Vector;

const Problem kUnitMasses{.name = "unit_masses", .text = R"toml(
[system]
coordinates = ["x[4]"]
hamiltonian = """sum(i in 1..4, p_x[i]^2)/2 + x[1]^2 + 0.7*x[2]^2 + 0.4*x[3]^2 + 0.9*x[4]^2 + 0.3*x[1]*x[2]
  - 0.2*x[3]*x[4] + 0.5*x[1]*x[4] + 0.6*x[3]"""
[constraints]
plane = "x[1] + 2*x[2] - x[3] = 0.4"
other = "x[2] - 0.5*x[4] = -0.2"
[initial]
x = "0.3*cos(i)"
p_x = "0.4*sin(2*i)"
)toml"};

// Not even diagonal.
const Problem kCoupledMasses{.name = "coupled_masses", .text = R"toml(
[system]
coordinates = ["x[4]"]
hamiltonian = """p_x[1]^2 + p_x[2]^2/6 + p_x[3]^2/2 + 0.8*p_x[4]^2 + 0.3*p_x[1]*p_x[2] - 0.2*p_x[3]*p_x[4]
  + x[1]^2 + 0.7*x[2]^2 + 0.4*x[3]^2 + 0.9*x[4]^2 + 0.3*x[1]*x[2] - 0.2*x[3]*x[4] + 0.5*x[1]*x[4] + 0.6*x[3]"""
[constraints]
plane = "x[1] + 2*x[2] - x[3] = 0.4"
other = "x[2] - 0.5*x[4] = -0.2"
[initial]
x = "0.3*cos(i)"
p_x = "0.4*sin(2*i)"
)toml"};

Matrix dense_H_qq(const Model& model, const Vector& q, const Vector& p) {
  Matrix K;
  for (const auto& e : test::identity(q.size())) {
    K.emplace_back();
    for (const auto& f : test::identity(q.size())) {
      const std::array<test::Tangent, 2> directions{test::Tangent{e, {}}, test::Tangent{f, {}}};
      K.back().push_back(test::evaluate_jet(model, model.energy, q, p, directions).c[3]);
    }
  }
  return K;
}

// Powers of two in their sums, so that their products are exact in double.
constexpr double kGauge = 0.625, kAlpha = 1.5, kBeta = 0.75;

// r' and s' as combinations of r, s, B r and, for formulations with a gauge, of gauge r and gauge s.
struct Law {
  std::string formulation;
  double r_by_s = 0, s_by_Br = 0, s_by_r = 0, s_by_s = 0;
  double r_by_gauge_r = 0, s_by_gauge_s = 0;
};

void PrintTo(const Law& law, std::ostream* out) { *out << law.formulation; }

const Law kLaws[] = {
    {.formulation = "standard", .r_by_s = 1},
    {.formulation = "total", .r_by_s = 1, .s_by_Br = 1},                                          // (3.11)-(3.12)
    {.formulation = "dirac", .r_by_s = -1, .s_by_Br = 1, .r_by_gauge_r = 1, .s_by_gauge_s = -1},  // (3.13)-(3.14)
    {.formulation = "dirac-weak", .r_by_gauge_r = 1},
    {.formulation = "hamilton-dirac"},
    {.formulation = "linear-hamiltonian", .r_by_s = 1},
    {.formulation = "baumgarte", .r_by_s = 1, .s_by_r = -kBeta * kBeta, .s_by_s = -2 * kAlpha},
    {.formulation = "ggl"},
};

class AffineResiduals : public testing::TestWithParam<Law> {
 protected:
  /// How far the law fails at a point off the manifold, r, s and B being formed with the inverse masses W or, in their
  /// place, with others.
  double defect(const Problem& problem, bool in_mass_metric, double gauge) {
    const Law& law = GetParam();
    test::FieldOf field(problem, law.formulation, {.gauge = gauge, .baumgarte_alpha = kAlpha, .baumgarte_beta = kBeta});
    const Vector z = test::point_off_manifold(problem);
    const auto [q, p] = test::halves(z);
    const Matrix H_pp = test::dense_H_pp(field.model(), q, p), G = test::dense_G(field.model(), q);
    const Matrix W = in_mass_metric ? H_pp : test::identity(q.size());
    const Matrix WGt = test::product(W, test::transposed(G));
    const Matrix lift = test::product(WGt, test::inverse(test::product(G, WGt)));
    const Matrix P = test::product(lift, G);
    const Matrix B = test::product(P, test::product(W, test::product(dense_H_qq(field.model(), q, p), P)));
    const auto lifted = [&](const Vector& chi) {
      const auto [g, psi] = test::halves(chi);
      return test::Halves{test::product(lift, g), test::product(lift, psi)};
    };
    const auto [r, s] = lifted(test::chi(field.model(), z));
    const auto [r_dot, s_dot] = lifted(field.chi_dot(z));
    EXPECT_GT(static_cast<double>(test::largest(s)), 1e-2);
    const Vector Br = test::product(B, r);
    EXPECT_GT(static_cast<double>(test::largest(Br)), 1e-2);
    Vector r_law(r.size()), s_law(r.size());
    const auto times = [](double factor, Quad x) { return static_cast<Quad>(factor) * x; };
    for (std::size_t j = 0; j < r.size(); ++j) {
      r_law[j] = times(law.r_by_s, s[j]) + times(law.r_by_gauge_r * gauge, r[j]);
      s_law[j] =
          times(law.s_by_Br, Br[j]) + times(law.s_by_r, r[j]) + times(law.s_by_s + law.s_by_gauge_s * gauge, s[j]);
    }
    return std::max(test::largest_defect(r_dot, r_law), test::largest_defect(s_dot, s_law));
  }
};

TEST_P(AffineResiduals, FollowTheirLinearSystemWithUnitMasses) {
  EXPECT_LE(defect(kUnitMasses, true, 0), 1e-30);
  EXPECT_LE(defect(kUnitMasses, true, kGauge), 1e-30);
}

TEST_P(AffineResiduals, FollowItInTheMetricOfTheMasses) {
  EXPECT_LE(defect(kCoupledMasses, true, 0), 1e-30);
  EXPECT_LE(defect(kCoupledMasses, true, kGauge), 1e-30);
  // With the Euclidean projection of the paper B is another matrix.
  if (GetParam().s_by_Br != 0) {
    EXPECT_GE(defect(kCoupledMasses, false, 0), 1e-2);
  }
}

INSTANTIATE_TEST_SUITE_P(Of, AffineResiduals, testing::ValuesIn(kLaws), [](const auto& each) {
  std::string name = each.param.formulation;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

}  // namespace
}  // namespace cotangent
