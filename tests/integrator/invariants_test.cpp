#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "tests/integrator/method_contract.hpp"

// What methods claim to keep beside the constraints: quadratic first integrals of the field, the energy, and the
// symplectic form off the manifold; from both sides. And that how their equations are solved does not matter.

namespace cotangent {
namespace {

using test::is_ok;
using test::MethodRunner;
using test::Problem;

// Rotations about the z axis: x p_y - y p_x is a first integral of all fields that do without charts.
const Problem kAxial{.name = "axial",
                     .text = R"toml(
[system]
coordinates = ["x", "y", "z"]
hamiltonian = "(p_x^2 + p_y^2 + p_z^2)*(1 + 0.2*(x^2 + y^2))/2 + z + 0.3*cos(z)*(x^2 + y^2)"
[constraints]
spheroid = "x^2 + y^2 + 2*z^2 = 1"
[initial]
x = 0.8
y = 0
z = -0.424264068711928
p_x = 0.1
p_y = 0.9
p_z = 0.2
)toml",
                     .separable = false,
                     .diagonal_mass = false};

// Methods on fields. Those that leave the field, or compose steps, make no claims about first integrals.
bool is_for_fields(const MethodFacts& facts) {
  return facts.kind == MethodKind::explicit_runge_kutta || facts.kind == MethodKind::implicit_runge_kutta ||
         facts.kind == MethodKind::extrapolation;
}

TEST(QuadraticIntegrals, AreKeptIffDeclared) {
  int keepers = 0, others = 0;
  for (const auto& method : methods<Quad>()) {
    const auto& names = method.facts.formulations;
    if (std::find(names.begin(), names.end(), "standard") == names.end() || !test::applies(method.facts, kAxial))
      continue;
    if (!is_for_fields(method.facts)) continue;
    MethodRunner<Quad> s(method.facts.name, kAxial, Backend::interpreter, "standard");
    Point<Quad> z = test::start<Quad>(kAxial);
    const auto L = [&] { return z->q[0] * z->p[1] - z->q[1] * z->p[0]; };
    const Quad before = L();
    for (int k = 0; k < 2; ++k) ASSERT_TRUE(is_ok(s.step(z, static_cast<Quad>(0.4)))) << method.facts.name;
    const auto change = static_cast<double>(abs(L() - before));
    if (method.facts.keeps_quadratic) {
      EXPECT_LE(change, 1e-30) << method.facts.name;
      ++keepers;
    } else {
      EXPECT_GE(change, 1e-22) << method.facts.name;
      ++others;
    }
  }
  EXPECT_GE(keepers, 4);
  EXPECT_GE(others, 10);
}

// Every such method keeps linear invariants of equations, and only those that say so quadratic ones. The others are
// kept by none.
TEST(InvariantsOfEquations, AreKeptIffTheyAreLinearOrThatIsDeclared) {
  std::map<std::string, int> kept, changed;
  for (const auto& method : methods<Quad>()) {
    if (!is_for_fields(method.facts)) continue;
    for (const char* name : {"euler_top", "kepler", "toda", "three_body", "driven_rotation"}) {
      if (!test::applies(method.facts, test::problem(name))) continue;
      MethodRunner<Quad> s(method.facts.name, test::problem(name));
      auto z = test::start<Quad>(test::problem(name));
      const auto values = [&] {
        std::vector<Quad> I(static_cast<std::size_t>(s.instance.system.invariant_count()));
        s.instance.system.at(PointRef<Quad>(z.state())).invariants(I);
        return I;
      };
      const auto before = values();
      for (int k = 0; k < 2; ++k) ASSERT_TRUE(is_ok(s.step(z, static_cast<Quad>(0.4)))) << method.facts.name;
      const auto after = values();
      for (const NamedRows& rows : s.instance.elements->invariant_rows) {
        const auto row = static_cast<std::size_t>(rows.first);
        const auto change = static_cast<double>(abs(after[row] - before[row]));
        const std::string degree = rows.name.substr(0, rows.name.find('_'));
        const std::string what = method.facts.name + " on " + name + ": " + rows.name;
        if (degree == "linear" || (degree == "quadratic" && method.facts.keeps_quadratic)) {
          EXPECT_LE(change, 1e-30) << what;
          ++kept[degree];
        } else {
          EXPECT_GE(change, 1e-24) << what;
          ++changed[degree];
        }
      }
    }
  }
  EXPECT_GE(kept["linear"], 30);
  EXPECT_GE(kept["quadratic"], 15);
  EXPECT_GE(changed["quadratic"], 50);
}

double energy_change(const std::string& method, const Problem& problem) {
  MethodRunner<Quad> s(method, problem);
  auto z = test::start<Quad>(problem);
  const Quad before = test::energy(s.instance.system, z);
  for (int k = 0; k < 2; ++k) EXPECT_TRUE(is_ok(s.step(z, static_cast<Quad>(0.2)))) << method;
  return static_cast<double>(abs(test::energy(s.instance.system, z) - before));
}

TEST(Energy, IsKeptIffDeclared) {
  for (const auto& method : methods<double>()) {
    // A polynomial H is kept by quadratures, too, and extrapolation is exact beyond what can be seen.
    for (const char* name : {"relativistic"}) {
      if (!test::applies(method.facts, test::problem(name))) continue;
      const double change = energy_change(method.facts.name, test::problem(name));
      if (method.facts.keeps_energy) {
        EXPECT_LE(change, 1e-31) << method.facts.name << " on " << name;
      } else {
        EXPECT_GE(change, 1e-25) << method.facts.name << " on " << name;
      }
    }
  }
}

// Over many steps, in double: rounding errors of the energy do not add up.
TEST(Energy, OfGonzalezStaysWhereItIs) {
  for (const char* name : {"pendulum", "double_pendulum", "spherical_metric"}) {
    const Problem& problem = test::problem(name);
    MethodRunner<double> s("gonzalez", problem, test::fastest());
    auto z = test::start<double>(problem);
    const double before = test::energy(s.instance.system, z);
    double most = 0;
    for (int k = 0; k < 10000; ++k) {
      ASSERT_TRUE(is_ok(s.step(z, 0.02))) << name << ", step " << k;
      most = std::max(most, std::abs(test::energy(s.instance.system, z) - before));
    }
    EXPECT_LE(most, 3e-13) << name;
  }
}

// |dq1.dp2 - dq2.dp1| of two tangents at a point off the manifold, by central differences of one step.
double wedge_defect(const std::string& method, const std::string& formulation, bool& declared) {
  const Problem& problem = test::problem("double_pendulum");
  MethodRunner<Quad> s(method, problem, Backend::interpreter, formulation);
  declared = s.integrator->facts().symplectic_off;
  auto start = test::start<Quad>(problem);
  test::Noise away(5);
  for (Quad& x : start.change().q) x += static_cast<Quad>(0.01) * away();
  for (Quad& x : start.change().p) x += static_cast<Quad>(0.01) * away();
  const std::size_t n = start->q.size();
  const auto e = static_cast<Quad>(1e-10);
  std::array<std::vector<Quad>, 2> dq, dp, Dq, Dp;
  for (std::size_t k = 0; k < 2; ++k) {
    std::array<Point<Quad>, 2> ends;
    for (std::size_t side = 0; side < 2; ++side) {
      test::Noise noise(11 + k);
      ends[side] = start;
      PhasePoint<Quad>& z = ends[side].change();
      for (Quad& x : z.q) x += (side == 0 ? e : -e) * noise();
      for (Quad& x : z.p) x += (side == 0 ? e : -e) * noise();
    }
    const auto difference = [&](std::vector<Quad>& q, std::vector<Quad>& p) {
      for (std::size_t j = 0; j < n; ++j) {
        q.push_back((ends[0]->q[j] - ends[1]->q[j]) / (2 * e));
        p.push_back((ends[0]->p[j] - ends[1]->p[j]) / (2 * e));
      }
    };
    difference(dq[k], dp[k]);
    for (auto& z : ends) EXPECT_TRUE(is_ok(s.step(z, static_cast<Quad>(0.05)))) << method << " on " << formulation;
    difference(Dq[k], Dp[k]);
  }
  Quad before = 0, after = 0;
  for (std::size_t j = 0; j < n; ++j) {
    before += dq[0][j] * dp[1][j] - dq[1][j] * dp[0][j];
    after += Dq[0][j] * Dp[1][j] - Dq[1][j] * Dp[0][j];
  }
  return std::abs(static_cast<double>(after - before));
}

TEST(OffTheManifold, MethodsAreSymplecticIffDeclared) {
  int symplectic = 0;
  for (const char* method : {"implicit-midpoint", "gauss:2", "gauss:3", "rk4", "lobatto-iiia:3", "radau-iia:2"})
    for (const char* formulation : {"total", "dirac", "standard", "dirac-weak"}) {
      bool declared = false;
      const double defect = wedge_defect(method, formulation, declared);
      if (declared) {
        EXPECT_LE(defect, 1e-16) << method << " on " << formulation;
      } else {
        EXPECT_GE(defect, 1e-13) << method << " on " << formulation;
      }
      symplectic += declared ? 1 : 0;
    }
  EXPECT_EQ(symplectic, 6);
}

// Newton's method and functional iteration find the same.
TEST(Solvers, DoNotChangeTheResult) {
  const Problem& problem = test::problem("double_pendulum");
  for (const char* method : {"implicit-midpoint", "gauss:2", "gauss:4", "radau-iia:3", "lobatto-iiia:4", "sdirk4",
                             "avf", "gonzalez", "lobatto:3", "lobatto:5"}) {
    std::array<Point<double>, 2> ends;
    for (std::size_t k = 0; k < 2; ++k) {
      test::Instance<double> instance(problem, test::fastest());
      const auto integrator = find_method<double>(method).make(
          instance.manifold, "", {}, {.solver = k == 0 ? FixedPointSolver::functional : FixedPointSolver::newton});
      auto& z = ends[k] = test::start<double>(problem);
      for (int step = 0; step < 20; ++step) ASSERT_TRUE(is_ok(integrator->step(z, 0.03))) << method;
    }
    EXPECT_LE(test::distance(ends[0], ends[1]), 2e-13) << method;
  }
}

}  // namespace
}  // namespace cotangent
