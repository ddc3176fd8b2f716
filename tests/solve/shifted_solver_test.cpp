#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

#include "cotangent/solve/singular/semidefinite_solver.hpp"
#include "tests/kernel/allocations.hpp"
#include "tests/solve/patterns.hpp"

namespace cotangent {
namespace {

using namespace test;  // NOLINT(google-build-using-namespace)

/// x = R^+ b for a symmetric R, from its eigenvalues by Jacobi's rotations; eigenvalues below 1e-20 of the largest
/// count as 0. Quad leaves enough digits for R in double.
std::vector<Quad> pseudo_solve(std::vector<std::vector<Quad>> R, const std::vector<Quad>& b) {
  const std::size_t m = b.size();
  std::vector<std::vector<Quad>> V(m, std::vector<Quad>(m, 0));
  for (std::size_t i = 0; i < m; ++i) V[i][i] = 1;
  Quad trace = 0;
  for (std::size_t i = 0; i < m; ++i) trace += R[i][i];
  for (int sweep = 0; sweep < 20; ++sweep) {
    for (std::size_t p = 0; p < m; ++p) {
      for (std::size_t q = 0; q < p; ++q) {
        if (abs(R[p][q]) <= epsilon<Quad>() * trace) continue;
        const Quad theta = (R[q][q] - R[p][p]) / (2 * R[p][q]);
        const Quad t = (theta < 0 ? -1 : 1) / (abs(theta) + sqrt(theta * theta + 1));
        const Quad c = 1 / sqrt(t * t + 1), s = t * c;
        const auto rotate = [c, s](Quad& x, Quad& y) {
          const Quad u = x, v = y;
          x = c * u - s * v, y = s * u + c * v;
        };
        for (std::size_t k = 0; k < m; ++k) rotate(R[k][p], R[k][q]);
        for (std::size_t k = 0; k < m; ++k) rotate(R[p][k], R[q][k]);
        for (std::size_t k = 0; k < m; ++k) rotate(V[k][p], V[k][q]);
      }
    }
  }
  std::vector<Quad> x(m, 0);
  for (std::size_t k = 0; k < m; ++k) {
    if (R[k][k] <= static_cast<Quad>(1e-20) * trace) continue;
    Quad s = 0;
    for (std::size_t i = 0; i < m; ++i) s += V[i][k] * b[i];
    for (std::size_t i = 0; i < m; ++i) x[i] += V[i][k] * s / R[k][k];
  }
  return x;
}

/// R = G G' for a G of small integers, exact in double, and b = R y, exact as well: a consistent system.
struct Consistent {
  int size;
  OffDiagonal off_diagonal;
  std::vector<double> diagonal, lower, b;

  /// Constraints along a path: row i has coordinates i, i+1 and i+2. Every `period`-th row is stated `copies` times.
  Consistent(int links, int period, int copies, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_int_distribution<int> digit(1, 9);
    std::vector<std::vector<int>> G;
    for (int i = 0; i < links; ++i) {
      std::vector<int> row(links + 2, 0);
      row[i] = digit(random), row[i + 1] = -digit(random) - 9, row[i + 2] = digit(random);
      for (int copy = 0; copy < (i % period == 0 ? copies : 1); ++copy) G.push_back(row);
    }
    size = static_cast<int>(G.size());
    std::vector<int> y(size);
    for (int& a : y) a = digit(random) - 5;
    diagonal.assign(size, 0), b.assign(size, 0);
    for (int i = 0; i < size; ++i) {
      for (int j = 0; j <= i; ++j) {
        int a = 0;
        for (int k = 0; k < links + 2; ++k) a += G[i][k] * G[j][k];
        b[i] += a * y[j];
        if (i == j) {
          diagonal[i] = a;
        } else if (a != 0) {
          b[j] += a * y[i];
          off_diagonal.emplace_back(i, j), lower.push_back(a);
        }
      }
    }
  }

  std::vector<Quad> smallest_solution() const {
    std::vector<std::vector<Quad>> R(size, std::vector<Quad>(size, 0));
    for (int i = 0; i < size; ++i) R[i][i] = diagonal[i];
    for (std::size_t e = 0; e < lower.size(); ++e) {
      const auto [i, j] = off_diagonal[e];
      R[i][j] = R[j][i] = lower[e];
    }
    return pseudo_solve(R, {b.begin(), b.end()});
  }
};

template <class T>
std::vector<T> converted(const std::vector<double>& v) {
  return {v.begin(), v.end()};
}

double largest(const std::vector<Quad>& x) {
  double found = 0;
  for (const Quad& a : x) found = std::max(found, std::abs(static_cast<double>(a)));
  return found;
}

template <class T>
double distance(const std::vector<T>& x, const std::vector<Quad>& y) {
  std::vector<Quad> difference(y.size());
  for (std::size_t i = 0; i < y.size(); ++i) difference[i] = static_cast<Quad>(x[i]) - y[i];
  return largest(difference);
}

/// What rounding leaves in the kernel of R, in units of epsilon^(2/3). The plain refinement with K alone leaves
/// epsilon^(-1/3) of these units, 1e5 in double.
constexpr double kKernel = 8;

template <class T>
class Shifted : public testing::Test {};
using Precisions = testing::Types<double, Quad>;
TYPED_TEST_SUITE(Shifted, Precisions);

TYPED_TEST(Shifted, SolvesSingularSystemsWithTheSmallestNorm) {
  using T = TypeParam;
  for (const auto& [links, period, copies] : {std::array{6, 2, 2}, {20, 3, 3}, {5, 5, 8}, {25, 1, 2}, {1, 1, 2}}) {
    const Consistent s(links, period, copies, 1);
    ShiftedSolver<T> solver(s.size, s.off_diagonal);
    ASSERT_TRUE(solver.factor(converted<T>(s.diagonal).data(), converted<T>(s.lower).data()).regular);
    auto x = converted<T>(s.b);
    const auto report = solver.solve(x.data());
    EXPECT_TRUE(report.converged);
    EXPECT_LE(report.sweeps, 3);
    const auto expected = s.smallest_solution();
    EXPECT_LE(distance(x, expected), kKernel * static_cast<double>(rank_tolerance<T>()) * largest(expected));
  }
}

TYPED_TEST(Shifted, SolvesRegularSystemsLikeLinearSolver) {
  using T = TypeParam;
  for (const bool symmetric : {true, false}) {
    const Consistent s(40, 1, 1, 2);
    const auto diagonal = converted<T>(s.diagonal), lower = converted<T>(s.lower);
    auto upper = lower;
    std::mt19937 random(3);
    for (T& a : upper) a *= T(1 + 1e-3 * std::uniform_real_distribution<double>(-1, 1)(random));
    ShiftedSolver<T> solver(s.size, s.off_diagonal);
    LinearSolver<T> plain(s.size, s.off_diagonal);
    if (symmetric) {
      ASSERT_TRUE(solver.factor(diagonal.data(), lower.data()).regular);
      ASSERT_TRUE(plain.factor(diagonal.data(), lower.data()).regular);
    } else {
      ASSERT_TRUE(solver.factor(diagonal.data(), lower.data(), upper.data()).regular);
      ASSERT_TRUE(plain.factor(diagonal.data(), lower.data(), upper.data()).regular);
    }
    auto x = converted<T>(s.b), y = x;
    EXPECT_TRUE(solver.solve(x.data()).converged);
    plain.solve(y.data());
    EXPECT_LE(distance(x, {y.begin(), y.end()}),
              32 * static_cast<double>(epsilon<T>()) * largest({y.begin(), y.end()}));
  }
}

TYPED_TEST(Shifted, SolvesEveryKindOfPattern) {
  // Laplacians of graphs, with the constant vector as kernel: b has mean 0, and so has the smallest solution.
  using T = TypeParam;
  for (const auto& [size, pattern] : {std::pair{30, path(30)},
                                      {30, renumbered(path(30), 30, 1)},
                                      {50, ring(50)},
                                      {63, binary_tree(63)},
                                      {64, grid(8)},
                                      {12, band(12, 11)}}) {
    std::vector<T> diagonal(size, 0), lower(pattern.size(), -1), b(size, 0);
    for (const auto& [i, j] : pattern) diagonal[i] += 1, diagonal[j] += 1;
    b[0] = 1, b[size / 2] = -3, b[size - 1] = 2;
    ShiftedSolver<T> solver(size, pattern);
    ASSERT_TRUE(solver.factor(diagonal.data(), lower.data()).regular);
    auto x = b;
    EXPECT_TRUE(solver.solve(x.data()).converged);
    T mean = 0, most = 0;
    for (const T& a : x) mean += a / T(size), most = max(most, abs(a));
    EXPECT_LE(abs(mean), T(kKernel) * rank_tolerance<T>() * most);
    for (std::size_t e = 0; e < pattern.size(); ++e) {
      b[pattern[e].first] -= x[pattern[e].first] - x[pattern[e].second];
      b[pattern[e].second] -= x[pattern[e].second] - x[pattern[e].first];
    }
    for (const T& r : b) EXPECT_LE(abs(r), 64 * epsilon<T>() * most);
  }
}

TEST(ShiftedSolver, GivesInEveryLaneTheScalarResultBitForBit) {
  // Lanes stop after different numbers of sweeps: regular, singular, ill-conditioned, inconsistent and zero systems.
  const Consistent s(15, 3, 2, 4);
  for (const bool symmetric : {true, false}) {
    ShiftedSolver<Lanes> batch(s.size, s.off_diagonal);
    ShiftedSolver<double> single(s.size, s.off_diagonal);
    std::vector<Lanes> diagonal(s.size), lower(s.lower.size()), upper(s.lower.size()), x(s.size);
    const auto lane_problem = [&](int l) {
      Consistent t = s;
      if (l % 6 == 1) t.diagonal[0] += 1e-7;
      if (l % 6 == 2) std::fill(t.b.begin(), t.b.end(), 0.0);
      if (l % 6 == 3) t.b[0] += 1;
      if (l % 6 == 4) t.diagonal[0] += 1e-9 * t.diagonal[0];
      if (l % 6 == 5) {
        for (double& a : t.diagonal) a += 10;
      }
      return t;
    };
    for (int l = 0; l < kLanes; ++l) {
      const Consistent t = lane_problem(l);
      for (int i = 0; i < s.size; ++i) diagonal[i][l] = t.diagonal[i], x[i][l] = t.b[i];
      for (std::size_t e = 0; e < lower.size(); ++e) lower[e][l] = t.lower[e], upper[e][l] = t.lower[e] * (1 + 1e-13);
    }
    const auto factored = symmetric ? batch.factor(diagonal.data(), lower.data())
                                    : batch.factor(diagonal.data(), lower.data(), upper.data());
    const auto solved = batch.solve(x.data());
    int fewest = 100, most = 0;
    bool some_failed = false;
    for (int l = 0; l < kLanes; ++l) {
      Consistent t = lane_problem(l);
      auto above = t.lower;
      for (double& a : above) a *= 1 + 1e-13;
      const auto report = symmetric ? single.factor(t.diagonal.data(), t.lower.data())
                                    : single.factor(t.diagonal.data(), t.lower.data(), above.data());
      EXPECT_EQ(lane(factored.growth, l), report.growth);
      const auto result = single.solve(t.b.data());
      EXPECT_EQ(lane(solved.converged, l), result.converged);
      EXPECT_EQ(lane(solved.residual, l), result.residual);
      for (int i = 0; i < s.size; ++i) ASSERT_EQ(x[i][l], t.b[i]) << "lane " << l << ", row " << i;
      fewest = std::min(fewest, result.sweeps), most = std::max(most, result.sweeps);
      some_failed = some_failed || !result.converged;
    }
    EXPECT_EQ(fewest, 0);
    EXPECT_EQ(solved.sweeps, most);
    EXPECT_GE(most, 3);
    EXPECT_TRUE(some_failed);
  }
}

TEST(ShiftedSolver, ConvergesAtTheRateOfItsHeader) {
  // diag(1, s): the error in the second unknown is multiplied by 2 delta / s at the beginning and in every sweep.
  ShiftedSolver<double> solver(2, {});
  const double delta = rank_tolerance<double>();
  const auto sweeps = [&](double s) {
    const double diagonal[] = {1, s};
    EXPECT_TRUE(solver.factor(diagonal, nullptr).regular);
    double x[] = {1, 1};
    const auto report = solver.solve(x);
    EXPECT_TRUE(report.converged) << s;
    EXPECT_NEAR(x[1] * s, 1, 1e-14) << s;
    return report.sweeps;
  };
  EXPECT_EQ(sweeps(1), 1);
  EXPECT_EQ(sweeps(0.01), 1);
  EXPECT_EQ(sweeps(1e-6), 3);
  EXPECT_NEAR(sweeps(200 * delta), 7, 1);
}

TEST(ShiftedSolver, SaysWhereItDidNotConverge) {
  ShiftedSolver<double> solver(2, {{1, 0}});
  const double diagonal[] = {1, 1}, lower[] = {1};
  ASSERT_TRUE(solver.factor(diagonal, lower).regular);
  double x[] = {1, 1.001};
  const auto report = solver.solve(x);
  EXPECT_FALSE(report.converged);
  EXPECT_GE(report.residual, 0.0005);  // what of b is not in the range of R
}

TEST(ShiftedSolver, SolvesWithoutRowsAndWithZeros) {
  ShiftedSolver<double> none(0, {});
  EXPECT_TRUE(none.factor(nullptr, nullptr).regular);
  EXPECT_TRUE(none.solve(nullptr).converged);

  ShiftedSolver<double> zeros(2, {{1, 0}});
  const double diagonal[] = {0, 0}, lower[] = {0};
  EXPECT_TRUE(zeros.factor(diagonal, lower).regular);
  double x[] = {0, 0};
  EXPECT_TRUE(zeros.solve(x).converged);
  EXPECT_EQ(x[0], 0);
}

TEST(ShiftedSolver, FindsNegativeEigenvaluesIrregular) {
  ShiftedSolver<double> solver(2, {{1, 0}});
  const double diagonal[] = {1, 1}, lower[] = {1.001};
  EXPECT_FALSE(solver.factor(diagonal, lower).regular);
}

TEST(ShiftedSolver, NeverAllocatesAfterConstruction) {
  const Consistent s(20, 3, 2, 5);
  ShiftedSolver<double> solver(s.size, s.off_diagonal);
  ShiftedSolver<Lanes> batch(s.size, s.off_diagonal);
  const auto diagonal = converted<Lanes>(s.diagonal), lower = converted<Lanes>(s.lower);
  auto x = s.b;
  auto y = converted<Lanes>(s.b);
  const long before = allocations();
  (void)solver.factor(s.diagonal.data(), s.lower.data());
  (void)solver.factor(s.diagonal.data(), s.lower.data(), s.lower.data());
  (void)solver.solve(x.data());
  (void)batch.factor(diagonal.data(), lower.data());
  (void)batch.solve(y.data());
  EXPECT_EQ(allocations(), before);
}

}  // namespace
}  // namespace cotangent
