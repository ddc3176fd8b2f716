#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>

#include "tests/integrator/method_contract.hpp"

// The order of every method, on the constrained motion. In Quad, with as many steps as bring the error far below that
// of a lower order and leave it far above rounding.

namespace cotangent {
namespace {

using test::is_ok;
using test::MethodRunner;
using test::Problem;

constexpr double kEnd = 0.5;
constexpr double kRounding = 1e-30;  // with a margin, and the error of the reference

// The point at kEnd: extrapolation of order 16 with steps of 1/48, whose error is below 1e-31. That it is the
// constrained motion is seen from all the others that converge to it.
const PhasePoint<Quad>& reference(const Problem& problem) {
  static std::map<std::string, PhasePoint<Quad>> found;
  if (const auto known = found.find(problem.name); known != found.end()) return known->second;
  MethodRunner<Quad> odex("odex:8", problem);
  auto z = test::start<Quad>(problem);
  const int steps = 24;
  for (int s = 0; s < steps; ++s) EXPECT_TRUE(is_ok(odex.step(z, static_cast<Quad>(kEnd) / steps)));
  return found[problem.name] = z;
}

class MethodOrder : public test::MethodTest {};

TEST_P(MethodOrder, IsTheDeclaredOne) {
  auto s = runner<Quad>();
  const auto& exact = reference(problem);
  const auto error = [&](int steps) {
    auto z = test::start<Quad>(problem);
    for (int k = 0; k < steps; ++k)
      if (!is_ok(s.step(z, static_cast<Quad>(kEnd) / steps))) return std::numeric_limits<double>::infinity();
    EXPECT_NEAR(static_cast<double>(z->t), kEnd, 1e-15);
    return static_cast<double>(test::distance(z, exact));
  };
  // Where leading terms of the error are small, as in good methods, they dominate late: not before the error is so
  // small that twice as many steps would bring it down to rounding, if that is affordable.
  const double small = std::max(std::pow(10.0, -2 - 3 * facts.order), kRounding * std::pow(3.0, facts.order));
  const int affordable = facts.order <= 4 ? 32 : 256;
  int steps = 2;
  double coarse = error(steps);
  while (coarse > small && steps < affordable) coarse = error(steps *= 2);
  const double fine = error(3 * steps / 2);
  EXPECT_GT(fine, kRounding) << "the error is no longer one of the method";
  EXPECT_NEAR(std::log(coarse / fine) / std::log(1.5), facts.order, 0.35)
      << "with " << steps << " steps, error " << coarse;
}

INSTANTIATE_TEST_SUITE_P(Every, MethodOrder, testing::ValuesIn(test::method_cases()), test::method_case_name);

}  // namespace
}  // namespace cotangent
