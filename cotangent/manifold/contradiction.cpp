#include "cotangent/manifold/contradiction.hpp"

#include <algorithm>
#include <random>

#include "cotangent/base/instantiate.hpp"

namespace cotangent {
namespace {

using Rows = std::vector<std::int64_t>;

// How far a combination of values may be from zero, in units of what is added up in it, and still count as that.
constexpr double kSame = 1e-6;

/// The sets of rows that contradict each other to first order at z.
template <class T>
std::vector<Rows> first_order_contradictions(Manifold<T>& manifold, const PhasePoint<T>& z) {
  System<T>& system = manifold.system();
  std::vector<T> g(static_cast<std::size_t>(system.m()));
  system.at(z).g(g);

  // Nothing can be said about gradients that are not numbers.
  static_cast<void>(manifold.matrix().factor(z));
  for (std::size_t r = 0; r < g.size(); ++r)
    if (!isfinite(manifold.matrix().diagonal_scale(r, T(1)))) return {};

  std::vector<Rows> found;
  for (const DependentRow<T>& dependent : manifold.matrix().dependent(z)) {
    Rows rows{dependent.row};
    T difference = g[static_cast<std::size_t>(dependent.row)], size = abs(difference);
    for (const auto& [row, coefficient] : dependent.terms) {
      const T part = coefficient * g[static_cast<std::size_t>(row)];
      difference -= part;
      size += abs(part);
      rows.push_back(row);
    }
    if (rows.size() < 2 || !(abs(difference) > T(kSame) * size)) continue;
    std::sort(rows.begin(), rows.end());
    found.push_back(std::move(rows));
  }
  return found;
}

}  // namespace

template <class T>
std::vector<std::int64_t> contradicting_rows(Manifold<T>& manifold, const PhasePoint<T>& z) {
  std::vector<Rows> found = first_order_contradictions(manifold, z);
  T size(0);
  for (const T& x : z.q) size = max(size, abs(x));
  if (size == T(0)) size = T(1);
  // Constraints that happen to be dependent in one configuration are not around it.
  std::mt19937_64 random(20240301);
  std::uniform_real_distribution<double> uniform(-0.1, 0.1);
  for (int k = 0; k < 3 && !found.empty(); ++k) {
    PhasePoint<T> near = z;
    for (T& x : near.q) x += size * T(uniform(random));
    const std::vector<Rows> here = first_order_contradictions(manifold, near);
    std::erase_if(found, [&](const Rows& rows) { return std::find(here.begin(), here.end(), rows) == here.end(); });
  }
  return found.empty() ? Rows() : found.front();
}

#define COTANGENT_FUNCTIONS(T) \
  template std::vector<std::int64_t> contradicting_rows(Manifold<T>&, const PhasePoint<T>&);
COTANGENT_FOR_PRECISIONS(COTANGENT_FUNCTIONS)

}  // namespace cotangent
