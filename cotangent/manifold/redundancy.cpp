#include "cotangent/manifold/redundancy.hpp"

#include <algorithm>
#include <random>

#include "cotangent/base/instantiate.hpp"

namespace cotangent {
namespace {

constexpr std::uint64_t kPoints = 3;
// Points are moved so far, relative to the largest coordinate.
constexpr double kDistance = 1e-3;

template <class T>
PhasePoint<T> near(const PhasePoint<T>& z, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  T largest(0);
  for (const T& x : z.q) largest = max(largest, abs(x));
  if (largest == T(0)) largest = T(1);
  PhasePoint<T> moved = z;
  for (T& x : moved.q) x += T(kDistance) * largest * T(uniform(random));
  return moved;
}

}  // namespace

template <class T>
void settle_redundancy(Manifold<T>& manifold, const PhasePoint<T>& z) {
  ConstraintMatrix<T>& matrix = manifold.matrix();
  matrix.set_nullity(0);
  if (manifold.system().m() == 0) return;
  std::size_t count = 0;
  for (const auto& dependent : matrix.dependent(z)) count += dependent.terms.empty() ? 0 : 1;
  if (count == 0) return;

  matrix.set_nullity(count);
  for (std::uint64_t k = 0; k < kPoints; ++k) {
    PhasePoint<T> moved = near(z, k);
    const auto report = manifold.project_position(moved);
    if (report.regular && report.converged) continue;
    return matrix.set_nullity(0);
  }
}

#define COTANGENT_FUNCTIONS(T) template void settle_redundancy(Manifold<T>&, const PhasePoint<T>&);
COTANGENT_FOR_PRECISIONS(COTANGENT_FUNCTIONS)

}  // namespace cotangent
