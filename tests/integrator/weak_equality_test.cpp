#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "cotangent/integrator/registry/registry.hpp"
#include "cotangent/manifold/hidden_constraint.hpp"
#include "tests/support/instance.hpp"

// Every formulation is the same motion on the manifold, in double precision and on systems that are not small. The
// contract suite of formulations says so for small ones in Quad.

namespace cotangent {
namespace {

using test::Problem;
using Vector = std::vector<double>;

// A ring of 24 bodies, each with two rods, that hangs from the first: waves run around it.
const Problem kRing{.name = "ring", .text = R"toml(
[parameters]
N = 24
r0 = "0.5/sin(pi/N)"
[system]
coordinates = ["r[N,3]"]
hamiltonian = "sum(i in 1..N, sum(k in 1..3, p_r[i,k]^2/(1 + 0.1*i)) + (1 + 0.1*i)*r[i,3]/2 + 0.1*r[i,1]^4)"
[constraints]
rod = { each = "i in 2..N", equation = "sum(k in 1..3, (r[i,k] - r[i-1,k])^2) = 1" }
closure = "sum(k in 1..3, (r[1,k] - r[N,k])^2) = 1"
held = "sum(k in 1..3, r[1,k]^2) = r0^2"
[initial]
r = { each = "i in 1..N", value = "[r0*cos(2*pi*i/N), r0*sin(2*pi*i/N), 0.2*sin(6*pi*i/N)]" }
p_r = "0.3*sin(i + 2*j)"
)toml"};

/// The condition number of R = G H_pp G' at z: the largest eigenvalues of R and of R^-1, by the power method, which
/// finds them to a few per cent in so many steps.
double condition(test::Instance<double>& instance, const PhasePoint<double>& z) {
  HiddenConstraint<double> psi(instance.system);
  psi.at(z);
  EXPECT_TRUE(instance.manifold.matrix().factor(z).regular);
  const auto growth = [&](auto&& apply) {
    Vector x = test::converted<double>(test::Noise(3).vector(instance.m()));
    double size = 1;
    for (int k = 0; k < 100; ++k) {
      apply(x);
      size = test::largest(x);
      for (double& entry : x) entry /= size;
    }
    return size;
  };
  Vector force(instance.n()), velocity(instance.n());
  const double largest = growth([&](Vector& x) {
    psi.Gt_times(x.data(), force.data());
    psi.H_pp_times(force.data(), velocity.data());
    psi.G_times(velocity.data(), x.data());
  });
  return largest * growth([&](Vector& x) { instance.manifold.matrix().solve(x.data()); });
}

struct Rates {
  Vector q, p;
};

Rates rates(Formulation<double>& formulation, const PhasePoint<double>& z) {
  Rates f{z.q, z.p};
  EXPECT_TRUE(formulation.field(z, f.q.data(), f.p.data(), nullptr));
  return f;
}

/// The entries of the registry that take the system, with what they make of it.
struct Taken {
  std::string name;
  std::unique_ptr<Formulation<double>> formulation;
};
std::vector<Taken> formulations_for(test::Instance<double>& instance) {
  std::vector<Taken> taken;
  for (const auto& entry : formulations<double>()) {
    const std::string& name = entry.facts.name;
    if (name == "linear-hamiltonian" || name == "lagrange-2" || name == "equations") {
      EXPECT_THROW(static_cast<void>(entry.make(instance.manifold)), std::invalid_argument);
    } else {
      taken.push_back({name, entry.make(instance.manifold)});
    }
  }
  return taken;
}

class WeakEqualityOn : public testing::TestWithParam<Problem> {};

// A point in double is on the manifold up to its last digit, epsilon |q|. Solves with R make of that, and of their own
// rounding errors, condition times as much.
TEST_P(WeakEqualityOn, OfEveryFieldInQAndPHoldsAsFarAsTheConditionPermits) {
  test::Instance<double> instance(GetParam(), Backend::jit);
  const auto z = test::start<double>(GetParam());
  auto off = z;
  test::Noise noise(4);
  for (double& x : off.change().q) x += 1e-3 * static_cast<double>(noise());
  for (double& x : off.change().p) x += 1e-3 * static_cast<double>(noise());
  const auto standard = find_formulation<double>("standard").make(instance.manifold);
  const Rates expected = rates(*standard, z), expected_off = rates(*standard, off);
  const double level = std::numeric_limits<double>::epsilon() * test::largest(z->q) * condition(instance, z);
  ASSERT_LE(level, 1e-8);
  for (const auto& [name, formulation] : formulations_for(instance)) {
    if (name == "standard" || !formulation->is_physical()) continue;
    const Rates found = rates(*formulation, z);
    EXPECT_LE(test::distance(found.q, expected.q), level * test::largest(expected.q)) << name;
    EXPECT_LE(test::distance(found.p, expected.p), level * test::largest(expected.p)) << name;
    const Rates found_off = rates(*formulation, off);
    EXPECT_GE(test::distance(found_off.p, expected_off.p) + test::distance(found_off.q, expected_off.q), 1e-5) << name;
  }
}

// Also those in variables of their own, after a step that is short enough for the errors of rk4, h^5, to be less.
TEST_P(WeakEqualityOn, OfEveryFormulationHoldsForAStep) {
  test::Instance<double> instance(GetParam(), Backend::jit);
  const auto start = test::start<double>(GetParam());
  const double h = 1e-4;
  const auto after_step = [&](const std::string& name) {
    auto z = start;
    EXPECT_EQ(find_method<double>("rk4").make(instance.manifold, name)->step(z, h).status, StepStatus::ok) << name;
    return z;
  };
  const auto expected = after_step("standard");
  ASSERT_GT(test::distance(expected, start), 1e-5);
  const double level = std::numeric_limits<double>::epsilon() * test::largest(start->q) * condition(instance, start);
  for (const auto& [name, formulation] : formulations_for(instance))
    EXPECT_LE(test::distance(after_step(name), expected), std::pow(h, 4) + h * level + 1e-14) << name;
}

INSTANTIATE_TEST_SUITE_P(Each, WeakEqualityOn, testing::Values(test::chain(100), kRing),
                         [](const auto& each) { return each.param.name; });

TEST(AChainOfAThousandLinks, IsTakenByEveryFormulation) {
  const Problem problem = test::chain(1000);
  test::Instance<double> instance(problem, Backend::jit);
  const auto start = test::start<double>(problem);
  for (const auto& [name, formulation] : formulations_for(instance)) {
    auto z = start;
    const auto integrator = find_method<double>("rk4").make(instance.manifold, name);
    ASSERT_EQ(integrator->step(z, 5e-5).status, StepStatus::ok) << name;
    EXPECT_GT(test::distance(z, start), 1e-6) << name;
    // |q| reaches 1000, so that g is known to 1e-13 times 1000 links at best.
    EXPECT_LE(instance.manifold.position_residual(z->q.data(), z->t).value, 1e-11) << name;
    EXPECT_LE(instance.manifold.momentum_residual(z).value, 1e-11) << name;
  }
}

}  // namespace
}  // namespace cotangent
