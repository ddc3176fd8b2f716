#include "cotangent/projection/scaling_sets.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace cotangent {

void match_sets(std::vector<double>& w, std::size_t invariants, std::size_t size, SetMatching& found) {
  auto& [set, pivots, order] = found;
  pivots.clear();
  order.resize(invariants);
  std::iota(order.begin(), order.end(), std::size_t{0});
  const double nothing = std::sqrt(std::numeric_limits<double>::epsilon());

  const auto row = [&](std::size_t i) { return w.begin() + static_cast<std::ptrdiff_t>(i * size); };
  const auto divide = [&](std::size_t i, double by) { std::for_each_n(row(i), size, [&](double& x) { x /= by; }); };
  for (std::size_t i = 0; i < invariants; ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < size; ++j) sum += std::abs(w[i * size + j]);
    if (sum > 0) divide(i, sum);
  }
  // W <- W_P^-1 W.
  for (std::size_t k = 0; k < invariants; ++k) {
    const auto pivot = std::max_element(row(k), w.end(), [](double a, double b) { return std::abs(a) < std::abs(b); });
    if (pivot == w.end() || !(std::abs(*pivot) > nothing)) break;
    const auto at = static_cast<std::size_t>(pivot - w.begin()), column = at % size;
    std::swap_ranges(row(k), row(k + 1), row(at / size));
    std::swap(order[k], order[at / size]);
    pivots.push_back({order[k], column});
    divide(k, w[k * size + column]);
    for (std::size_t i = 0; i < invariants; ++i) {
      const double l = w[i * size + column];
      if (i != k)
        for (std::size_t j = 0; j < size; ++j) w[i * size + j] -= l * w[k * size + j];
    }
  }
  set.assign(size, -1);
  for (std::size_t j = 0; j < size; ++j) {
    double sum = 0, most = 0;
    for (std::size_t i = 0; i < pivots.size(); ++i) {
      const double v = w[i * size + j];
      sum += std::abs(v);
      if (v <= most) continue;
      most = v;
      set[j] = static_cast<int>(i);
    }
    if (!(2 * most >= sum)) set[j] = -1;
  }
}

}  // namespace cotangent
