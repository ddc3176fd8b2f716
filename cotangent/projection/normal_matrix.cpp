#include "cotangent/projection/normal_matrix.hpp"

#include <utility>

#include "cotangent/base/instantiate.hpp"

namespace cotangent {
namespace {

// Row r of g is number blocks r, that of psi the one after it.
OffDiagonal pattern(const CouplingPattern& coupling, int m, int blocks) {
  OffDiagonal places;
  if (blocks == 2)
    for (int r = 0; r < m; ++r) places.emplace_back(2 * r + 1, 2 * r);
  for (const auto& [i, j] : coupling.off_diagonal)
    for (int k = 0; k < blocks; ++k)
      for (int l = 0; l < blocks; ++l) places.emplace_back(blocks * i + k, blocks * j + l);
  return places;
}

}  // namespace

template <class T>
bool NormalMatrix<T>::applies_to(System<T>& system, Metric metric) {
  if (system.m() == 0 || system.legendre() || !system.is_separable()) return false;
  if (metric == Metric::euclidean && !system.diagonal_mass()) return false;
  return !coupling_pattern(system.elements()).is_full;
}

template <class T>
NormalMatrix<T>::NormalMatrix(const CouplingPattern& coupling, std::size_t m, std::size_t blocks)
    : m_(m),
      blocks_(blocks),
      places_(pattern(coupling, static_cast<int>(m), static_cast<int>(blocks))),
      solver_(static_cast<int>(blocks * m), places_),
      diagonal_(blocks * m, T(0)),
      lower_(places_.size(), T(0)),
      unit_(diagonal_),
      rows_(diagonal_) {
  const std::vector<int> colors = color_columns(static_cast<int>(m), coupling.off_diagonal);
  for (std::size_t c = 0; c < m; ++c) {
    const auto color = static_cast<std::size_t>(colors[c]);
    if (columns_.size() <= color) columns_.resize(color + 1);
    columns_[color].push_back(c);
  }
  probes_.resize(columns_.size());
  // K(i, j) is found by the probe with the colour of the constraint of j.
  const auto add = [&](std::size_t i, std::size_t j, T* target) {
    const auto color = static_cast<std::size_t>(colors[j / blocks_]);
    probes_[color].push_back({j % blocks_, row(i), target});
  };
  for (std::size_t i = 0; i < diagonal_.size(); ++i) add(i, i, &diagonal_[i]);
  for (std::size_t e = 0; e < places_.size(); ++e)
    add(static_cast<std::size_t>(places_[e].first), static_cast<std::size_t>(places_[e].second), &lower_[e]);
}

template <class T>
void NormalMatrix<T>::solve(T* rows) {
  for (std::size_t i = 0; i < rows_.size(); ++i) rows_[i] = rows[row(i)];
  static_cast<void>(solver_.solve(rows_.data()));
  for (std::size_t i = 0; i < rows_.size(); ++i) rows[row(i)] = rows_[i];
}

COTANGENT_INSTANTIATE(NUMBERS, NormalMatrix);

}  // namespace cotangent
