#include "cotangent/solve/iteration/gmres.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "tests/kernel/allocations.hpp"

namespace cotangent {
namespace {

using Matrix = std::vector<std::vector<double>>;

// Numbers in [-1, 1] that are the same on every machine.
class Noise {
 public:
  explicit Noise(std::uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15U + 1) {}
  double operator()() {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return static_cast<double>(state_ >> 11) * 0x1p-52 - 1;
  }

 private:
  std::uint64_t state_;
};

// I + h C with |C_ij| <= 1.
Matrix near_identity(std::size_t n, double h, std::uint64_t seed) {
  Noise noise(seed);
  Matrix B(n, std::vector<double>(n));
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) B[i][j] = (i == j ? 1.0 : 0.0) + h * noise();
  return B;
}

template <class T>
auto product_with(const Matrix& B) {
  return [&B](const T* in, T* out) {
    for (std::size_t i = 0; i < B.size(); ++i) {
      out[i] = T(0);
      for (std::size_t j = 0; j < B.size(); ++j) out[i] += T(B[i][j]) * in[j];
    }
  };
}

std::vector<double> right_side(std::size_t n, std::uint64_t seed) {
  Noise noise(seed);
  std::vector<double> b(n);
  for (double& x : b) x = noise();
  return b;
}

double residual(const Matrix& B, const std::vector<double>& b, const std::vector<double>& x) {
  double worst = 0;
  for (std::size_t i = 0; i < B.size(); ++i) {
    double r = b[i];
    for (std::size_t j = 0; j < B.size(); ++j) r -= B[i][j] * x[j];
    worst = std::max(worst, std::abs(r));
  }
  return worst;
}

TEST(Gmres, IsExactInAsManyDimensionsAsThereAreUnknowns) {
  const std::size_t n = 12;
  const Matrix B = near_identity(n, 3, 1);  // far from the identity
  const auto b = right_side(n, 2);
  std::vector<double> x(n);
  Gmres<double> gmres(n, 40);
  EXPECT_LE(gmres.solve(product_with<double>(B), b.data(), 1e-14, x.data()), 12);
  EXPECT_LE(residual(B, b, x), 1e-12);
}

// One more dimension, one more factor O(h): both sides.
TEST(Gmres, GainsAFactorOfTheDistanceFromTheIdentityWithEachDimension) {
  const std::size_t n = 50;
  const Matrix B = near_identity(n, 1e-4, 3);
  const auto b = right_side(n, 4);
  std::vector<double> x(n);
  for (std::size_t dimensions = 1; dimensions <= 3; ++dimensions) {
    Gmres<double> gmres(n, dimensions);
    EXPECT_EQ(gmres.solve(product_with<double>(B), b.data(), 0.0, x.data()), static_cast<int>(dimensions));
    const double factor = std::pow(residual(B, b, x), 1.0 / static_cast<double>(dimensions));
    EXPECT_LE(factor, 50 * 1e-4);
    EXPECT_GE(factor, 1e-5);
  }
}

TEST(Gmres, StopsAtItsGoal) {
  const std::size_t n = 50;
  const Matrix B = near_identity(n, 1e-3, 5);
  const auto b = right_side(n, 6);
  std::vector<double> x(n);
  Gmres<double> gmres(n, 30);
  const int rough = gmres.solve(product_with<double>(B), b.data(), 1e-2, x.data());
  const int fine = gmres.solve(product_with<double>(B), b.data(), 1e-10, x.data());
  EXPECT_LT(rough, fine);
  EXPECT_LE(residual(B, b, x), 1e-9);
}

TEST(Gmres, OfNothingIsNothing) {
  const Matrix B = near_identity(5, 0.1, 7);
  std::vector<double> b(5, 0.0), x(5, 9.0);
  Gmres<double> gmres(5, 5);
  EXPECT_EQ(gmres.solve(product_with<double>(B), b.data(), 1e-10, x.data()), 0);
  EXPECT_EQ(x, b);
}

// Weights say in what units a residual counts: a block of tiny numbers is solved as well as the others, or not.
TEST(Gmres, WeightsDecideWhichBlocksCount) {
  const std::size_t n = 20;
  // The large block is all but solved by the first dimension, the small one is not.
  const Matrix easy = near_identity(n, 1e-8, 8), hard = near_identity(n, 0.1, 8);
  Matrix B = easy;
  for (std::size_t i = n / 2; i < n; ++i) B[i] = hard[i];
  auto b = right_side(n, 9);
  Matrix scaled = B;
  const auto unit = [&](std::size_t i) { return i < n / 2 ? 1.0 : 1e-9; };
  for (std::size_t i = 0; i < n; ++i) {
    b[i] *= unit(i);
    for (std::size_t j = 0; j < n; ++j) scaled[i][j] = B[i][j] * unit(i) / unit(j);
    // No influence of the small block on the large one.
    if (i < n / 2)
      for (std::size_t j = n / 2; j < n; ++j) scaled[i][j] = 0;
  }
  const auto small_block = [&](bool weighted) {
    Gmres<double> gmres(n, 20);
    if (weighted)
      for (std::size_t i = 0; i < n; ++i) gmres.weights()[i] = 1 / unit(i);
    std::vector<double> x(n), r(n);
    static_cast<void>(gmres.solve(product_with<double>(scaled), b.data(), 1e-6, x.data()));
    product_with<double>(scaled)(x.data(), r.data());
    double worst = 0;
    for (std::size_t i = n / 2; i < n; ++i) worst = std::max(worst, std::abs(b[i] - r[i]) / 1e-9);
    return worst;
  };
  EXPECT_LE(small_block(true), 1e-5);
  EXPECT_GE(small_block(false), 10 * small_block(true));
}

// Lanes stop when they are done; the others do not notice.
TEST(Gmres, EveryLaneGivesTheBitsOfARunOfItsOwn) {
  const std::size_t n = 15;
  const Matrix B = near_identity(n, 0.1, 10);
  std::vector<Lanes> b(n), x(n);
  for (int l = 0; l < lane_count<Lanes>; ++l) {
    const auto single = right_side(n, static_cast<std::uint64_t>(20 + l));
    for (std::size_t j = 0; j < n; ++j) b[j][l] = l == 1 ? 0.0 : l == 2 ? (j == 3 ? 1.0 : 0.0) : single[j];
  }
  Gmres<Lanes> batch(n, 10);
  static_cast<void>(batch.solve(product_with<Lanes>(B), b.data(), Lanes(1e-5), x.data()));
  for (int l = 0; l < lane_count<Lanes>; ++l) {
    std::vector<double> single(n), y(n);
    for (std::size_t j = 0; j < n; ++j) single[j] = lane(b[j], l);
    Gmres<double> gmres(n, 10);
    static_cast<void>(gmres.solve(product_with<double>(B), single.data(), 1e-5, y.data()));
    for (std::size_t j = 0; j < n; ++j) ASSERT_EQ(lane(x[j], l), y[j]) << l;
  }
}

TEST(Gmres, DoesNotAllocate) {
  const Matrix B = near_identity(10, 0.1, 11);
  const auto b = right_side(10, 12);
  std::vector<double> x(10);
  Gmres<double> gmres(10, 10);
  const long before = test::allocations();
  static_cast<void>(gmres.solve(product_with<double>(B), b.data(), 1e-8, x.data()));
  EXPECT_EQ(test::allocations(), before);
}

// Differences that drown in rounding errors are such a B.
TEST(Gmres, DoesNotClaimWhatAVanishingMatrixCannotGive) {
  Gmres<double> gmres(2, 2);
  const std::vector<double> b{3, 4};
  std::vector<double> x(2, 1);
  gmres.solve([](const double*, double* out) { out[0] = out[1] = 0; }, b.data(), 0.1, x.data());
  EXPECT_EQ(gmres.reached(), 1);
  EXPECT_EQ(x, (std::vector<double>{0, 0}));
}

}  // namespace
}  // namespace cotangent
