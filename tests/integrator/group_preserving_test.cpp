#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <complex>
#include <string>
#include <utility>
#include <vector>

#include "cotangent/integrator/group_preserving/lorentz_factor.hpp"
#include "cotangent/model/reader.hpp"
#include "tests/integrator/method_contract.hpp"

// The methods of [liu06]: what a step has to do with the Lorentz group, and the maps at a fixed point.

namespace cotangent {
namespace {

using test::Instance;
using test::is_ok;

struct Runner {
  Runner(const std::string& method, const std::string& text, const ScalingSets& sets = {})
      : instance(read_model_text(text, "model")),
        integrator(find_method<double>(method).make(instance.manifold, {}, {}, {.sets = sets})) {}

  std::vector<double> step(const std::vector<double>& s, double h) {
    Point<double> z(0, static_cast<std::int64_t>(s.size()));
    z.change().s = s;
    EXPECT_TRUE(is_ok(integrator->step(z, h)));
    return z->s;
  }
  std::vector<double> field(const std::vector<double>& s) {
    std::vector<double> f(s.size());
    instance.system.at(PointRef<double>(nullptr, nullptr, s.data(), 0)).rate(f);
    return f;
  }

  Instance<double> instance;
  std::unique_ptr<Integrator<double>> integrator;
};

const char* const kPredators = R"toml(
[system]
states = ["x", "y"]
[equations]
x = "-x + x*y"
y = "y - x*y"
[invariants]
level = "log(x) - x + log(y) - y"
[initial]
x = 0.5
y = 0.7
)toml";

const char* const kTop = R"toml(
[system]
states = ["a", "b", "c"]
[equations]
a = "-0.3*b*c"
b = "0.5*c*a"
c = "-0.2*a*b"
[invariants]
length = "a^2 + b^2 + c^2"
energy = "a^2 + b^2/2 + 2.25*c^2"
[initial]
a = 0.5
b = 0.7
c = 0.9
)toml";

TEST(HyperbolicOfSquare, IsAccurateFromZeroToTheLargestNumbers) {
  for (const double y : {0.0, 1e-9, 1e-3, 0.3, 0.999, 1.0, 1.7, 5.0, 30.0, 300.0}) {
    const HyperbolicOfSquare<double> at(y * y);
    const double half = std::sinh(y / 2), ratio = y == 0 ? 1 : std::sinh(y) / y;
    const double level = 5e-15 * (1 + y);  // of w = y^2 they have y/2 times its rounding error
    EXPECT_NEAR(at.sinh_ratio / ratio, 1, level) << y;
    EXPECT_NEAR(at.cosh_less_one, 2 * half * half, level * 2 * half * half) << y;
  }
  const auto y = static_cast<Quad>(0.7);
  const HyperbolicOfSquare<Quad> at(y * y);
  EXPECT_LE(static_cast<double>(abs(at.sinh_ratio * y - sinhq(y))), 1e-33);
  EXPECT_LE(static_cast<double>(abs(at.cosh_less_one + 1 - coshq(y))), 1e-33);
}

using Matrix = std::vector<std::vector<double>>;

// G = exp(h A) of equation (10), with A = (0, f/|x|; f'/|x|, 0).
Matrix group_element(const std::vector<double>& x, const std::vector<double>& f, double h) {
  const std::size_t n = x.size();
  double xx = 0, ff = 0;
  for (std::size_t j = 0; j < n; ++j) {
    xx += x[j] * x[j];
    ff += f[j] * f[j];
  }
  const double z = h * std::sqrt(ff / xx), half = std::sinh(z / 2);
  Matrix G(n + 1, std::vector<double>(n + 1, 0));
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) G[i][j] = (i == j ? 1 : 0) + 2 * half * half * f[i] * f[j] / ff;
    G[i][n] = G[n][i] = std::sinh(z) * f[i] / std::sqrt(ff);
  }
  G[n][n] = std::cosh(z);
  return G;
}

double determinant(Matrix a) {
  double product = 1;
  for (std::size_t k = 0; k < a.size(); ++k) {
    product *= a[k][k];
    for (std::size_t i = k + 1; i < a.size(); ++i)
      for (std::size_t j = a.size(); j-- > k;) a[i][j] -= a[i][k] / a[k][k] * a[k][j];
  }
  return product;
}

// (13) G'gG = g, (14) det G = 1, (15) G_00 >= 1; and a step is what G makes of (x, |x|), which stays on the cone.
void expect_group_step(const std::vector<double>& x, const std::vector<double>& f, double h,
                       const std::vector<double>& end) {
  const std::size_t n = x.size();
  const Matrix G = group_element(x, f, h);
  for (std::size_t i = 0; i <= n; ++i)
    for (std::size_t j = 0; j <= n; ++j) {
      double sum = -G[n][i] * G[n][j];
      for (std::size_t k = 0; k < n; ++k) sum += G[k][i] * G[k][j];
      EXPECT_NEAR(sum, i != j ? 0 : i < n ? 1 : -1, 1e-14);
    }
  EXPECT_NEAR(determinant(G), 1, 1e-14);
  EXPECT_GE(G[n][n], 1);
  double length = 0, squared = 0;
  for (const double entry : x) length += entry * entry;
  std::vector<double> X = x;
  X.push_back(std::sqrt(length));
  std::vector<double> GX(n + 1, 0);
  for (std::size_t i = 0; i <= n; ++i)
    for (std::size_t j = 0; j <= n; ++j) GX[i] += G[i][j] * X[j];
  for (std::size_t i = 0; i < n; ++i) {
    EXPECT_NEAR(end[i], GX[i], 4e-15);
    squared += end[i] * end[i];
  }
  EXPECT_NEAR(std::sqrt(squared), GX[n], 4e-15) << "it has left the cone";
}

TEST(GroupPreserving, ActsByTheLorentzGroupOnTheCone) {
  Runner top("gps", kTop);
  const std::vector<double> x{0.5, 0.7, 0.9};
  for (const double h : {0.01, 0.1, -0.3}) expect_group_step(x, top.field(x), h, top.step(x, h));
}

TEST(GroupPreserving, ActsByAProductOfGroupsOnOneConeForEachSet) {
  Runner top("gps", kTop, {{{0}, {1}}, {{2}}});
  const std::vector<double> x{0.5, 0.7, 0.9}, f = top.field(x), end = top.step(x, 0.2);
  expect_group_step({x[0], x[1]}, {f[0], f[1]}, 0.2, {end[0], end[1]});
  expect_group_step({x[2]}, {f[2]}, 0.2, {end[2]});
}

TEST(GroupPreserving, VariablesInNoSetMakeEulersStep) {
  Runner top("gps", kTop, {{{0}, {1}}});
  const std::vector<double> x{0.5, 0.7, 0.9}, f = top.field(x);
  EXPECT_NEAR(top.step(x, 0.2)[2], x[2] + 0.2 * f[2], 1e-15);
}

// The direction of mgps is that of gps, one for each set.
TEST(GroupPreserving, ScalingKeepsDirections) {
  const ScalingSets sets{{{0}, {1}}, {{2}}};
  Runner plain("gps", kTop, sets), scaled("mgps", kTop, sets);
  const std::vector<double> x{0.5, 0.7, 0.9}, a = plain.step(x, 0.1), b = scaled.step(x, 0.1);
  EXPECT_NEAR(a[0] * b[1], a[1] * b[0], 1e-15);
  EXPECT_GT(std::abs(a[2] - b[2]), 1e-5);
  const auto values = [&](const std::vector<double>& s) {
    std::vector<double> I(2);
    plain.instance.system.at(PointRef<double>(nullptr, nullptr, s.data(), 0)).invariants(I);
    return I;
  };
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_NEAR(values(b)[i], values(x)[i], 5e-15);
    EXPECT_GT(std::abs(values(a)[i] - values(x)[i]), 1e-5);
  }
}

// Eigenvalues of the map at the fixed point (1, 1) of the predators, by differences.
std::complex<double> eigenvalue_at_fixed_point(const std::string& method, double h) {
  Runner map(method, kPredators);
  const double e = 1e-5;
  Matrix J(2, std::vector<double>(2));
  for (std::size_t j = 0; j < 2; ++j) {
    std::vector<double> up{1, 1}, down{1, 1};
    up[j] += e;
    down[j] -= e;
    const auto a = map.step(up, h), b = map.step(down, h);
    for (std::size_t i = 0; i < 2; ++i) J[i][j] = (a[i] - b[i]) / (2 * e);
  }
  const double half_trace = (J[0][0] + J[1][1]) / 2, det = J[0][0] * J[1][1] - J[0][1] * J[1][0];
  return half_trace + std::sqrt(std::complex<double>(half_trace * half_trace - det));
}

// (25): 1 + i h, of modulus sqrt(1 + h^2): orbits spiral out.
TEST(GroupPreserving, LosesTheCentreOfThePredators) {
  for (const double h : {0.1, 0.3}) {
    const auto lambda = eigenvalue_at_fixed_point("gps", h);
    EXPECT_NEAR(std::abs(lambda - std::complex<double>(1, h)), 0, 1e-8);
    EXPECT_NEAR(std::abs(lambda), std::sqrt(1 + h * h), 1e-8);
  }
}

// (30): (1 - tau^2 + 2 i tau)/(1 + tau^2) with tau = h/2, of modulus 1.
TEST(GroupPreserving, KahansMethodKeepsTheCentreOfThePredators) {
  for (const double h : {0.1, 0.3}) {
    const double tau = h / 2;
    const auto lambda = eigenvalue_at_fixed_point("kahan", h);
    EXPECT_NEAR(std::abs(lambda - std::complex<double>(1 - tau * tau, 2 * tau) / (1 + tau * tau)), 0, 1e-8);
    EXPECT_NEAR(std::abs(lambda), 1, 1e-8);
  }
}

// Near the centre the Hamiltonian scheme goes round on level lines; H there is concave.
TEST(HamiltonianMgps, GoesRoundTheCentreForEver) {
  Runner map("hamiltonian-mgps", kPredators);
  std::vector<double> z{1.3, 1.0};
  const auto level = [&](const std::vector<double>& s) { return std::log(s[0]) - s[0] + std::log(s[1]) - s[1]; };
  const double first = level(z);
  int turns = 0;
  for (int k = 0; k < 2000; ++k) {
    const auto next = map.step(z, 0.05);
    if (z[1] < 1 && next[1] >= 1) ++turns;
    z = next;
    ASSERT_NEAR(level(z), first, 1e-12);
  }
  EXPECT_NEAR(turns, 2000 * 0.05 / 6.4, 1.5);
  // An equilibrium stays one.
  EXPECT_EQ(map.step({1, 1}, 0.1), (std::vector<double>{1, 1}));
}

TEST(HamiltonianMgps, TakesAutonomousEquationsWithOneInvariantOnly) {
  EXPECT_THROW(Runner("hamiltonian-mgps", kTop), std::invalid_argument);
  const std::string text = kPredators;
  EXPECT_THROW(
      Runner("hamiltonian-mgps", text.substr(0, text.find("[invariants]")) + text.substr(text.find("[initial]"))),
      std::invalid_argument);
  std::string moving = kPredators;
  moving.replace(moving.find("y - x*y"), 7, "y - x*t");
  EXPECT_THROW(Runner("hamiltonian-mgps", moving), std::invalid_argument);
}

TEST(Scaled, MethodsRefuseModelsWithoutInvariantsAndWithConstraints) {
  const std::string text = kPredators;
  const std::string none = text.substr(0, text.find("[invariants]")) + text.substr(text.find("[initial]"));
  for (const char* method : {"mgps", "mrk4", "project:scaling(dopri5)"})
    EXPECT_THROW(Runner(method, none), std::invalid_argument) << method;
  const std::string pendulum = R"toml(
[system]
coordinates = ["x", "y"]
hamiltonian = "(p_x^2 + p_y^2)/2 + y"
[constraints]
rod = "x^2 + y^2 = 1"
[invariants]
height = "y + (p_x^2 + p_y^2)/2"
[initial]
x = 1
y = 0
p_x = 0
p_y = 0
)toml";
  EXPECT_THROW(Runner("mrk4", pendulum), std::invalid_argument);
  EXPECT_THROW(Runner("mrk4", kTop, {{{0}}, {{1}}, {{2}}}), std::invalid_argument) << "three sets for two invariants";
}

}  // namespace
}  // namespace cotangent
