#include "cotangent/solve/direct/linear_solver.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>
#include <ostream>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/kernel/allocations.hpp"
#include "tests/solve/patterns.hpp"

namespace cotangent {
namespace {

using namespace test;  // NOLINT(google-build-using-namespace)
using Kind = LinearSolverKind;

struct Pattern {
  friend void PrintTo(const Pattern& p, std::ostream* out) { *out << p.name << " with " << p.size << " rows"; }

  std::string name;
  int size;
  OffDiagonal entries;
  Kind kind;
};

std::vector<Pattern> patterns() {
  std::vector<Pattern> all = {
      {"none", 0, {}, Kind::dense},
      {"one", 1, {}, Kind::scalar},
      {"diagonal", 7, {}, Kind::chain},
      {"triangle", 3, ring(3), Kind::dense},
      {"square", 4, ring(4), Kind::dense},
      {"full", 23, band(23, 22), Kind::dense},
      {"nearly_full", 40, band(40, 30), Kind::dense},
      {"ring", 200, ring(200), Kind::sparse},
      {"ring_renumbered", 200, renumbered(ring(200), 200, 1), Kind::sparse},
      {"tree", 127, binary_tree(127), Kind::sparse},
      {"tree_renumbered", 127, renumbered(binary_tree(127), 127, 2), Kind::sparse},
      {"grid", 225, grid(15), Kind::sparse},
      {"band", 120, band(120, 3), Kind::sparse},
      {"arrow_down", 100, star(100, 99), Kind::sparse},
      {"arrow_up", 100, star(100, 0), Kind::sparse},
      {"star_in_the_middle", 100, star(100, 37), Kind::sparse},
      {"random", 150, random_sparse(150, 300, 3), Kind::sparse},
      {"chain_renumbered", 101, renumbered(path(101), 101, 4), Kind::chain},
  };
  // Every remainder of the blocked loops, and both parities of the middle row.
  for (int size = 2; size <= 26; ++size) all.push_back({"chain", size, path(size), Kind::chain});
  all.push_back({"chain", 1000, path(1000), Kind::chain});
  // Three chains, a single row, and couplings listed backwards.
  OffDiagonal several = path(60);
  std::erase_if(several, [](const auto& e) { return e.second == 9 || e.second == 30 || e.second == 31; });
  std::reverse(several.begin(), several.end());
  all.push_back({"several_chains", 60, several, Kind::chain});
  return all;
}

template <class T>
struct Values {
  std::vector<T> diagonal, lower, upper, b;
};

/// Diagonally dominant by a few per cent only, with rows scaled over four orders of magnitude, like the
/// constraints of bodies with unequal masses.
Values<double> random_values(const Pattern& p, unsigned seed, double asymmetry) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<double> scale(p.size);
  for (double& s : scale) s = std::pow(10.0, uniform(random));
  Values<double> v;
  v.diagonal.assign(p.size, 0.05);
  for (const auto& [i, j] : p.entries) {
    const double a = uniform(random);
    v.diagonal[i] += std::abs(a), v.diagonal[j] += std::abs(a);
    v.lower.push_back(a * scale[i] * scale[j]);
    v.upper.push_back(v.lower.back() * (1 + asymmetry * uniform(random)));
  }
  for (int i = 0; i < p.size; ++i) v.diagonal[i] *= scale[i] * scale[i];
  for (int i = 0; i < p.size; ++i) v.b.push_back(uniform(random));
  return v;
}

template <class T>
Values<T> converted(const Values<double>& v) {
  return {{v.diagonal.begin(), v.diagonal.end()},
          {v.lower.begin(), v.lower.end()},
          {v.upper.begin(), v.upper.end()},
          {v.b.begin(), v.b.end()}};
}

Eigen::MatrixXd dense(const Pattern& p, const Values<double>& v, bool symmetric) {
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(p.size, p.size);
  for (int i = 0; i < p.size; ++i) A(i, i) = v.diagonal[i];
  for (std::size_t e = 0; e < p.entries.size(); ++e) {
    const auto [i, j] = p.entries[e];
    A(i, j) = v.lower[e], A(j, i) = symmetric ? v.lower[e] : v.upper[e];
  }
  return A;
}

template <class T>
FactorReport<T> factor(LinearSolver<T>& solver, const Values<T>& v, bool symmetric) {
  return symmetric ? solver.factor(v.diagonal.data(), v.lower.data())
                   : solver.factor(v.diagonal.data(), v.lower.data(), v.upper.data());
}

/// max_i |A x - b|_i / (|A| |x| + |b|)_i: the smallest relative change of A and b that makes x exact
/// [oettli64].
template <class T>
double backward_error(const Pattern& p, const Values<T>& v, bool symmetric, const std::vector<T>& x) {
  std::vector<T> r(p.size), size(p.size);
  const auto add = [&](int i, const T& a, int j) { r[i] += a * x[j], size[i] += abs(a * x[j]); };
  for (int i = 0; i < p.size; ++i) r[i] = -v.b[i], size[i] = abs(v.b[i]), add(i, v.diagonal[i], i);
  for (std::size_t e = 0; e < p.entries.size(); ++e) {
    const auto [i, j] = p.entries[e];
    add(i, v.lower[e], j), add(j, symmetric ? v.lower[e] : v.upper[e], i);
  }
  double worst = 0;
  for (int i = 0; i < p.size; ++i) worst = std::max(worst, static_cast<double>(abs(r[i]) / size[i]));
  return worst;
}

class LinearSolverOn : public testing::TestWithParam<Pattern> {
 protected:
  template <class T>
  void expect_backward_error_below(double bound) {
    const Pattern& p = GetParam();
    LinearSolver<T> solver(p.size, p.entries);
    for (const bool symmetric : {true, false}) {
      const auto v = converted<T>(random_values(p, 11, 1e-3));
      ASSERT_TRUE(factor(solver, v, symmetric).regular);
      std::vector<T> x = v.b;
      solver.solve(x.data());
      EXPECT_LE(backward_error(p, v, symmetric, x), bound);
    }
  }
};

INSTANTIATE_TEST_SUITE_P(, LinearSolverOn, testing::ValuesIn(patterns()),
                         [](const auto& test) { return test.param.name + "_" + std::to_string(test.param.size); });

TEST_P(LinearSolverOn, ChoosesTheKindFromThePattern) {
  const LinearSolver<double> solver(GetParam().size, GetParam().entries);
  EXPECT_STREQ(name(solver.kind()), name(GetParam().kind));
  EXPECT_EQ(solver.size(), GetParam().size);
}

TEST_P(LinearSolverOn, AgreesWithADenseSolver) {
  const Pattern& p = GetParam();
  if (p.size == 0) return;
  LinearSolver<double> solver(p.size, p.entries);
  for (const bool symmetric : {true, false}) {
    const auto v = random_values(p, 5, 1e-2);
    ASSERT_TRUE(factor(solver, v, symmetric).regular);
    std::vector<double> x = v.b;
    solver.solve(x.data());
    const Eigen::MatrixXd A = dense(p, v, symmetric);
    const Eigen::VectorXd expected = A.partialPivLu().solve(Eigen::Map<const Eigen::VectorXd>(v.b.data(), p.size));
    // Row scales 0.1 ... 10 and a margin of 0.05 bound the condition by about 1e6.
    const auto error = (Eigen::Map<Eigen::VectorXd>(x.data(), p.size) - expected).lpNorm<Eigen::Infinity>();
    EXPECT_LE(error, 1e-10 * expected.lpNorm<Eigen::Infinity>());
  }
}

TEST_P(LinearSolverOn, HasABackwardErrorOfAFewRoundings) { expect_backward_error_below<double>(20 * 0x1p-52); }

TEST_P(LinearSolverOn, ReachesQuadruplePrecision) { expect_backward_error_below<Quad>(1e-30); }

TEST_P(LinearSolverOn, GivesInEveryLaneTheScalarResultBitForBit) {
  const Pattern& p = GetParam();
  LinearSolver<double> single(p.size, p.entries);
  LinearSolver<Lanes> batch(p.size, p.entries);
  for (const bool symmetric : {true, false}) {
    Values<Lanes> w = converted<Lanes>(random_values(p, 0, 0));
    std::vector<Values<double>> v;
    for (int l = 0; l < kLanes; ++l) {
      v.push_back(random_values(p, 20 + l, 1e-2));
      for (int i = 0; i < p.size; ++i) w.diagonal[i][l] = v[l].diagonal[i], w.b[i][l] = v[l].b[i];
      for (std::size_t e = 0; e < p.entries.size(); ++e) {
        w.lower[e][l] = v[l].lower[e], w.upper[e][l] = v[l].upper[e];
      }
    }
    const auto batch_report = factor(batch, w, symmetric);
    EXPECT_TRUE(all(batch_report.regular));
    batch.solve(w.b.data());
    for (int l = 0; l < kLanes; ++l) {
      const auto report = factor(single, v[l], symmetric);
      EXPECT_EQ(lane(batch_report.growth, l), report.growth);
      single.solve(v[l].b.data());
      for (int i = 0; i < p.size; ++i) ASSERT_EQ(w.b[i][l], v[l].b[i]) << "lane " << l << ", row " << i;
    }
  }
}

TEST_P(LinearSolverOn, TreatsASymmetricMatrixAlikeInBothFactorisations) {
  const Pattern& p = GetParam();
  LinearSolver<double> solver(p.size, p.entries);
  const auto v = random_values(p, 6, 0);
  std::vector<double> x = v.b, y = v.b;
  const auto ldl = factor(solver, v, true);
  solver.solve(x.data());
  const auto ldu = factor(solver, v, false);
  solver.solve(y.data());
  EXPECT_EQ(x, y);
  EXPECT_EQ(ldl.growth, ldu.growth);
}

TEST_P(LinearSolverOn, NeverAllocatesAfterConstruction) {
  const Pattern& p = GetParam();
  LinearSolver<double> solver(p.size, p.entries);
  LinearSolver<Lanes> batch(p.size, p.entries);
  auto v = random_values(p, 7, 1e-3);
  auto w = converted<Lanes>(v);
  const long before = allocations();
  for (const bool symmetric : {true, false}) {
    (void)factor(solver, v, symmetric);
    solver.solve(v.b.data());
    (void)factor(batch, w, symmetric);
    batch.solve(w.b.data());
  }
  EXPECT_EQ(allocations(), before);
}

TEST_P(LinearSolverOn, NamesTheRowThatIsNotRegular) {
  const Pattern& p = GetParam();
  LinearSolver<double> solver(p.size, p.entries);
  LinearSolver<Lanes> batch(p.size, p.entries);
  for (int bad = 0; bad < p.size; bad += 7) {
    for (const double entry : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN()}) {
      auto v = random_values(p, 8, 0);
      v.diagonal[bad] = entry;
      // Uncoupled, so that its pivot is the entry itself.
      for (std::size_t e = 0; e < p.entries.size(); ++e) {
        if (p.entries[e].first == bad || p.entries[e].second == bad) v.lower[e] = v.upper[e] = 0;
      }
      const auto report = factor(solver, v, true);
      EXPECT_FALSE(report.regular);
      EXPECT_EQ(report.worst_ratio(), 0);
      const auto worst = solver.worst_pivot(v.diagonal.data());
      EXPECT_EQ(worst.row, bad) << entry;
      EXPECT_EQ(worst.ratio, 0);

      // The other lanes do not notice.
      const int l = bad % kLanes;
      auto w = converted<Lanes>(random_values(p, 8, 0));
      for (int i = 0; i < p.size; ++i) w.diagonal[i][l] = v.diagonal[i];
      for (std::size_t e = 0; e < p.entries.size(); ++e) w.lower[e][l] = v.lower[e];
      const auto batch_report = factor(batch, w, true);
      for (int i = 0; i < kLanes; ++i) EXPECT_EQ(lane(batch_report.regular, i), i != l);
      EXPECT_EQ(batch.worst_pivot(w.diagonal.data(), l).row, bad);
    }
  }
}

TEST(LinearSolver, FindsRedundantConstraintsIrregular) {
  // G W G' with two equal rows of G: the second pivot is zero up to rounding.
  LinearSolver<double> solver(3, {{1, 0}, {2, 0}, {2, 1}});
  const double g[3][2] = {{0.1, 0.7}, {0.1, 0.7}, {0.3, -0.2}};
  std::vector<double> diagonal, lower;
  const auto dot = [&](int i, int j) { return g[i][0] * g[j][0] + g[i][1] * g[j][1]; };
  for (int i = 0; i < 3; ++i) diagonal.push_back(dot(i, i));
  for (const auto& [i, j] : {std::pair{1, 0}, {2, 0}, {2, 1}}) lower.push_back(dot(i, j));
  EXPECT_FALSE(solver.factor(diagonal.data(), lower.data()).regular);
  EXPECT_EQ(solver.worst_pivot(diagonal.data()).row, 1);
}

TEST(LinearSolver, ReportsTheWorstPivotRatio) {
  // [[1, 1 - d], [1 - d, 1]] has pivots 1 and 2 d - d^2.
  for (const double d : {0x1p-10, 0x1p-30, 0x1p-46}) {
    LinearSolver<double> solver(2, {{1, 0}});
    const double diagonal[] = {1, 1}, lower[] = {1 - d};
    const auto report = solver.factor(diagonal, lower);
    EXPECT_TRUE(report.regular);
    EXPECT_NEAR(report.worst_ratio() / (2 * d), 1, 2 * d + 0x1p-52 / d);
    EXPECT_EQ(solver.worst_pivot(diagonal).row, 1);
    EXPECT_DOUBLE_EQ(solver.worst_pivot(diagonal).ratio, report.worst_ratio());
  }
  // ... and is irregular where 2 d <= kPivotTolerance epsilon.
  LinearSolver<double> solver(2, {{1, 0}});
  const double diagonal[] = {1, 1}, lower[] = {1 - 0x1p-51};
  EXPECT_FALSE(solver.factor(diagonal, lower).regular);
}

TEST(LinearSolver, SolvesAnIllConditionedChainBackwardStably) {
  // The second difference matrix: condition 4e9 at this size, and every pivot but the middle one tends to 1.
  const Pattern p{"chain", 100000, path(100000), Kind::chain};
  Values<double> v;
  v.diagonal.assign(p.size, 2), v.lower.assign(p.size - 1, -1), v.upper = v.lower;
  std::mt19937 random(3);
  for (int i = 0; i < p.size; ++i) v.b.push_back(std::uniform_real_distribution<double>(-1, 1)(random));
  LinearSolver<double> solver(p.size, p.entries);
  EXPECT_TRUE(factor(solver, v, true).regular);
  std::vector<double> x = v.b;
  solver.solve(x.data());
  EXPECT_LE(backward_error(p, v, true, x), 8 * 0x1p-52);
}

TEST(LinearSolver, IsBackwardStableNearRedundantConstraints) {
  // Pairs of rows that are equal up to 1e-12, coupled as strongly as positive definiteness allows.
  const double gap = 1e-12;
  const Pattern p{"chain", 1001, path(1001), Kind::chain};
  std::mt19937 random(4);
  std::uniform_real_distribution<double> uniform(0, 1);
  for (const int period : {3, 5}) {
    Values<double> v;
    v.diagonal.assign(p.size, 1);
    for (int i = 0; i + 1 < p.size; ++i) {
      v.lower.push_back(i % period == 0 ? 1 - gap : 0.3 * std::sqrt(gap) * uniform(random));
    }
    for (int i = 0; i < p.size; ++i) v.b.push_back(uniform(random) - 0.5);
    LinearSolver<double> solver(p.size, p.entries);
    const auto report = factor(solver, v, true);
    EXPECT_TRUE(report.regular);
    EXPECT_NEAR(report.worst_ratio() / (2 * gap), 1, 0.1);
    std::vector<double> x = v.b;
    solver.solve(x.data());
    EXPECT_LE(backward_error(p, v, true, x), 40 * 0x1p-52);
  }
}

TEST(LinearSolver, AcceptsUnitsFarFromOne) {
  for (const double unit : {1e-70, 1e70}) {
    const Pattern p{"chain", 50, path(50), Kind::chain};
    auto v = random_values(p, 9, 1e-3);
    for (auto* values : {&v.diagonal, &v.lower, &v.upper}) {
      for (double& a : *values) a *= unit;
    }
    LinearSolver<double> solver(p.size, p.entries);
    EXPECT_TRUE(factor(solver, v, false).regular);
    std::vector<double> x = v.b;
    solver.solve(x.data());
    EXPECT_LE(backward_error(p, v, false, x), 20 * 0x1p-52);
  }
}

TEST(LinearSolver, TakesLinearTimeOnALargeRing) {
  const Pattern p{"ring", 200000, ring(200000), Kind::sparse};
  LinearSolver<double> solver(p.size, p.entries);
  const auto v = random_values(p, 10, 0);
  EXPECT_TRUE(factor(solver, v, true).regular);
  std::vector<double> x = v.b;
  solver.solve(x.data());
  EXPECT_LE(backward_error(p, v, true, x), 20 * 0x1p-52);
}

TEST(LinearSolver, RejectsAPatternThatIsNotStrictlyLower) {
  using Solver = LinearSolver<double>;
  EXPECT_THROW(Solver(3, {{0, 1}}), std::invalid_argument);
  EXPECT_THROW(Solver(3, {{1, 1}}), std::invalid_argument);
  EXPECT_THROW(Solver(3, {{3, 1}}), std::invalid_argument);
  EXPECT_THROW(Solver(3, {{1, -1}}), std::invalid_argument);
  EXPECT_THROW(Solver(3, {{1, 0}, {2, 1}, {1, 0}}), std::invalid_argument);
  EXPECT_THROW(Solver(-1, {}), std::invalid_argument);
}

}  // namespace
}  // namespace cotangent
