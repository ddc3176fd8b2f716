#include "cotangent/manifold/lost_multipliers.hpp"

#include <numeric>
#include <utility>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/base/limits.hpp"
#include "cotangent/base/magnitudes.hpp"

namespace cotangent {
namespace {

/// n with S n = 0 up to rounding, by elimination with pivots from the whole matrix; empty if S is regular.
/// @param S column by column.
template <class T>
std::vector<T> null_vector(std::vector<std::vector<T>> S) {
  const std::size_t m = S.size();
  std::vector<std::size_t> rows(m), columns(m);
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  std::iota(columns.begin(), columns.end(), std::size_t{0});
  const auto at = [&](std::size_t i, std::size_t j) -> T& { return S[columns[j]][rows[i]]; };
  T largest(0);
  std::size_t rank = 0;
  for (; rank < m; ++rank) {
    std::size_t row = rank, column = rank;
    for (std::size_t j = rank; j < m; ++j)
      for (std::size_t i = rank; i < m; ++i)
        if (abs(at(i, j)) > abs(at(row, column))) row = i, column = j;
    std::swap(rows[rank], rows[row]);
    std::swap(columns[rank], columns[column]);
    const T pivot = at(rank, rank);
    largest = max(largest, abs(pivot));
    if (!(abs(pivot) > T(rank_tolerance<T>()) * largest)) break;
    for (std::size_t i = rank + 1; i < m; ++i) {
      const T l = at(i, rank) / pivot;
      for (std::size_t j = rank + 1; j < m; ++j) at(i, j) -= l * at(rank, j);
    }
  }
  if (rank == m) return {};
  std::vector<T> n(m, T(0));
  n[columns[rank]] = T(1);
  for (std::size_t i = rank; i-- > 0;) {
    T sum(0);
    for (std::size_t j = i + 1; j <= rank; ++j) sum += at(i, j) * n[columns[j]];
    n[columns[i]] = -sum / at(i, i);
  }
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
  if (!manifold.forcing().uses_multipliers() || system.m() > kLimits.lost) return std::nullopt;
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
