#include "cotangent/manifold/lost_multipliers.hpp"

#include <algorithm>
#include <numeric>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/base/limits.hpp"
#include "cotangent/base/magnitudes.hpp"

namespace cotangent {
namespace {

/// n with S n = 0, and so S'S n = 0; empty if S is regular. @param S column by column.
template <class T>
std::vector<T> null_vector(const std::vector<std::vector<T>>& S) {
  std::vector<std::vector<T>> square(S.size(), std::vector<T>(S.size()));
  for (std::size_t i = 0; i < S.size(); ++i)
    for (std::size_t j = 0; j < S.size(); ++j)
      square[i][j] = std::inner_product(S[i].begin(), S[i].end(), S[j].begin(), T(0));
  const auto dependent = dependent_rows(square);
  if (dependent.empty()) return {};
  std::vector<T> n(S.size(), T(0));
  n[dependent[0].row] = T(1);
  for (const auto& [row, coefficient] : dependent[0].terms) n[row] = -coefficient;
  return n;
}

/// Where x is not small against its largest entry.
template <class T>
std::vector<std::int64_t> large_entries(const std::vector<T>& x) {
  const T largest = largest_of(x);
  std::vector<std::int64_t> places;
  for (std::size_t i = 0; i < x.size(); ++i)
    if (abs(x[i]) > T(term_tolerance<T>()) * largest) places.push_back(static_cast<std::int64_t>(i));
  return places;
}

}  // namespace

template <class T>
std::optional<LostMultipliers> lost_multipliers(Manifold<T>& manifold, const PointRef<T>& z, const T* v,
                                                const T* lambda) {
  System<T>& system = manifold.system();
  if (!manifold.forcing().uses_multipliers() || system.m() > kLimits.full) return std::nullopt;
  const auto m = static_cast<std::size_t>(system.m()), n = static_cast<std::size_t>(system.n());
  const std::vector<T> zero(n, T(0)), no_states(static_cast<std::size_t>(system.state_count()), T(0));
  std::vector<T> unit(m, T(0)), impulse(n), velocity(n), force(n);
  std::vector<std::vector<T>> S(m, std::vector<T>(m));
  const auto force_along = [&](const std::vector<T>& a) {
    manifold.forcing().force_along(z, v, lambda, zero.data(), zero.data(), no_states.data(), a.data(), force.data());
  };
  const At<T> at = system.at(z);
  for (std::size_t c = 0; c < m; ++c) {
    unit[c] = T(1);
    at.Gt_times(unit, impulse);
    force_along(unit);
    for (std::size_t j = 0; j < n; ++j) impulse[j] -= force[j];
    at.H_pp_times(impulse, velocity);
    at.G_times(velocity, S[c]);
    unit[c] = T(0);
  }
  const std::vector<T> lost = null_vector(S);
  if (lost.empty()) return std::nullopt;
  force_along(lost);
  return LostMultipliers{.rows = large_entries(lost), .entries = large_entries(force)};
}

#define COTANGENT_FUNCTIONS(T) \
  template std::optional<LostMultipliers> lost_multipliers(Manifold<T>&, const PointRef<T>&, const T*, const T*);
COTANGENT_FOR_PRECISIONS(COTANGENT_FUNCTIONS)

}  // namespace cotangent
