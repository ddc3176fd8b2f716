#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "tests/integrator/method_contract.hpp"
#include "tests/integrator/structure.hpp"

// Steps between momentum projections. What all methods must obey is measured for reich(stormer-verlet) with the others.

namespace cotangent {
namespace {

using test::is_ok;
using test::MethodRunner;
using test::Problem;
using test::Runner;

PhasePoint<Quad> run(const std::string& name, const Problem& problem, int steps, const std::string& formulation = "") {
  MethodRunner<Quad> s(name, problem, Backend::interpreter, formulation);
  auto z = test::start<Quad>(problem);
  for (int k = 0; k < steps; ++k) EXPECT_TRUE(is_ok(s.step(z, static_cast<Quad>(0.5) / steps))) << name;
  return z;
}

double measured_order(const std::string& name, const Problem& problem, int steps, const std::string& formulation = "") {
  const auto exact = run("compose:10(rattle)", problem, 32);
  const double coarse = static_cast<double>(test::distance(run(name, problem, steps, formulation), exact)),
               fine = static_cast<double>(test::distance(run(name, problem, 2 * steps, formulation), exact));
  EXPECT_GT(fine, 1e-22) << name;
  return std::log2(coarse / fine);
}

TEST(Reich, OfKickDriftKickIsRattle) {
  for (const char* name : {"torus", "relativistic"}) {  // under constant forces there is no difference
    const Problem& problem = test::problem(name);
    const auto rattle = run("rattle", problem, 10), reich = run("reich(stormer-verlet:kick)", problem, 10),
               other = run("reich(stormer-verlet)", problem, 10);
    EXPECT_LE(static_cast<double>(test::distance(rattle, reich)), 1e-30) << name;
    EXPECT_GE(static_cast<double>(test::distance(rattle, other)), 1e-8) << name;
  }
}

// A splitting sees nothing of the constraint forces but impulses at both ends of a step.
TEST(Reich, OfSplittingsHasOrderTwoAndComposesToMore) {
  const Problem& problem = test::problem("double_pendulum");
  EXPECT_EQ(find_method<double>("reich(blanes-moan6)").facts.order, 2);
  EXPECT_NEAR(measured_order("reich(blanes-moan6)", problem, 32), 2, 0.1);
  EXPECT_NEAR(measured_order("compose:6(reich(stormer-verlet))", problem, 16), 6, 0.3);
}

// Where the field has the constrained motion on the manifold the order is that of the method, for both formulations.
TEST(Reich, OfMethodsForFieldsHasTheirOrder) {
  const Problem& problem = test::problem("double_pendulum");
  EXPECT_NEAR(measured_order("reich(gauss:3)", problem, 4), 6, 0.4);
  EXPECT_NEAR(measured_order("reich(gauss:2)", problem, 8, "standard"), 4, 0.3);
  EXPECT_NEAR(measured_order("reich(rk4)", problem, 32), 4, 0.3);
  EXPECT_NEAR(measured_order("reich(compose:4(implicit-midpoint))", problem, 8), 4, 0.4);
}

// The method alone keeps neither constraint, and the symplectic form nowhere but in the whole phase space.
TEST(Reich, ClaimsWhatRemains) {
  test::Instance<double> instance(test::problem("pendulum"));
  const auto method = find_method<double>("reich(gauss:2)");
  EXPECT_EQ(method.facts.formulations, (std::vector<std::string>{"total", "standard"}));
  EXPECT_TRUE(method.facts.symplectic && method.facts.symmetric && method.facts.keeps_position);
  const auto standard = method.make(instance.manifold, "standard");
  EXPECT_FALSE(standard->facts().symplectic);
  EXPECT_TRUE(standard->facts().keeps_position && standard->facts().keeps_momentum && standard->facts().symmetric);
  const auto rk4 = find_method<double>("reich(rk4)").make(instance.manifold);
  EXPECT_FALSE(rk4->facts().symplectic || rk4->facts().symmetric);
}

// Of a step under a formulation.
template <class Measure>
double measured(const Measure& measure, const std::string& name, const Problem& problem,
                const std::string& formulation) {
  Runner<Quad> runner(test::mechanism(problem), name);
  runner.integrator = find_method<Quad>(name).make(runner.manifold, formulation);
  return measure(runner, 0.1Q);
}

TEST(Reich, KeepsSymmetryAndTheSymplecticFormWhereItSaysSo) {
  const Problem& problem = test::problem("double_pendulum");
  EXPECT_LE(measured(test::asymmetry, "reich(gauss:2)", problem, "total"), 1e-29);
  EXPECT_LE(measured(test::asymmetry, "reich(gauss:2)", problem, "standard"), 1e-29);
  EXPECT_GE(measured(test::asymmetry, "reich(rk4)", problem, "total"), 1e-12);
  EXPECT_LE(measured(test::area_change, "reich(gauss:2)", problem, "total"), 1e-15);
  EXPECT_GE(measured(test::area_change, "reich(gauss:2)", problem, "standard"), 1e-10);
  EXPECT_GE(measured(test::area_change, "reich(rk4)", problem, "total"), 1e-10);
  EXPECT_GE(measured(test::area_change, "gauss:2", problem, "standard"), 1e-10);
}

TEST(Reich, RefusesWhatDoesNotFeelTheImpulse) {
  const auto refusal = [](const std::string& name, const std::string& formulation = "") -> std::string {
    test::Instance<double> instance(test::problem("pendulum"));
    try {
      static_cast<void>(find_method<double>(name).make(instance.manifold, formulation));
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_NE(refusal("reich(rattle)").find("use it as it is"), std::string::npos);
  EXPECT_NE(refusal("reich(gauss:2)", "hamilton-dirac").find("total or standard"), std::string::npos);
  EXPECT_NE(refusal("reich:4(gauss:2)").find("compose:4(reich(gauss:2))"), std::string::npos);
  EXPECT_NE(refusal("reich").find("made of another method"), std::string::npos);
}

}  // namespace
}  // namespace cotangent
