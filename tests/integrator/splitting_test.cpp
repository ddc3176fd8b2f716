#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "cotangent/integrator/composed/splitting_tables.hpp"
#include "tests/integrator/method_contract.hpp"
#include "tests/integrator/runner.hpp"
#include "tests/integrator/word_series.hpp"

namespace cotangent {
namespace {

using test::is_ok;
using test::MethodRunner;
using test::Problem;
using test::WordSeries;

const std::vector<std::string> kPartitioned{
    "stormer-verlet", "stormer-verlet:kick", "ruth3",        "ruth3:kick",       "forest-ruth", "forest-ruth:kick",
    "blanes-moan4",   "blanes-moan4:kick",   "blanes-moan6", "blanes-moan6:kick"};
const std::vector<std::string> kNystrom{"blanes-moan-rkn4", "blanes-moan-rkn6", "blanes-moan-rkn6:11"};

SplittingTable table(const std::string& name) { return splitting_table(parse_method_name(name)); }

Quad sum(const std::vector<Quad>& x) {
  Quad s = 0;
  for (const Quad& v : x) s += v;
  return s;
}

bool is_palindrome(const std::vector<Quad>& x) {
  for (std::size_t k = 0; k < x.size(); ++k)
    if (x[k] != x[x.size() - 1 - k]) return false;
  return true;
}

// Letters A (drift) and B (kick). The conditions are those of any two vector fields.
Quad defect(const SplittingTable& t, int degree) {
  WordSeries product({1, 1}, degree), exact({1, 1}, degree);
  const std::size_t first = t.drift_first ? 0 : 1;
  for (std::size_t k = 0; k < t.first.size(); ++k) {
    std::vector<Quad> x(2, 0);
    x[first] = t.first[k];
    product.multiply_by_exponential(x);
    if (k >= t.second.size()) break;
    x.assign(2, 0);
    x[1 - first] = t.second[k];
    product.multiply_by_exponential(x);
  }
  exact.multiply_by_exponential({1, 1});
  Quad largest = 0;
  for (int d = degree; d >= 1; --d) largest = max(largest, product.distance(exact, d));
  return largest;
}

TEST(SplittingTables, SatisfyTheConditionsOfTheirOrderAndNoMore) {
  for (const auto& name : kPartitioned) {
    const SplittingTable t = table(name);
    EXPECT_LE(static_cast<double>(defect(t, t.order)), 2e-32) << name;
    EXPECT_GE(static_cast<double>(defect(t, t.order + 1)), 1e-6) << name;
    EXPECT_EQ(t.drift_first, name.find(":kick") == std::string::npos) << name;
    EXPECT_EQ(t.name, name);
  }
  // Those for quadratic T need not, and do not, satisfy them all; the first that they need not is of order four, and
  // of symmetric ones of order five.
  EXPECT_LE(static_cast<double>(defect(table("blanes-moan-rkn4"), 4)), 2e-32);
  for (const char* name : {"blanes-moan-rkn6", "blanes-moan-rkn6:11"})
    EXPECT_GE(static_cast<double>(defect(table(name), table(name).order)), 1e-6) << name;
  for (const auto& names : {kPartitioned, kNystrom}) {
    for (const auto& name : names) {
      const SplittingTable t = table(name);
      EXPECT_LE(static_cast<double>(abs(sum(t.first) - 1)), 1e-32) << name;
      EXPECT_LE(static_cast<double>(abs(sum(t.second) - 1)), 1e-32) << name;
      EXPECT_EQ(t.symmetric, t.first.size() == t.second.size() + 1 && is_palindrome(t.first) && is_palindrome(t.second))
          << name;
    }
  }
}

// T is not quadratic; masses are coupled.
const Problem kQuartic{.name = "quartic",
                       .text = R"toml(
[system]
coordinates = ["x", "y"]
hamiltonian = "sqrt(1 + p_x^2) + p_y^2/2 + p_x^2*p_y^2/4 + cos(x)*exp(y/2) + x^2*y^2 + y^4/4"
[initial]
x = 0.3
y = -0.2
p_x = 0.5
p_y = 0.4
)toml",
                       .diagonal_mass = false};

// T is quadratic but not diagonal, with a linear part.
const Problem kCoupled{.name = "coupled",
                       .text = R"toml(
[system]
coordinates = ["x", "y"]
hamiltonian = "p_x^2 + p_y^2/2 + p_x*p_y/2 + p_x/3 + cos(x)*exp(y/2) + x^2*y^2 + y^4/4"
[initial]
x = 0.3
y = -0.2
p_x = 0.5
p_y = 0.4
)toml",
                       .diagonal_mass = false};

PhasePoint<Quad> run(const std::string& name, const Problem& problem, int steps) {
  MethodRunner<Quad> s(name, problem);
  auto z = test::start<Quad>(problem);
  for (int k = 0; k < steps; ++k) EXPECT_TRUE(is_ok(s.step(z, static_cast<Quad>(1) / steps)));
  return z;
}

// Down to where errors of coefficients in their 20th digit would be seen.
void expect_order(const std::string& name, const Problem& problem) {
  static std::map<std::string, PhasePoint<Quad>> found;
  if (found.count(problem.name) == 0) found[problem.name] = run("compose:10(stormer-verlet)", problem, 400);
  const auto& exact = found[problem.name];
  const int order = find_method<double>(name).facts.order;
  const int steps = order == 2 ? 64 : order < 5 ? 128 : 256;
  const double coarse = static_cast<double>(test::distance(run(name, problem, steps), exact)),
               fine = static_cast<double>(test::distance(run(name, problem, 2 * steps), exact));
  EXPECT_GT(fine, 1e-25) << name << " on " << problem.name;
  EXPECT_NEAR(std::log2(coarse / fine), order, 0.1) << name << " on " << problem.name << ", error " << fine;
}

TEST(Splittings, HaveTheirOrder) {
  for (const auto& name : kPartitioned) expect_order(name, kQuartic);
  for (const auto& name : kNystrom) expect_order(name, kCoupled);
  expect_order("blanes-moan-rkn4", kQuartic);
}

TEST(Splittings, ForQuadraticKineticEnergyRefuseOthers) {
  test::Instance<double> quartic(kQuartic), coupled(kCoupled);
  for (const auto& name : kNystrom) {
    EXPECT_NO_THROW(static_cast<void>(find_method<double>(name).make(coupled.manifold))) << name;
    if (!table(name).quadratic) continue;
    EXPECT_THROW(static_cast<void>(find_method<double>(name).make(quartic.manifold)), std::invalid_argument) << name;
  }
}

// Forest and Ruth: the triple jump of leapfrog. To rounding, since kicks are put together.
TEST(Splittings, AgreeWithCompositions) {
  const auto a = run("forest-ruth", kQuartic, 10), b = run("triple-jump(stormer-verlet)", kQuartic, 10),
             c = run("triple-jump(stormer-verlet:kick)", kQuartic, 10), d = run("forest-ruth:kick", kQuartic, 10);
  EXPECT_LE(static_cast<double>(test::distance(a, b)), 1e-31);
  EXPECT_LE(static_cast<double>(test::distance(c, d)), 1e-31);
  EXPECT_GE(static_cast<double>(test::distance(a, c)), 1e-9);
  const auto verlet = run("stormer-verlet:kick", kCoupled, 10), rattle = run("rattle", kCoupled, 10);
  EXPECT_LE(static_cast<double>(test::distance(verlet, rattle)), 1e-31);
}

const test::Mechanism kTimeInV{"time_in_V", R"toml(
[system]
coordinates = ["x"]
hamiltonian = "p_x^2/2 + x^4/4 + x*cos(3*t)"
[initial]
x = 0.3
p_x = 0.5
)toml"};

// The time is a coordinate that the drifts move, and the work done by it its momentum.
TEST(Splittings, HaveTheirOrderWhereThePotentialMoves) {
  const auto run_to_one = [](const char* name, int steps) {
    return test::Runner<Quad>(kTimeInV, name).run(steps, static_cast<Quad>(1));
  };
  const auto exact = run_to_one("blanes-moan6", 800);
  for (const char* name : {"forest-ruth", "blanes-moan4:kick", "blanes-moan-rkn4"}) {
    const auto coarse = run_to_one(name, 40), fine = run_to_one(name, 80);
    ASSERT_EQ(exact->s.size(), 1U);
    const auto error = [&](const PhasePoint<Quad>& z) {
      return static_cast<double>(max(test::distance(z, exact), abs(z.s[0] - exact->s[0])));
    };
    EXPECT_NEAR(std::log2(error(coarse) / error(fine)), 4, 0.2) << name;
    EXPECT_GT(error(fine), 1e-14) << name;
  }
  // H - w is what a symplectic method nearly keeps.
  test::Runner<double> s(kTimeInV, "blanes-moan4");
  auto z = s.start();
  double H0 = 0, largest = 0;
  for (int k = 0; k <= 4000; ++k) {
    const double H = z->p[0] * z->p[0] / 2 + std::pow(z->q[0], 4) / 4 + z->q[0] * std::cos(3 * z->t) - z->s[0];
    if (k == 0) H0 = H;
    largest = std::max(largest, std::abs(H - H0));
    ASSERT_TRUE(s.step(z, 0.1));
  }
  EXPECT_LT(largest, 1e-4);
}

TEST(Splittings, RefuseWhatTheyCannotSplit) {
  const auto refusal = [](const std::string& name, const std::string& text) -> std::string {
    try {
      test::Runner<double> runner({"refused", text}, name);
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "";
  };
  const std::string start = "[initial]\nx = 1\np_x = 0\n";
  const auto system = [](const std::string& H) {
    return "[system]\ncoordinates = [\"x\"]\nhamiltonian = \"" + H + "\"\n";
  };
  const auto says = [](const std::string& text, const char* words) {
    return text.find(words) != std::string::npos ? testing::AssertionSuccess() : testing::AssertionFailure() << text;
  };
  const std::string oscillator = system("(p_x^2 + x^2)/2");
  EXPECT_EQ(refusal("forest-ruth", oscillator + start), "");
  EXPECT_TRUE(says(refusal("forest-ruth", test::problem("pendulum").text), "compose:4(rattle) or reich(forest-ruth)"));
  EXPECT_TRUE(says(refusal("blanes-moan6", test::problem("pendulum").text), "compose:6(rattle)"));
  EXPECT_TRUE(says(refusal("forest-ruth", system("p_x^2*x^2/2 + x^2") + start), "gauss:2"));
  EXPECT_TRUE(says(refusal("forest-ruth", oscillator + "[forces]\nx = \"-v_x\"\n" + start), "forces"));
  EXPECT_TRUE(says(refusal("forest-ruth", system("p_x^2/2*(2 + cos(t)) + x^2") + start), "T depends on the time"));
  EXPECT_TRUE(says(refusal("blanes-moan-rkn6", system("p_x^4 + x^2") + start), "use blanes-moan6"));
  EXPECT_TRUE(says(refusal("forest-ruth:drift", oscillator + start), "forest-ruth and forest-ruth:kick"));
  EXPECT_TRUE(says(refusal("blanes-moan-rkn4:kick", oscillator + start), "blanes-moan-rkn4"));
  EXPECT_TRUE(says(refusal("ruth3(rattle)", oscillator + start), "there is no method"));
}

// The last kick of a step is the first of the next: its force is not evaluated again, unless the point has changed.
TEST(Splittings, EvaluateForcesOnce) {
  const Problem& problem = test::problem("free");
  MethodRunner<double> kick("stormer-verlet:kick", problem), drift("blanes-moan6", problem);
  auto z = test::start<double>(problem);
  EXPECT_EQ(kick.step(z, 0.1).evaluations, 2);
  EXPECT_EQ(kick.step(z, 0.1).evaluations, 1);
  z.forget();
  EXPECT_EQ(kick.step(z, 0.1).evaluations, 2);
  EXPECT_EQ(drift.step(z, 0.1).evaluations, 10);
}

}  // namespace
}  // namespace cotangent
