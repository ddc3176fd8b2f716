#include "cotangent/projection/scaling_sets.hpp"

#include <algorithm>
#include <cmath>

namespace cotangent {

void match_sets(std::vector<double>& w, std::size_t invariants, std::size_t size, std::vector<int>& set) {
  const auto row = [&](std::size_t i) { return w.begin() + static_cast<std::ptrdiff_t>(i * size); };
  for (std::size_t i = 0; i < invariants; ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < size; ++j) sum += std::abs(row(i)[static_cast<std::ptrdiff_t>(j)]);
    if (!(sum > 0) || !std::isfinite(sum)) sum = 1;
    for (std::size_t j = 0; j < size; ++j) w[i * size + j] /= sum;
  }
  set.assign(size, -1);
  for (std::size_t j = 0; j < size; ++j) {
    double most = 0;
    for (std::size_t i = 0; i < invariants; ++i)
      if (const double share = std::abs(w[i * size + j]); share > most) {
        most = share;
        set[j] = static_cast<int>(i);
      }
  }
  if (invariants < 2) return;
  // A pivot, its row and its column are zeros from then on.
  for (std::size_t step = 0; step < invariants; ++step) {
    const auto largest = std::ranges::max_element(w, {}, [](double x) { return std::abs(x); });
    if (!(std::abs(*largest) > 0)) return;
    const auto at = static_cast<std::size_t>(largest - w.begin());
    const std::size_t r = at / size, c = at % size;
    set[c] = static_cast<int>(r);
    for (std::size_t i = 0; i < invariants; ++i) {
      if (i == r) continue;
      const double l = w[i * size + c] / w[at];
      for (std::size_t j = 0; j < size; ++j) w[i * size + j] -= l * w[r * size + j];
      w[i * size + c] = 0;
    }
    std::fill(row(r), row(r) + static_cast<std::ptrdiff_t>(size), 0.0);
  }
}

}  // namespace cotangent
