#include "cotangent/solve/fixed_point.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace cotangent {
namespace {

// x = k (A(x) x + b) with a nonlinear A: functional iteration converges for small k only.
template <class T>
Mask<T> residual(const T& k, const T* x, T* r) {
  const T bend = T(1) / (T(1) + x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
  r[0] = x[0] - k * (x[1] * bend - x[2] + T(1));
  r[1] = x[1] - k * (x[2] - x[0] * bend + T(0.5));
  r[2] = x[2] - k * (x[0] - T(0.3) * x[1] - T(0.2));
  return isfinite(r[0]);
}

template <class T>
struct Solution {
  std::array<T, 3> x;
  typename FixedPoint<T>::Result result;
  std::array<T, 3> seen;  // where r was last evaluated, but for probes
};

template <class T>
Solution<T> solve(const T& k, FixedPointSolver solver) {
  FixedPoint<T> solve(3, solver);
  Solution<T> solution;
  solution.result = solve.solve(
      [&](const T* x, T* r, const Mask<T>&, bool is_probe) {
        if (!is_probe) std::copy_n(x, 3, solution.seen.begin());
        return residual(k, x, r);
      },
      Mask<T>(true), true);
  std::copy_n(solve.x().begin(), 3, solution.x.begin());
  return solution;
}

TEST(FixedPoint, IsFoundToRoundingByAllSolvers) {
  for (const auto solver : {FixedPointSolver::automatic, FixedPointSolver::functional, FixedPointSolver::newton}) {
    const auto found = solve(0.2, solver);
    ASSERT_TRUE(found.result.converged);
    std::array<double, 3> r{};
    residual(0.2, found.x.data(), r.data());
    for (const double entry : r) EXPECT_LE(std::abs(entry), 2e-16);
    EXPECT_EQ(found.seen, found.x) << "the last evaluation is that of the solution";
  }
}

TEST(FixedPoint, IsFoundByNewtonsMethodWhereIterationDiverges) {
  EXPECT_FALSE(solve(5.0, FixedPointSolver::functional).result.converged);
  for (const auto solver : {FixedPointSolver::automatic, FixedPointSolver::newton}) {
    const auto found = solve(5.0, solver);
    ASSERT_TRUE(found.result.converged);
    EXPECT_TRUE(found.result.newton);
    std::array<double, 3> r{};
    residual(5.0, found.x.data(), r.data());
    for (const double entry : r) EXPECT_LE(std::abs(entry), 1e-14);
  }
}

TEST(FixedPoint, IsLeftToFunctionalIterationWhereThatIsFast) {
  const auto found = solve(0.02, FixedPointSolver::automatic);
  EXPECT_TRUE(found.result.converged);
  EXPECT_FALSE(found.result.newton);
  EXPECT_LE(found.result.evaluations, found.result.iterations + 1);
}

TEST(FixedPoint, LanesGiveTheBitsOfRunsOfTheirOwn) {
  for (const auto solver : {FixedPointSolver::automatic, FixedPointSolver::newton}) {
    const auto k_of = [](int l) { return l % 5 == 4 ? 5.0 : 0.02 + 0.1 * (l % 5); };
    Lanes k(0.0);
    for (int l = 0; l < kLanes; ++l) k[l] = k_of(l);
    const auto batch = solve(k, solver);
    for (int l = 0; l < kLanes; ++l) {
      const auto single = solve(k_of(l), solver);
      ASSERT_TRUE(lane(batch.result.converged, l));
      for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_EQ(batch.x[i][l], single.x[i]) << "lane " << l;
        EXPECT_EQ(batch.seen[i][l], single.seen[i]) << "lane " << l;
      }
    }
  }
}

// dx/dk by the implicit function theorem, against a difference.
TEST(FixedPoint, HasTheDerivativesOfTheSolution) {
  for (const auto solver : {FixedPointSolver::automatic, FixedPointSolver::newton})
    for (const double k : {0.2, 5.0}) {
      Tangents moving(k);
      moving.d[0] = 1;
      const auto found = solve(moving, solver);
      ASSERT_TRUE(found.result.converged);
      const double e = 1e-5;
      const auto plus = solve(k + e, solver), minus = solve(k - e, solver);
      for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_NEAR(found.x[i].d[0], (plus.x[i] - minus.x[i]) / (2 * e), 1e-8);
        EXPECT_EQ(found.x[i].d[1], 0);
      }
    }
}

}  // namespace
}  // namespace cotangent
