#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "cotangent/integrator/error_norm.hpp"
#include "tests/integrator/method_contract.hpp"

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
    return norm(difference, x, X);
  };
  return {static_cast<double>(report.error),
          static_cast<double>(max(error(z.q, exact.q), error(z.p, exact.p)))};
}

class MethodEstimate : public test::MethodTest {};

TEST_P(MethodEstimate, HasTheDeclaredOrderAndTheSizeOfTheError) {
  auto s = runner<Quad>();
  auto z = test::start<Quad>(problem);
  EXPECT_EQ(static_cast<double>(s.step(z, static_cast<Quad>(0.01)).error), 0) << "nobody asked";
  s.integrator->tolerate(kUnit);
  auto h = static_cast<Quad>(0.2);
  auto coarse = estimate(s, problem, h), fine = estimate(s, problem, h / 2);
  std::cout << facts.name << " " << problem.name << " h=" << (double)h << " est " << coarse.estimated << " act " << coarse.actual << " ratio " << coarse.estimated/coarse.actual << " order " << std::log2(coarse.estimated / fine.estimated) << "\n";
  for (int k = 0; k < 3; ++k) {
    h /= 2;
    coarse = fine;
    fine = estimate(s, problem, h / 2);
  std::cout << facts.name << " " << problem.name << " h=" << (double)h << " est " << coarse.estimated << " act " << coarse.actual << " ratio " << coarse.estimated/coarse.actual << " order " << std::log2(coarse.estimated / fine.estimated) << "\n";
  }
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

}  // namespace
}  // namespace cotangent
