#include "cotangent/solve/direct/symmetric_solver.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace cotangent {
namespace {

// Two rows, [[a, b], [b, c]].
struct Two {
  const char* name;
  double a, b, c;
  bool regular, indefinite;
};

const Two kTwos[] = {
    {"definite", 2, 1, 3, true, false},
    {"bateman", 0, 1, 0, true, true},
    {"indefinite", 1, 2, 1, true, true},
    {"negative", -2, 1, -3, true, true},
    {"nearly definite", 1, 1, 1 - 1e-6, true, true},
    {"singular", 1, 1, 1, false, false},
    {"zero", 0, 0, 0, false, false},
    {"lorentz", 1, 0, -1, true, true},
};

TEST(SymmetricSolver, SolvesWithAnyRegularMatrixAndSaysWhichAreNot) {
  SymmetricSolver<double> solver(2, {{1, 0}});
  for (const Two& A : kTwos) {
    const double diagonal[] = {A.a, A.c}, lower[] = {A.b};
    const auto report = solver.factor(diagonal, lower);
    EXPECT_EQ(report.regular, A.regular) << A.name;
    EXPECT_EQ(solver.indefinite(), A.indefinite) << A.name;
    if (!A.regular) {
      EXPECT_GT(report.growth, 1e10) << A.name;
      continue;
    }
    double x[] = {0.7, -0.4};
    EXPECT_TRUE(solver.solve(x)) << A.name;
    EXPECT_NEAR(A.a * x[0] + A.b * x[1], 0.7, 1e-15 * (1 + std::abs(x[0]))) << A.name;
    EXPECT_NEAR(A.b * x[0] + A.c * x[1], -0.4, 1e-15 * (1 + std::abs(x[0]))) << A.name;
  }
}

// Indefinite matrices down to singular ones: wherever a solve says so, the residual is at its rounding level.
TEST(SymmetricSolver, SaysWhichSolutionsAreKnownToRounding) {
  constexpr int n = 6;
  OffDiagonal places;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < i; ++j) places.emplace_back(i, j);
  SymmetricSolver<double> solver(n, places);
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> uniform(-1, 1);
  int solved = 0, unsolved = 0;
  for (double smallest = 1e-5; smallest > 1e-9; smallest /= 1.1) {
    // A = H D H with a reflection H, and an eigenvalue that is nearly zero.
    std::vector<double> w(n), b(n), diagonal, lower;
    double square = 0;
    for (double& x : w) {
      x = uniform(random);
      square += x * x;
    }
    for (double& x : b) x = uniform(random);
    const auto H = [&](std::size_t i, std::size_t j) { return (i == j ? 1 : 0) - 2 * w[i] * w[j] / square; };
    const auto A = [&](std::size_t i, std::size_t j) {
      double sum = smallest * H(i, 0) * H(j, 0);
      for (std::size_t k = 1; k < n; ++k)
        sum += (k % 2 == 0 ? 1.0 : -1.0) * static_cast<double>(k + 1) * H(i, k) * H(j, k);
      return sum;
    };
    for (std::size_t i = 0; i < n; ++i) {
      diagonal.push_back(A(i, i));
      for (std::size_t j = 0; j < i; ++j) lower.push_back(A(i, j));
    }
    if (!solver.factor(diagonal.data(), lower.data()).regular) continue;
    std::vector<double> x = b;
    if (!solver.solve(x.data())) {
      ++unsolved;
      continue;
    }
    ++solved;
    for (std::size_t i = 0; i < n; ++i) {
      double residual = b[i], size = std::abs(b[i]);
      for (std::size_t j = 0; j < n; ++j) {
        const double a = i == j ? diagonal[i] : lower[std::max(i, j) * (std::max(i, j) - 1) / 2 + std::min(i, j)];
        residual -= a * x[j];
        size += std::abs(a * x[j]);
      }
      EXPECT_LE(std::abs(residual), 100 * epsilon<double>() * size) << smallest;
    }
  }
  EXPECT_GT(solved, 40);
  EXPECT_GT(unsolved, 0);
}

TEST(SymmetricSolver, IsTheLinearSolverWhereAIsPositiveDefinite) {
  const OffDiagonal places = {{1, 0}, {2, 1}};
  SymmetricSolver<double> solver(3, places);
  LinearSolver<double> plain(3, places);
  const double diagonal[] = {3, 2, 4}, lower[] = {1, -0.3};
  ASSERT_TRUE(solver.factor(diagonal, lower).regular);
  ASSERT_TRUE(plain.factor(diagonal, lower).regular);
  std::vector<double> x = {1, -2, 3}, y = x;
  EXPECT_TRUE(solver.solve(x.data()));
  plain.solve(y.data());
  EXPECT_EQ(x, y);
}

TEST(SymmetricSolver, LanesOfAllKindsDoNotNoticeEachOther) {
  SymmetricSolver<double> scalar(2, {{1, 0}});
  SymmetricSolver<Lanes> lanes(2, {{1, 0}});
  constexpr int kKinds = static_cast<int>(std::size(kTwos));
  Lanes diagonal[2], lower[1], x[] = {Lanes(0.7), Lanes(-0.4)};
  for (int i = 0; i < kLanes; ++i) {
    diagonal[0][i] = kTwos[i % kKinds].a;
    diagonal[1][i] = kTwos[i % kKinds].c;
    lower[0][i] = kTwos[i % kKinds].b;
  }
  const auto report = lanes.factor(diagonal, lower);
  const auto solved = lanes.solve(x);
  for (int i = 0; i < kLanes; ++i) {
    const Two& A = kTwos[i % kKinds];
    const double a[] = {A.a, A.c}, b[] = {A.b};
    double y[] = {0.7, -0.4};
    EXPECT_EQ(scalar.factor(a, b).regular, lane(report.regular, i)) << A.name;
    if (!A.regular) continue;
    EXPECT_EQ(scalar.solve(y), lane(solved, i)) << A.name;
    EXPECT_EQ(lane(x[0], i), y[0]) << A.name;
    EXPECT_EQ(lane(x[1], i), y[1]) << A.name;
  }
}

}  // namespace
}  // namespace cotangent
