#include "cotangent/solve/singular/semidefinite_solver.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace cotangent {
namespace {

// A = R with R(i,j) = rows_i . rows_j.
struct Gram {
  Gram(const std::vector<std::vector<double>>& left, const std::vector<std::vector<double>>& right) {
    for (std::size_t i = 0; i < left.size(); ++i) {
      diagonal.push_back(dot(left[i], right[i]));
      for (std::size_t j = 0; j < i; ++j) {
        places.emplace_back(static_cast<int>(i), static_cast<int>(j));
        lower.push_back(dot(left[i], right[j]));
        upper.push_back(dot(left[j], right[i]));
      }
    }
  }
  static double dot(const std::vector<double>& a, const std::vector<double>& b) {
    double sum = 0;
    for (std::size_t k = 0; k < a.size(); ++k) sum += a[k] * b[k];
    return sum;
  }
  std::vector<double> multiply(const std::vector<double>& x) const {
    std::vector<double> y(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) y[i] = diagonal[i] * x[i];
    for (std::size_t e = 0; e < places.size(); ++e) {
      const auto i = static_cast<std::size_t>(places[e].first), j = static_cast<std::size_t>(places[e].second);
      y[i] += lower[e] * x[j];
      y[j] += upper[e] * x[i];
    }
    return y;
  }
  OffDiagonal places;
  std::vector<double> diagonal, lower, upper;
};

const std::vector<std::vector<double>> kIndependent = {{1, 0.2, 0}, {0.3, 1, 0.1}, {0, 0.5, 2}};

TEST(SemidefiniteSolver, IsTheLinearSolverWhereRowsAreIndependent) {
  const Gram R(kIndependent, kIndependent);
  SemidefiniteSolver<double> solver(3, R.places);
  LinearSolver<double> plain(3, R.places);
  ASSERT_TRUE(solver.factor(R.diagonal.data(), R.lower.data()).regular);
  ASSERT_TRUE(plain.factor(R.diagonal.data(), R.lower.data()).regular);
  EXPECT_FALSE(solver.is_degenerate());
  std::vector<double> x = {1, -2, 3}, y = x;
  solver.solve(x.data());
  plain.solve(y.data());
  EXPECT_EQ(x, y);
}

TEST(SemidefiniteSolver, SharesWhatRedundantRowsCarry) {
  auto rows = kIndependent;
  rows.push_back(rows[0]);
  const Gram R(rows, rows);
  SemidefiniteSolver<double> solver(4, R.places);
  const auto report = solver.factor(R.diagonal.data(), R.lower.data());
  EXPECT_TRUE(report.regular);
  EXPECT_TRUE(solver.is_degenerate());
  const std::vector<double> b = R.multiply({1, 2, -1, 3});
  std::vector<double> x = b;
  solver.solve(x.data());
  EXPECT_NEAR(x[0], 2, 1e-8);  // 1 + 3, in equal parts
  EXPECT_NEAR(x[3], 2, 1e-8);
  EXPECT_NEAR(x[1], 2, 1e-8);
  EXPECT_NEAR(x[2], -1, 1e-8);
}

// A path through a configuration with dependent rows: the last row is e on one side and -e on the other.
TEST(SemidefiniteSolver, TakesMatricesThatHaveChangedSign) {
  for (const double e : {1e-2, 1e-4}) {
    auto before = kIndependent, after = kIndependent;
    before.push_back({1, 0.2, e});
    after.push_back({1, 0.2, -e});
    before[2] = after[2] = {0, 0.5, 0};  // leaves the third direction to the last row
    const Gram K(after, before);
    SemidefiniteSolver<double> solver(4, K.places);
    // Three dimensions, four rows: drop one of the independent ones by making it a unit apart.
    const std::vector<double> wanted = {1, 2, -1, 0.5};
    std::vector<double> x = K.multiply(wanted);
    const auto b = x;
    const auto report = solver.factor(K.diagonal.data(), K.lower.data(), K.upper.data());
    EXPECT_TRUE(report.regular);
    solver.solve(x.data());
    const auto again = K.multiply(x);
    for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(again[i], b[i], 1e-7) << e;
  }
  // A clean sign change: one row, one direction.
  const Gram K({{1, 0}, {1, -1e-3}}, {{1, 0}, {1, 1e-3}});
  SemidefiniteSolver<double> solver(2, K.places);
  EXPECT_TRUE(solver.factor(K.diagonal.data(), K.lower.data(), K.upper.data()).regular);
  std::vector<double> x = K.multiply({3, -5});
  solver.solve(x.data());
  EXPECT_NEAR(x[0], 3, 1e-9);
  EXPECT_NEAR(x[1], -5, 1e-9);
}

// A flat parallelogram whose fourth constraint says what the other three do: of the four one follows, but in the flat
// position the third follows from the first two alone. Elimination that passes it meets a negative pivot there.
TEST(SemidefiniteSolver, TakesRedundantRowsAcrossADependentConfiguration) {
  const auto rows = [](double angle) {
    const double c = std::cos(angle), s = std::sin(angle);
    return std::vector<std::vector<double>>{{c, s, 0, 0}, {0, 0, c, s}, {-3, 0, 3, 0}, {0, -1, 0, 1}};
  };
  const Gram K(rows(-0.008), rows(0.002));
  SemidefiniteSolver<double> solver(4, K.places);
  solver.set_nullity(1);
  ASSERT_TRUE(solver.factor(K.diagonal.data(), K.lower.data(), K.upper.data()).regular);
  const auto b = K.multiply({1, 2, -1, 3});
  auto x = b;
  EXPECT_TRUE(solver.solve(x.data()));
  const auto again = K.multiply(x);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(again[i], b[i], 1e-12);
  // Rows that are no numbers are refused still.
  auto diagonal = K.diagonal;
  diagonal[2] = std::nan("");
  EXPECT_FALSE(solver.factor(diagonal.data(), K.lower.data(), K.upper.data()).regular);
}

// The pivot of the last row is 1e-12: small, but known to a part in a thousand.
TEST(SemidefiniteSolver, SolvesWithRowsThatAreNearlyParallel) {
  const std::vector<std::vector<double>> rows = {{1, 1, 0}, {1, 1, 1e-6}};
  const Gram R(rows, rows);
  SemidefiniteSolver<double> solver(2, R.places);
  const auto report = solver.factor(R.diagonal.data(), R.lower.data());
  EXPECT_TRUE(report.regular);
  EXPECT_FALSE(solver.is_degenerate());
  EXPECT_GT(report.growth, 1 / rank_tolerance<double>());
  std::vector<double> x = R.multiply({1, 2});
  EXPECT_TRUE(solver.solve(x.data()));
  EXPECT_NEAR(x[0], 1, 0.01);
  EXPECT_NEAR(x[1], 2, 0.01);

  // One of 1e-15 is not.
  const std::vector<std::vector<double>> closer = {{1, 1, 0}, {1, 1, 3e-8}};
  const Gram S(closer, closer);
  EXPECT_TRUE(solver.factor(S.diagonal.data(), S.lower.data()).regular);
  EXPECT_TRUE(solver.is_degenerate());
}

// A pivot carries the rounding errors of those before it, as often as they have cancelled.
TEST(SemidefiniteSolver, DoesNotTrustPivotsBehindOthersThatHaveCancelled) {
  const double e = 1e-3, d = 1e-6;
  const std::vector<std::vector<double>> rows = {{1, 0, 0}, {1, e, 0}, {1, 2 * e, d}};
  const Gram R(rows, rows);
  SemidefiniteSolver<double> solver(3, R.places);
  static_cast<void>(solver.factor(R.diagonal.data(), R.lower.data()));
  EXPECT_TRUE(solver.is_degenerate());
}

TEST(SemidefiniteSolver, TakesIndefiniteMatricesThatAreRegular) {
  // Negative definite; with zeros on the diagonal; indefinite.
  for (const auto& [diagonal, below] : {std::pair{std::vector<double>{-2, -3}, 1.0},
                                        {std::vector<double>{0, 0}, 1.0},
                                        {std::vector<double>{1, -1}, 0.5}}) {
    for (const bool is_newton : {false, true}) {
      SemidefiniteSolver<double> solver(2, {{1, 0}});
      const double upper = is_newton ? below + 1e-3 : below;
      const auto report =
          is_newton ? solver.factor(diagonal.data(), &below, &upper) : solver.factor(diagonal.data(), &below);
      ASSERT_TRUE(report.regular);
      if (!is_newton) {
        EXPECT_LT(report.growth, 10) << "about the condition of the matrix";
      }
      std::vector<double> x = {diagonal[0] * 3 + upper * 5, below * 3 + diagonal[1] * 5};
      EXPECT_TRUE(solver.solve(x.data()));
      EXPECT_NEAR(x[0], 3, 1e-13);
      EXPECT_NEAR(x[1], 5, 1e-13);
    }
  }
  // Singular: neither.
  SemidefiniteSolver<double> solver(2, {{1, 0}});
  const std::vector<double> zero = {0, 0}, nothing = {0};
  EXPECT_FALSE(solver.factor(zero.data(), nothing.data()).regular);
}

TEST(SemidefiniteSolver, RefusesARowWithoutAGradient) {
  auto rows = kIndependent;
  rows[1] = {0, 0, 0};
  const Gram R(rows, rows);
  SemidefiniteSolver<double> solver(3, R.places);
  EXPECT_FALSE(solver.factor(R.diagonal.data(), R.lower.data()).regular);
  EXPECT_EQ(solver.worst_pivot(R.diagonal.data(), 0).row, 1);
}

TEST(SemidefiniteSolver, LanesWithAndWithoutRedundancyDoNotNoticeEachOther) {
  auto twice = kIndependent, apart = kIndependent;
  twice[2] = twice[0];
  const Gram singular(twice, twice), regular(apart, apart);
  const auto mixed = [](const std::vector<double>& even, const std::vector<double>& odd) {
    std::vector<Lanes> result(even.size());
    for (std::size_t k = 0; k < even.size(); ++k)
      for (int l = 0; l < lane_count<Lanes>; ++l) result[k][l] = l % 2 == 0 ? even[k] : odd[k];
    return result;
  };
  SemidefiniteSolver<Lanes> batch(3, singular.places);
  const auto diagonal = mixed(singular.diagonal, regular.diagonal), lower = mixed(singular.lower, regular.lower);
  ASSERT_TRUE(all(batch.factor(diagonal.data(), lower.data()).regular));
  const auto b_singular = singular.multiply({1, 2, 3}), b_regular = regular.multiply({1, 2, 3});
  auto x = mixed(b_singular, b_regular);
  batch.solve(x.data());
  for (const bool odd : {false, true}) {
    const Gram& R = odd ? regular : singular;
    SemidefiniteSolver<double> solver(3, R.places);
    ASSERT_TRUE(solver.factor(R.diagonal.data(), R.lower.data()).regular);
    auto y = odd ? b_regular : b_singular;
    solver.solve(y.data());
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(lane(x[i], odd ? 1 : 0), y[i]);
  }
}

}  // namespace
}  // namespace cotangent
