#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "cotangent/solve/direct/symmetric_solver.hpp"
#include "tests/kernel/allocations.hpp"
#include "tests/solve/saddle.hpp"

namespace cotangent {
namespace {

using namespace test;  // NOLINT(google-build-using-namespace)

// Zeros on the diagonal, nothing symmetric, and units over many orders of magnitude: elimination in any fixed order
// meets zero pivots.
EntryList without_diagonal(int size, unsigned seed, double units = 1) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(0.2, 1), exponent(-1, 1);
  std::vector<double> unit(static_cast<std::size_t>(size));
  for (double& u : unit) u = std::pow(units, exponent(random));
  EntryList A;
  for (const auto& [i, j] : band(size, 3)) {
    // Pairs (0, 1), (2, 3), ... are strongly coupled: this keeps A well conditioned.
    const double strength = i == j + 1 && i % 2 == 1 ? 4 : 0.5;
    A.add(i, j, strength * uniform(random) * unit[static_cast<std::size_t>(i)]);
    A.add(j, i, -strength * uniform(random) * unit[static_cast<std::size_t>(j)]);
  }
  return A;
}

template <class T>
void expect_solution(int size, double units, double bound) {
  const EntryList A = without_diagonal(size, 1, units);
  AugmentedSolver<T> solver(size, A.entries);
  ASSERT_TRUE(solver.factor(std::vector<T>(A.values.begin(), A.values.end()).data()).regular);
  std::vector<T> b(static_cast<std::size_t>(size));
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = T(std::sin(1.0 + static_cast<double>(i)));
  auto x = b;
  EXPECT_TRUE(solver.solve(x.data()).converged);
  EXPECT_LE(backward_error(A, x, b, false), bound);
}

TEST(AugmentedSolver, SolvesWithZerosOnTheDiagonal) {
  for (const int size : {2, 10, 400}) {
    expect_solution<double>(size, 1, 1e-15);
    expect_solution<Quad>(size, 1, 1e-33);
  }
}

TEST(AugmentedSolver, DoesNotMindUnits) { expect_solution<double>(100, 1e4, 1e-9); }

TEST(AugmentedSolver, ReportsHowNearColumnsAre) {
  const std::vector<MatrixEntry> entries = {{0, 0}, {0, 1}, {1, 0}, {1, 1}};
  AugmentedSolver<double> solver(2, entries);
  for (const double e : {1e-2, 1e-4, 1e-6}) {
    const std::vector<double> values = {1, 1, 1, 1 - e};
    const auto report = solver.factor(values.data());
    EXPECT_TRUE(report.regular);
    // The angle between the columns (1, 1) and (1, 1 - e) is e / 2.
    EXPECT_GT(report.growth, 0.5 / e);
    EXPECT_LT(report.growth, 8 / e);
  }
}

TEST(AugmentedSolver, FindsSingularMatricesIrregular) {
  const std::vector<MatrixEntry> entries = {{0, 0}, {0, 1}, {1, 0}, {1, 1}};
  AugmentedSolver<double> solver(2, entries);
  for (const double e : {0.0, 1e-9}) {
    const std::vector<double> values = {1, 1, 1, 1 - e};
    EXPECT_FALSE(solver.factor(values.data()).regular);
  }
  const std::vector<double> zeros(4, 0.0);
  EXPECT_FALSE(solver.factor(zeros.data()).regular);
}

TEST(AugmentedSolver, GivesInEveryLaneTheScalarResultBitForBitAndDoesNotAllocate) {
  const int size = 30;
  const EntryList pattern = without_diagonal(size, 1);
  AugmentedSolver<double> scalar(size, pattern.entries);
  AugmentedSolver<Lanes> lanes(size, pattern.entries);
  std::vector<Lanes> values(pattern.values.size()), x(static_cast<std::size_t>(size));
  std::vector<EntryList> each;
  for (int i = 0; i < kLanes; ++i) {
    each.push_back(without_diagonal(size, static_cast<unsigned>(i), 1 + 10 * i));
    for (std::size_t e = 0; e < values.size(); ++e) values[e][i] = each.back().values[e];
  }
  for (std::size_t j = 0; j < x.size(); ++j) x[j] = Lanes(1 / (1.0 + static_cast<double>(j)));
  std::vector<double> y(x.size());
  const long before = allocations();
  ASSERT_TRUE(all(lanes.factor(values.data()).regular));
  static_cast<void>(lanes.solve(x.data()));
  EXPECT_EQ(allocations(), before);
  for (int i = 0; i < kLanes; ++i) {
    for (std::size_t j = 0; j < y.size(); ++j) y[j] = 1 / (1.0 + static_cast<double>(j));
    ASSERT_TRUE(scalar.factor(each[static_cast<std::size_t>(i)].values.data()).regular);
    static_cast<void>(scalar.solve(y.data()));
    for (std::size_t j = 0; j < y.size(); ++j) EXPECT_EQ(lane(x[j], i), y[j]);
  }
}

}  // namespace
}  // namespace cotangent
