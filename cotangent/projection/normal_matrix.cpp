#include "cotangent/projection/normal_matrix.hpp"

#include <utility>

#include "cotangent/base/instantiate.hpp"

namespace cotangent {

template <class T>
bool NormalMatrix<T>::applies_to(System<T>& system, Metric metric) {
  if (system.m() == 0 || system.legendre() || !system.is_separable()) return false;
  if (metric == Metric::euclidean && !system.diagonal_mass()) return false;
  return !coupling_pattern(system.elements()).is_full;
}

// Row r of g is number blocks r, that of psi the one after it.
template <class T>
OffDiagonal NormalMatrix<T>::pattern(const CouplingPattern& coupling, std::size_t m, std::size_t blocks) {
  OffDiagonal places;
  const auto b = static_cast<int>(blocks);
  if (b == 2)
    for (int r = 0; r < static_cast<int>(m); ++r) places.emplace_back(2 * r + 1, 2 * r);
  for (const auto& [i, j] : coupling.off_diagonal)
    for (int k = 0; k < b; ++k)
      for (int l = 0; l < b; ++l) places.emplace_back(b * i + k, b * j + l);
  return places;
}

template <class T>
NormalMatrix<T>::NormalMatrix(System<T>& system, int blocks)
    : m_(static_cast<std::size_t>(system.m())),
      blocks_(static_cast<std::size_t>(blocks)),
      coupling_(coupling_pattern(system.elements())),
      places_(pattern(coupling_, m_, blocks_)),
      solver_(static_cast<int>(blocks_ * m_), places_),
      diagonal_(blocks_ * m_, T(0)),
      lower_(places_.size(), T(0)),
      unit_(diagonal_),
      rows_(diagonal_) {
  const std::vector<int> colors = color_columns(static_cast<int>(m_), coupling_.off_diagonal);
  for (std::size_t c = 0; c < m_; ++c) {
    const auto color = static_cast<std::size_t>(colors[c]);
    if (columns_.size() <= color) columns_.resize(color + 1);
    columns_[color].push_back(c);
  }
  probes_.resize(columns_.size());
  // K(i, j) is found by the probe with the colour of the constraint of j.
  const auto add = [&](std::size_t i, std::size_t j, T* target) {
    const auto color = static_cast<std::size_t>(colors[j / blocks_]);
    probes_[color].push_back({j % blocks_, (i % blocks_) * m_ + i / blocks_, target});
  };
  for (std::size_t i = 0; i < diagonal_.size(); ++i) add(i, i, &diagonal_[i]);
  for (std::size_t e = 0; e < places_.size(); ++e)
    add(static_cast<std::size_t>(places_[e].first), static_cast<std::size_t>(places_[e].second), &lower_[e]);
}

// A constraint that follows from others does so with its rate.
template <class T>
void NormalMatrix<T>::set_nullity(std::size_t nullity) {
  nullity_ = nullity;
  solver_.set_nullity(blocks_ * nullity);
}

template <class T>
void NormalMatrix<T>::solve(T* rows) {
  for (std::size_t i = 0; i < rows_.size(); ++i) rows_[i] = rows[(i % blocks_) * m_ + i / blocks_];
  static_cast<void>(solver_.solve(rows_.data()));
  for (std::size_t i = 0; i < rows_.size(); ++i) rows[(i % blocks_) * m_ + i / blocks_] = rows_[i];
}

COTANGENT_INSTANTIATE(NUMBERS, NormalMatrix);

}  // namespace cotangent
