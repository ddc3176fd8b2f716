#include "cotangent/solve/iteration/fixed_point.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace cotangent {
namespace {

// In the equation below: functional iteration diverges.
constexpr double kStiff = 3;

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
  EXPECT_FALSE(solve(kStiff, FixedPointSolver::functional).result.converged);
  for (const auto solver : {FixedPointSolver::automatic, FixedPointSolver::newton}) {
    const auto found = solve(kStiff, solver);
    ASSERT_TRUE(found.result.converged);
    EXPECT_TRUE(found.result.newton);
    std::array<double, 3> r{};
    residual(kStiff, found.x.data(), r.data());
    for (const double entry : r) EXPECT_LE(std::abs(entry), 1e-14);
  }
}

// Changes that are small and grow are no rounding errors: what those come to is measured.
TEST(FixedPoint, IsFoundToRoundingFromAGuessThatIsNearlyTheSolution) {
  const auto solution = solve(kStiff, FixedPointSolver::newton).x;
  for (const double distance : {1e-10, 1e-12, 1e-13, 1e-14}) {
    FixedPoint<double> again(3, FixedPointSolver::automatic);
    for (std::size_t j = 0; j < 3; ++j) again.x()[j] = solution[j] + (j == 1 ? -distance : distance);
    const auto result =
        again.solve([](const double* x, double* r, bool, bool) { return residual(kStiff, x, r); }, true, true);
    ASSERT_TRUE(result.converged) << distance;
    std::array<double, 3> r{};
    residual(kStiff, again.x().data(), r.data());
    for (const double entry : r) EXPECT_LE(std::abs(entry), 1e-14) << distance;
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
    const auto k_of = [](int l) { return l % 5 == 4 ? kStiff : 0.02 + 0.1 * (l % 5); };
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
    for (const double k : {0.2, kStiff}) {
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

// A stiff rod in the plane, one step of the implicit Euler method of length 1/100: x = (dq, dp). From rest at the guess
// zero the point is to move by 1/100 across the rod, where r is larger than at the guess by far.
template <class T>
Mask<T> rod(const T& k, const T* x, T* r) {
  const T h(0.01), q0 = T(1) + x[0], q1 = x[1], p0 = x[2], p1 = T(1) + x[3];
  const T length = sqrt(q0 * q0 + q1 * q1), tension = k * (length - T(1)) / length;
  r[0] = x[0] - h * p0;
  r[1] = x[1] - h * p1;
  r[2] = x[2] + h * tension * q0;
  r[3] = x[3] + h * tension * q1;
  return isfinite(r[2]);
}

template <class T>
std::array<T, 4> solve_rod(const T& k, typename FixedPoint<T>::Result& result, FixedPointSolver solver) {
  FixedPoint<T> solve(4, solver);
  result = solve.solve([&](const T* x, T* r, const Mask<T>&, bool) { return rod(k, x, r); });
  std::array<T, 4> x;
  std::copy_n(solve.x().begin(), 4, x.begin());
  return x;
}

TEST(FixedPoint, IsFoundWhereForcesAreStiff) {
  for (const auto solver : {FixedPointSolver::automatic, FixedPointSolver::newton})
    for (const double k : {1e2, 1e4, 1e6, 1e8, 1e10, 1e12}) {
      FixedPoint<double>::Result result;
      const auto x = solve_rod(k, result, solver);
      ASSERT_TRUE(result.converged) << k;
      // The same in a precision in which it is easy.
      FixedPoint<Quad>::Result quad_result;
      const auto exact = solve_rod<Quad>(Quad(k), quad_result, solver);
      ASSERT_TRUE(quad_result.converged) << k;
      // A rounding error of the length makes k as much of tension, of which h^2 goes across the rod.
      const double noise = 1e-14 + 1e-4 * k * epsilon<double>();
      for (std::size_t j = 0; j < 2; ++j) EXPECT_NEAR(x[j], static_cast<double>(exact[j]), 1e-15 + 0.01 * noise) << k;
      for (std::size_t j = 2; j < 4; ++j) EXPECT_NEAR(x[j], static_cast<double>(exact[j]), noise) << k;
      // It is the solution nearby: the rod is as long as it was, and has not turned over.
      EXPECT_NEAR(std::hypot(1 + x[0], x[1]), 1, 2e4 / k) << k;
      EXPECT_NEAR(x[1], 0.01, 1e-4) << k;
    }
}

TEST(FixedPoint, LanesThatAreStiffGiveTheBitsOfRunsOfTheirOwn) {
  Lanes k(0.0);
  const auto k_of = [](int l) { return std::pow(10.0, 1 + l % 8); };
  for (int l = 0; l < kLanes; ++l) k[l] = k_of(l);
  FixedPoint<Lanes>::Result result;
  const auto batch = solve_rod(k, result, FixedPointSolver::automatic);
  for (int l = 0; l < kLanes; ++l) {
    FixedPoint<double>::Result alone;
    const auto single = solve_rod(k_of(l), alone, FixedPointSolver::automatic);
    EXPECT_TRUE(alone.converged);
    ASSERT_TRUE(lane(result.converged, l));
    for (std::size_t j = 0; j < 4; ++j) EXPECT_EQ(batch[j][l], single[j]) << "lane " << l;
  }
}

TEST(FixedPoint, HasTheDerivativesOfStiffSolutions) {
  const double k = 1e8, e = 1e2;
  Tangents moving(k);
  moving.d[1] = 1;
  FixedPoint<Tangents>::Result result;
  const auto x = solve_rod(moving, result, FixedPointSolver::automatic);
  ASSERT_TRUE(result.converged);
  FixedPoint<Quad>::Result ignored;
  const auto plus = solve_rod<Quad>(Quad(k + e), ignored, FixedPointSolver::newton);
  const auto minus = solve_rod<Quad>(Quad(k - e), ignored, FixedPointSolver::newton);
  for (std::size_t j = 0; j < 4; ++j) {
    const auto slope = static_cast<double>((plus[j] - minus[j]) / (2 * Quad(e)));
    EXPECT_NEAR(x[j].d[1], slope, 1e-6 * std::abs(slope)) << j;
  }
}

// Two solutions: the iteration is to find the one that the guess belongs to, from both sides.
TEST(FixedPoint, FindsTheSolutionThatTheGuessBelongsTo) {
  for (const double guess : {-0.9, -0.2, 0.2, 0.9}) {
    FixedPoint<double> solve(1, FixedPointSolver::newton);
    solve.x()[0] = guess;
    // Flat far from the roots +-1/2, and in between: undamped, Newton's method goes anywhere.
    double seen = 0;
    const auto result = solve.solve(
        [&](const double* x, double* r, bool, bool is_probe) {
          if (!is_probe) seen = x[0];
          r[0] = std::atan(10 * (x[0] * x[0] - 0.25));
          return true;
        },
        true, true);
    ASSERT_TRUE(result.converged) << guess;
    EXPECT_NEAR(solve.x()[0], guess < 0 ? -0.5 : 0.5, 1e-15);
    EXPECT_EQ(solve.x()[0], seen) << "the last evaluation is that of the solution, after damped steps too";
  }
}

}  // namespace
}  // namespace cotangent
