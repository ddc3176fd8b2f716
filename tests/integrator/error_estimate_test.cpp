#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <tuple>
#include <vector>

#include "cotangent/integrator/runge_kutta/error_norm.hpp"
#include "tests/integrator/method_contract.hpp"
#include "tests/support/mechanisms.hpp"

// Estimates of the error of a step, of every method that has one.

namespace cotangent {
namespace {

using test::is_ok;
using test::MethodRunner;
using test::Problem;

const Tolerance kUnit{.relative = 0, .absolute = 1};

struct Estimate {
  double estimated, actual;
};

// One step of length h, compared with many of a method of high order.
Estimate estimate(MethodRunner<Quad>& s, const Problem& problem, Quad h) {
  const auto start = test::start<Quad>(problem);
  auto z = start, exact = start;
  const auto report = s.step(z, h);
  EXPECT_TRUE(is_ok(report));
  MethodRunner<Quad> reference("odex:8", problem);
  for (int k = 0; k < 4; ++k) EXPECT_TRUE(is_ok(reference.step(exact, h / 4)));
  const ErrorNorm<Quad> norm(kUnit);
  const auto error = [&](const std::vector<Quad>& x, const std::vector<Quad>& X) {
    std::vector<Quad> difference = x;
    for (std::size_t k = 0; k < x.size(); ++k) difference[k] -= X[k];
    return norm(0, difference, x, X);
  };
  return {static_cast<double>(report.error), static_cast<double>(max(error(z->q, exact->q), error(z->p, exact->p)))};
}

class MethodEstimate : public test::MethodTest {};

TEST_P(MethodEstimate, HasTheDeclaredOrderAndTheSizeOfTheError) {
  auto s = runner<Quad>();
  auto z = test::start<Quad>(problem);
  EXPECT_EQ(static_cast<double>(s.step(z, static_cast<Quad>(0.01)).error), 0) << "nobody asked";
  s.integrator->tolerate(kUnit);

  // Estimates are mostly those of a result of lower order than the one that is kept, and larger than its error by
  // some power of 1/h.
  const auto large = estimate(s, problem, static_cast<Quad>(0.4));
  EXPECT_GT(large.estimated, 0.1 * large.actual);
  EXPECT_LT(large.estimated, 100 * large.actual);

  // As in order_test.cpp. One step has less rounding.
  const auto estimated = [&](Quad h) {
    auto x = test::start<Quad>(problem);
    return static_cast<double>(s.step(x, h).error);
  };
  auto h = static_cast<Quad>(0.4);
  while (h > static_cast<Quad>(0.005) && estimated(h) > 1e-32 * std::pow(3.0, facts.error_order)) h /= 2;
  const double coarse = estimated(h), fine = estimated(2 * h / 3);
  EXPECT_NEAR(std::log(coarse / fine) / std::log(1.5), facts.error_order, 0.35)
      << "h = " << static_cast<double>(h) << ", " << coarse;
}

std::vector<test::MethodCase> estimating_cases() {
  std::vector<test::MethodCase> cases;
  for (const auto& method : methods<double>())
    if (method.facts.error_order > 0)
      for (const char* name : {"double_pendulum", "spherical_metric", "relativistic", "free"})
        if (test::applies(method.facts, test::problem(name)))
          cases.push_back({method.facts.name, test::problem(name), false});
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Every, MethodEstimate, testing::ValuesIn(estimating_cases()), test::method_case_name);

// In variables of a formulation too, and the same in every lane.
TEST(Estimates, AreThereUnderAllFormulations) {
  const Problem& problem = test::problem("double_pendulum");
  for (const std::string method : {"dopri5", "dop853", "odex:3"}) {
    const MethodFacts facts = find_method<double>(method).facts;
    for (const std::string& formulation : facts.formulations) {
      if (!test::takes(formulation, {.name = problem.name, .text = problem.text})) continue;
      const auto error = [&](double h) {
        MethodRunner<double> s(method, problem, Backend::interpreter, formulation);
        s.integrator->tolerate({.relative = 1e-6, .absolute = 0});
        auto z = test::start<double>(problem);
        const auto report = s.step(z, h);
        EXPECT_TRUE(is_ok(report)) << method << ", " << formulation;
        return report.error;
      };
      const double whole = error(0.1), half = error(0.05);
      EXPECT_GT(std::log2(whole / half), facts.error_order - 1.5) << method << ", " << formulation;
      EXPECT_LT(std::log2(whole / half), facts.error_order + 1.5) << method << ", " << formulation;
      if (find_formulation<double>(formulation).facts.applies_to.ends_with("one trajectory at a time")) continue;
      MethodRunner<Lanes> batch(method, problem, Backend::interpreter, formulation);
      batch.integrator->tolerate({.relative = 1e-6, .absolute = 0});
      auto z = test::start<Lanes>(problem);
      const auto report = batch.step(z, 0.1);
      for (int l = 0; l < kLanes; ++l) EXPECT_EQ(report.error[l], whole) << method << ", " << formulation;
    }
  }
}

TEST(Estimates, CostOnlyThoseWhoAskForThem) {
  for (const auto& [method, without, with] : {std::tuple{"dopri5", 6, 7},
                                              {"tsit5", 6, 7},
                                              {"rkf78", 11, 13},
                                              {"dop853", 12, 12},
                                              {"vern9", 15, 16},
                                              {"odex:3", 13, 13},
                                              {"rk4", 4, 4}}) {
    MethodRunner<double> s(method, test::problem("free")), other(method, test::problem("free"));
    auto z = test::start<double>(test::problem("free")), same = z;
    EXPECT_EQ(s.step(z, 0.1).evaluations, without) << method;
    other.integrator->tolerate({.relative = 1e-6, .absolute = 0});
    EXPECT_EQ(other.step(same, 0.1).evaluations, with) << method;
    EXPECT_EQ(test::distance(z, same), 0) << method;
  }
}

using Vector = std::vector<double>;

double of(const ErrorNorm<double>& norm, const Vector& e, const Vector& x, const Vector& X) { return norm(0, e, x, X); }

TEST(ErrorNorms, AreMeansInUnitsOfTheTolerance) {
  const ErrorNorm<double> norm({.relative = 0.01, .absolute = 1});
  EXPECT_DOUBLE_EQ(of(norm, {3, 4}, {0, 0}, {0, 0}), std::sqrt(12.5));
  EXPECT_DOUBLE_EQ(of(norm, {3, 4, 3, 4}, Vector(4, 0), Vector(4, 0)), std::sqrt(12.5)) << "whatever their number";
  EXPECT_DOUBLE_EQ(of(norm, {-6}, {-100}, {5}), 3) << "1 + 0.01 |x|";
  EXPECT_DOUBLE_EQ(of(norm, {-6}, {5}, {100}), 3) << "1 + 0.01 |X|";
  EXPECT_EQ(of(norm, {}, {}, {}), 0);
}

TEST(ErrorNorms, TakeTheLargestComponentForAnAbsoluteToleranceOfZero) {
  const ErrorNorm<double> norm({.relative = 0.01, .absolute = 0});
  EXPECT_DOUBLE_EQ(of(norm, {2, 0}, {0, 100}, {0, 50}), 2 / std::sqrt(2.0));
  EXPECT_DOUBLE_EQ(of(norm, {0, 2}, {0, 100}, {0, 50}), 1 / std::sqrt(2.0));
  EXPECT_EQ(of(norm, {0, 0}, {0, 0}, {0, 0}), 0) << "nothing moves";
}

TEST(ErrorNorms, LeaveOutWhatRoundingMakesOfAStep) {
  const ErrorNorm<double> plain({.relative = 1e-10, .absolute = 0});
  const ErrorNorm<double> norm({.relative = 1e-10, .absolute = 0}, {1e-16, 0, 0});
  EXPECT_NEAR(of(norm, {1e-10}, {1}, {1}), of(plain, {1e-10}, {1}, {1}), 1e-4) << "errors are what they are";
  // At rest: the tolerance has gone down with the momenta, the noise has not.
  EXPECT_GT(of(plain, {6e-15}, {1e-16}, {1e-16}), 1e9);
  EXPECT_EQ(of(norm, {6e-15}, {1e-16}, {1e-16}), 0);
  EXPECT_GT(of(norm, {7e-15}, {1e-16}, {1e-16}), 1);
  EXPECT_GT(norm(1, Vector{6e-15}, Vector{1e-16}, Vector{1e-16}), 1e9) << "each kind by itself";
}

TEST(ErrorNorms, AreInfiniteForWhatIsNotFinite) {
  const ErrorNorm<double> norm({.relative = 0.01, .absolute = 1});
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double bad : {infinity, std::numeric_limits<double>::quiet_NaN(), 1e200})
    EXPECT_EQ(of(norm, {bad, 1}, {0, 0}, {0, 0}), infinity);
}

}  // namespace
}  // namespace cotangent
