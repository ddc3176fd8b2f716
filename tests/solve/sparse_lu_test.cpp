#include "cotangent/solve/direct/sparse_lu.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <limits>
#include <numeric>
#include <random>
#include <stdexcept>

#include "tests/kernel/allocations.hpp"
#include "tests/solve/saddle.hpp"

namespace cotangent {
namespace {

using namespace test;  // NOLINT(google-build-using-namespace)

/// Of a solve without pivoting, in units of epsilon: pivots of these matrices cancel up to two digits.
constexpr double kBackwardError = 300;

std::vector<double> random_vector(int size, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<double> b(size);
  for (double& x : b) x = std::uniform_real_distribution<double>(-1, 1)(random);
  return b;
}

template <class T>
std::vector<T> converted(const std::vector<double>& v) {
  return {v.begin(), v.end()};
}

class SparseLuOn : public testing::TestWithParam<Bodies> {
 protected:
  const Bodies& bodies() const { return GetParam(); }
  int size() const { return bodies().n() + bodies().m(); }

  template <class T>
  SparseLu<T> solver() const {
    return SparseLu<T>(size(), saddle_matrix(bodies(), 1, 0).entries, saddle_order(bodies().pattern()));
  }

  template <class T>
  void expect_backward_error_below(double bound) const {
    auto lu = solver<T>();
    for (const double asymmetry : {0.0, 1e-2}) {
      const EntryList A = saddle_matrix(bodies(), 2, asymmetry);
      const auto b = converted<T>(random_vector(size(), 3));
      ASSERT_TRUE(lu.factor(converted<T>(A.values).data()).regular);
      auto x = b, y = b;
      lu.solve(x.data());
      lu.solve_transposed(y.data());
      EXPECT_LE(backward_error(A, x, b, false), bound);
      EXPECT_LE(backward_error(A, y, b, true), bound);
    }
  }
};

INSTANTIATE_TEST_SUITE_P(, SparseLuOn, testing::ValuesIn(assemblies()),
                         [](const auto& test) { return test.param.name; });

TEST_P(SparseLuOn, AgreesWithADenseSolver) {
  auto lu = solver<double>();
  const EntryList A = saddle_matrix(bodies(), 4, 1e-2);
  Eigen::MatrixXd dense = Eigen::MatrixXd::Zero(size(), size());
  for (std::size_t e = 0; e < A.entries.size(); ++e) dense(A.entries[e].row, A.entries[e].column) += A.values[e];
  ASSERT_TRUE(lu.factor(A.values.data()).regular);
  const auto b = random_vector(size(), 5);
  auto x = b, y = b;
  lu.solve(x.data());
  lu.solve_transposed(y.data());
  const Eigen::Map<const Eigen::VectorXd> rhs(b.data(), size());
  const Eigen::VectorXd expected = dense.fullPivLu().solve(rhs), transposed = dense.transpose().fullPivLu().solve(rhs);
  EXPECT_LE((Eigen::Map<Eigen::VectorXd>(x.data(), size()) - expected).norm(), 1e-10 * expected.norm());
  EXPECT_LE((Eigen::Map<Eigen::VectorXd>(y.data(), size()) - transposed).norm(), 1e-10 * transposed.norm());
}

TEST_P(SparseLuOn, HasABackwardErrorNearRounding) { expect_backward_error_below<double>(kBackwardError * 0x1p-52); }

TEST_P(SparseLuOn, ReachesQuadruplePrecision) { expect_backward_error_below<Quad>(kBackwardError * 0x1p-112); }

TEST_P(SparseLuOn, GivesInEveryLaneTheScalarResultBitForBit) {
  auto single = solver<double>();
  auto batch = solver<Lanes>();
  std::vector<EntryList> A;
  std::vector<Lanes> values(saddle_matrix(bodies(), 0, 0).values.size()), x(size());
  for (int l = 0; l < kLanes; ++l) {
    // Symmetric ones are eliminated as such, but not together with others.
    A.push_back(saddle_matrix(bodies(), 10 + l, l % 2 == 0 ? 1e-2 : 0));
    for (std::size_t e = 0; e < values.size(); ++e) values[e][l] = A[l].values[e];
    const auto b = random_vector(size(), l);
    for (int i = 0; i < size(); ++i) x[i][l] = b[i];
  }
  auto y = x;
  const auto report = batch.factor(values.data());
  EXPECT_TRUE(all(report.regular));
  batch.solve(x.data());
  batch.solve_transposed(y.data());
  for (int l = 0; l < kLanes; ++l) {
    EXPECT_EQ(single.factor(A[l].values.data()).growth, lane(report.growth, l));
    auto u = random_vector(size(), l), v = u;
    single.solve(u.data());
    single.solve_transposed(v.data());
    for (int i = 0; i < size(); ++i) {
      ASSERT_EQ(x[i][l], u[i]);
      ASSERT_EQ(y[i][l], v[i]);
    }
    EXPECT_EQ(batch.worst_pivot(l).row, single.worst_pivot().row);
    EXPECT_EQ(batch.worst_pivot(l).ratio, single.worst_pivot().ratio);
  }
}

TEST_P(SparseLuOn, NeverAllocatesAfterConstruction) {
  auto lu = solver<double>();
  auto batch = solver<Lanes>();
  const EntryList A = saddle_matrix(bodies(), 6, 1e-2);
  const auto values = converted<Lanes>(A.values);
  auto x = random_vector(size(), 7);
  auto y = converted<Lanes>(x);
  const long before = allocations();
  (void)lu.factor(A.values.data());
  lu.solve(x.data());
  lu.solve_transposed(x.data());
  (void)lu.worst_pivot();
  (void)batch.factor(values.data());
  batch.solve(y.data());
  batch.solve_transposed(y.data());
  EXPECT_EQ(allocations(), before);
}

TEST_P(SparseLuOn, NamesARowThatRepeatsAnother) {
  // The last constraint becomes a copy of the one before it, coordinates and all.
  if (bodies().m() < 2) return;
  Bodies twice = bodies();
  if (twice.anchors.empty()) {
    twice.rods.back() = twice.rods[twice.rods.size() - 2];
  } else {
    twice.anchors.push_back(twice.anchors.back());
  }
  const int n = twice.n(), m = twice.m();
  const EntryList A = saddle_matrix(twice, 8, 0);
  SparseLu<double> lu(n + m, A.entries, saddle_order(twice.pattern()));
  const auto report = lu.factor(A.values.data());
  EXPECT_FALSE(report.regular);
  // In exact arithmetic the pivot is 0: what is left of it are a few roundings.
  EXPECT_LT(report.worst_ratio(), kPivotTolerance * 0x1p-52);
  EXPECT_EQ(lu.worst_pivot().row, n + m - 1);
  EXPECT_EQ(lu.worst_pivot().ratio, report.worst_ratio());
}

TEST(SparseLu, AddsUpWhatIsGivenForOnePosition) {
  // [[2, 1], [4, 3]] in eight pieces.
  const std::vector<MatrixEntry> pieces = {{1, 0}, {0, 0}, {1, 1}, {0, 1}, {1, 0}, {0, 0}, {1, 1}, {1, 1}};
  const double values[] = {1, 5, 1, 1, 3, -3, 4, -2};
  SparseLu<double> lu(2, pieces, {0, 1});
  EXPECT_TRUE(lu.factor(values).regular);
  double x[] = {4, 10}, y[] = {10, 7};
  lu.solve(x);
  EXPECT_EQ(x[0], 1);
  EXPECT_EQ(x[1], 2);
  lu.solve_transposed(y);
  EXPECT_EQ(y[0], 1);
  EXPECT_EQ(y[1], 2);
}

TEST(SparseLu, SolvesWithAPatternThatIsNotSymmetric) {
  // 3 x_i + x_{i+1} = b_i, cyclically: no position below the diagonal but one.
  const int size = 9;
  EntryList A;
  for (int i = 0; i < size; ++i) A.add(i, i, 3), A.add(i, (i + 1) % size, 1);
  std::vector<int> order(size);
  std::iota(order.rbegin(), order.rend(), 0);
  SparseLu<double> lu(size, A.entries, order);
  EXPECT_TRUE(lu.factor(A.values.data()).regular);
  const auto b = random_vector(size, 1);
  auto x = b, y = b;
  lu.solve(x.data());
  lu.solve_transposed(y.data());
  EXPECT_LE(backward_error(A, x, b, false), 8 * 0x1p-52);
  EXPECT_LE(backward_error(A, y, b, true), 8 * 0x1p-52);
}

TEST(SparseLu, MeasuresAPivotAgainstWhatIsAddedUpInIt) {
  const std::vector<MatrixEntry> full = {{0, 0}, {0, 1}, {1, 0}, {1, 1}};
  SparseLu<double> lu(2, full, {0, 1});
  const auto growth = [&](double a, double b, double c, double d) {
    const double values[] = {a, b, c, d};
    return lu.factor(values).growth;
  };
  EXPECT_EQ(growth(1, 1, 1, 0), 1);    // d_1 = 0 - 1: nothing is cancelled although A(1,1) = 0
  EXPECT_EQ(growth(-4, 2, 2, -3), 2);  // d_1 = -3 + 1, c_1 = 3 + 1
  EXPECT_EQ(growth(1, 1, -1, -1.0625), 33);
  EXPECT_EQ(growth(1, 1, 1, 1.0625), 33);
  EXPECT_EQ(growth(1, 1, 1, 0.9375), 31);
  EXPECT_EQ(lu.worst_pivot().row, 1);
  EXPECT_EQ(lu.worst_pivot().ratio, 1.0 / 31);

  // Regular as long as more than the rounding of the sum is left.
  for (const double d : {0x1p-40, 0x1p-47, -0x1p-47}) {
    const double values[] = {1, 1, 1, 1 + d};
    EXPECT_TRUE(lu.factor(values).regular) << d;
  }
  for (const double d : {0x1p-48, -0x1p-49, 0.0}) {
    const double values[] = {1, 1, 1, 1 + d};
    EXPECT_FALSE(lu.factor(values).regular) << d;
  }
}

TEST(SparseLu, NamesThePivotThatCannotBeDividedBy) {
  const std::vector<MatrixEntry> full = {{0, 0}, {0, 1}, {1, 0}, {1, 1}};
  const double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  for (const double bad : {0.0, inf, -inf, nan}) {
    SparseLu<double> lu(2, full, {1, 0});
    const double values[] = {1, 1, 1, bad};
    const auto report = lu.factor(values);
    EXPECT_FALSE(report.regular);
    EXPECT_EQ(report.growth, inf);
    EXPECT_EQ(lu.worst_pivot().row, 1) << bad;
    EXPECT_EQ(lu.worst_pivot().ratio, 0);
  }
}

TEST(SparseLu, SolvesWithPositionsAndMomentaNextToEachOther) {
  // p + h K q + G'l, q - h W p, G q: a linear implicit step. Coordinate j is expanded into p_j and q_j.
  const Bodies bodies{"net", 25, 3, grid(5), {0, 4}};
  const SaddlePattern p = bodies.pattern();
  const EntryList saddle = saddle_matrix(bodies, 9, 0);
  const double h = 1e-2;
  const auto momentum = [](int j) { return 2 * j; };
  const auto position = [](int j) { return 2 * j + 1; };
  const auto multiplier = [&](int r) { return 2 * p.n + r; };
  EntryList A;
  for (int j = 0; j < p.n; ++j) {
    A.add(momentum(j), momentum(j), 1), A.add(position(j), position(j), 1);
    A.add(position(j), momentum(j), -h * (1 + 0.1 * j));
  }
  for (std::size_t e = 0; e < saddle.entries.size(); ++e) {
    const auto [i, j] = saddle.entries[e];
    if (i < p.n && j < p.n) A.add(momentum(i), position(j), h * saddle.values[e]);
    if (i < p.n && j >= p.n) A.add(momentum(i), multiplier(j - p.n), saddle.values[e]);
    if (i >= p.n && j < p.n) A.add(multiplier(i - p.n), position(j), saddle.values[e]);
  }
  std::vector<int> order;
  for (const int unknown : saddle_order(p)) {
    if (unknown >= p.n) order.push_back(multiplier(unknown - p.n));
    if (unknown < p.n) order.push_back(momentum(unknown)), order.push_back(position(unknown));
  }
  const int size = 2 * p.n + p.m;
  SparseLu<double> lu(size, A.entries, order);
  EXPECT_TRUE(lu.factor(A.values.data()).regular);
  const auto b = random_vector(size, 10);
  auto x = b;
  lu.solve(x.data());
  EXPECT_LE(backward_error(A, x, b, false), kBackwardError * 0x1p-52);
}

TEST(SparseLu, RejectsWhatIsNoMatrixOrNoOrder) {
  using Lu = SparseLu<double>;
  const std::vector<MatrixEntry> none, outside = {{0, 3}}, negative = {{-1, 0}};
  EXPECT_THROW(Lu(-1, none, {}), std::invalid_argument);
  EXPECT_THROW(Lu(3, outside, {0, 1, 2}), std::invalid_argument);
  EXPECT_THROW(Lu(3, negative, {0, 1, 2}), std::invalid_argument);
  EXPECT_THROW(Lu(3, none, {0, 1}), std::invalid_argument);
  EXPECT_THROW(Lu(3, none, {0, 1, 1}), std::invalid_argument);
  EXPECT_THROW(Lu(3, none, {0, 1, 3}), std::invalid_argument);
  EXPECT_NO_THROW(Lu(0, none, {}));
}

}  // namespace
}  // namespace cotangent
