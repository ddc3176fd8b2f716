#include "cotangent/solve/singular/dependent_rows.hpp"

#include <gtest/gtest.h>

#include <random>
#include <utility>

#include "cotangent/base/limits.hpp"
#include "cotangent/solve/direct/pivot.hpp"

namespace cotangent {
namespace {

/// R = G G' for G given by rows, without entries that are 0 by structure.
template <class T>
struct Gram {
  explicit Gram(const std::vector<std::vector<double>>& G) {
    for (int i = 0; i < static_cast<int>(G.size()); ++i) {
      for (int j = 0; j < i; ++j) {
        bool coupled = false;
        for (std::size_t k = 0; k < G[i].size(); ++k) coupled = coupled || (G[i][k] != 0 && G[j][k] != 0);
        if (coupled) off_diagonal.emplace_back(i, j), lower.push_back(dot(G[i], G[j]));
      }
      diagonal.push_back(dot(G[i], G[i]));
    }
  }

  static T dot(const std::vector<double>& a, const std::vector<double>& b) {
    T sum = 0;
    for (std::size_t k = 0; k < a.size(); ++k) sum += static_cast<T>(a[k]) * static_cast<T>(b[k]);
    return sum;
  }

  int size() const { return static_cast<int>(diagonal.size()); }
  std::vector<DependentRow<T>> dependent() const {
    return dependent_rows(size(), off_diagonal, diagonal.data(), lower.data());
  }

  OffDiagonal off_diagonal;
  std::vector<T> diagonal, lower;
};

template <class T>
std::vector<int> rows(const std::vector<DependentRow<T>>& dependent) {
  std::vector<int> numbers;
  for (const auto& d : dependent) numbers.push_back(d.row);
  return numbers;
}

template <class T>
void expect_terms(const DependentRow<T>& found, const std::vector<std::pair<int, double>>& expected) {
  ASSERT_EQ(found.terms.size(), expected.size()) << "row " << found.row;
  for (std::size_t k = 0; k < expected.size(); ++k) {
    EXPECT_EQ(found.terms[k].row, expected[k].first);
    EXPECT_NEAR(static_cast<double>(found.terms[k].coefficient), expected[k].second, 1e-9);
  }
}

std::vector<std::vector<double>> random_rows(int count, int length, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<std::vector<double>> G(count, std::vector<double>(length));
  for (auto& row : G) {
    for (double& a : row) a = uniform(random);
  }
  return G;
}

std::vector<double> combination(double a, const std::vector<double>& u, double b, const std::vector<double>& v) {
  std::vector<double> w(u.size());
  for (std::size_t k = 0; k < u.size(); ++k) w[k] = a * u[k] + b * v[k];
  return w;
}

template <class T>
class DependentRows : public testing::Test {};
using Precisions = testing::Types<double, Quad>;
TYPED_TEST_SUITE(DependentRows, Precisions);

TYPED_TEST(DependentRows, AreNoneAmongIndependentRows) {
  EXPECT_TRUE(Gram<TypeParam>(random_rows(20, 21, 1)).dependent().empty());
  EXPECT_TRUE(Gram<TypeParam>({}).dependent().empty());
}

TYPED_TEST(DependentRows, AreTheLastOnesStatedWithWhatTheyFollowFrom) {
  auto G = random_rows(12, 15, 2);
  // Multiples of 1/4 keep combinations exact.
  for (auto& row : G) {
    for (double& a : row) a = std::round(4 * a) / 4;
  }
  G[4] = G[1];
  G[9] = combination(2, G[3], -0.5, G[7]);
  G[11] = combination(1, G[9], -1, G[5]);
  const auto found = Gram<TypeParam>(G).dependent();
  ASSERT_EQ(rows(found), (std::vector<int>{4, 9, 11}));
  expect_terms(found[0], {{1, 1}});
  expect_terms(found[1], {{3, 2}, {7, -0.5}});
  expect_terms(found[2], {{3, 2}, {5, -1}, {7, -0.5}});
}

TYPED_TEST(DependentRows, IncludeRowsOfZeros) {
  auto G = random_rows(4, 5, 3);
  G[0].assign(5, 0);
  G[2].assign(5, 0);
  const auto found = Gram<TypeParam>(G).dependent();
  ASSERT_EQ(rows(found), (std::vector<int>{0, 2}));
  EXPECT_TRUE(found[0].terms.empty());
  EXPECT_TRUE(found[1].terms.empty());
}

TYPED_TEST(DependentRows, AreTheSameInOtherUnits) {
  auto G = random_rows(6, 8, 4);
  G[5] = combination(1, G[0], 1, G[3]);
  const double unit[] = {1e-8, 1e5, 1, 1e7, 1e-3, 1e-6};
  for (int i = 0; i < 6; ++i) {
    for (double& a : G[i]) a *= unit[i];
  }
  const auto found = Gram<TypeParam>(G).dependent();
  ASSERT_EQ(rows(found), std::vector<int>{5});
  ASSERT_EQ(found[0].terms.size(), 2u);
  EXPECT_NEAR(static_cast<double>(found[0].terms[0].coefficient) * unit[0] / unit[5], 1, 1e-8);
  EXPECT_NEAR(static_cast<double>(found[0].terms[1].coefficient) * unit[3] / unit[5], 1, 1e-8);
}

TYPED_TEST(DependentRows, AreAsManyAsTheRankIsShort) {
  // 30 rows in a space of 11 dimensions, and the null vectors are null vectors.
  const Gram<TypeParam> R(random_rows(30, 11, 5));
  const auto found = R.dependent();
  EXPECT_EQ(found.size(), 19u);
  for (const auto& d : found) {
    std::vector<TypeParam> n(30, 0), r(30, 0);
    n[d.row] = 1;
    for (const auto& [row, coefficient] : d.terms) n[row] = -coefficient;
    for (int i = 0; i < 30; ++i) r[i] += R.diagonal[i] * n[i];
    for (std::size_t e = 0; e < R.lower.size(); ++e) {
      const auto [i, j] = R.off_diagonal[e];
      r[i] += R.lower[e] * n[j], r[j] += R.lower[e] * n[i];
    }
    for (const auto& x : r) EXPECT_LT(abs(x), TypeParam(1e4) * epsilon<TypeParam>());
  }
}

TYPED_TEST(DependentRows, AreFoundBesideRowsThatAreNearlyDependent) {
  // In the order of the rows the second pivot is small, and its rounding errors would hide that the third is none.
  for (const double delta : {1e-3, 3e-4, 1e-4, 3e-5, 2e-5}) {
    const auto found = Gram<TypeParam>({{1, 0}, {1, delta}, {1, 1}}).dependent();
    EXPECT_EQ(found.size(), 1U) << delta;
  }
}

TYPED_TEST(DependentRows, CloseALoopOfAnyLength) {
  // Rows e_i - e_{i+1} around a ring add up to 0. With and without pivoting.
  for (const int size : {3, 50, kLimits.pivoted, kLimits.pivoted + 1, 400}) {
    std::vector<std::vector<double>> G(size, std::vector<double>(size, 0));
    for (int i = 0; i < size; ++i) G[i][i] = 1, G[i][(i + 1) % size] = -1;
    const auto found = Gram<TypeParam>(G).dependent();
    ASSERT_EQ(found.size(), 1u) << size;
    EXPECT_EQ(found[0].row, size - 1);
    ASSERT_EQ(static_cast<int>(found[0].terms.size()), size - 1);
    for (const auto& term : found[0].terms) EXPECT_NEAR(static_cast<double>(term.coefficient), -1, 1e-8);
  }
}

TYPED_TEST(DependentRows, AreDecidedAtTheRankTolerance) {
  // [[1, 1 - d], [1 - d, 1]]: the second pivot is 2 d of a sum of 2.
  using T = TypeParam;
  const auto found = [](T d) {
    const T diagonal[] = {1, 1}, lower[] = {1 - d};
    return dependent_rows(2, {{1, 0}}, diagonal, lower).size();
  };
  EXPECT_EQ(found(rank_tolerance<T>() * T(0.9)), 1u);
  EXPECT_EQ(found(rank_tolerance<T>() * T(1.1)), 0u);
}

TEST(RankTolerance, IsEpsilonToTheTwoThirds) {
  EXPECT_NEAR(rank_tolerance<double>() / std::pow(0x1p-52, 2.0 / 3), 1, 1e-14);
  EXPECT_EQ(rank_tolerance<Lanes>(), rank_tolerance<double>());
  const auto cube = rank_tolerance<Quad>() * rank_tolerance<Quad>() * rank_tolerance<Quad>();
  EXPECT_NEAR(static_cast<double>(cube / epsilon<Quad>() / epsilon<Quad>()), 1, 1e-13);
}

}  // namespace
}  // namespace cotangent
