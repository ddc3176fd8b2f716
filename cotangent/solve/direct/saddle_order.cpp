#include "cotangent/solve/direct/saddle_order.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "cotangent/solve/direct/ordering.hpp"

namespace cotangent {
namespace {

void check(const char* what, const std::vector<std::pair<int, int>>& pairs, int first_end, int second_end) {
  for (const auto& [a, b] : pairs) {
    if (a < 0 || a >= first_end || b < 0 || b >= second_end) {
      throw std::invalid_argument(std::string("saddle order: ") + what + " (" + std::to_string(a) + ", " +
                                  std::to_string(b) + ") is out of range");
    }
  }
}

/// Each pair once, off the diagonal, with the larger index first.
OffDiagonal unique_pairs(OffDiagonal pairs) {
  std::erase_if(pairs, [](const auto& pair) { return pair.first == pair.second; });
  for (auto& [i, j] : pairs) {
    if (i < j) std::swap(i, j);
  }
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  return pairs;
}

/// M + G'G; `incidences` are sorted by row.
PatternGraph coordinate_graph(const SaddlePattern& pattern, const std::vector<std::pair<int, int>>& incidences) {
  const double limit = std::max(16.0, 10 * std::sqrt(pattern.n));
  OffDiagonal pairs = pattern.couplings;
  for (auto first = incidences.begin(); first != incidences.end();) {
    const auto last = std::find_if(first, incidences.end(), [&](const auto& i) { return i.first != first->first; });
    if (static_cast<double>(last - first) <= limit) {
      for (auto i = first; i != last; ++i) {
        for (auto j = first; j != i; ++j) pairs.emplace_back(i->second, j->second);
      }
    }
    first = last;
  }
  return PatternGraph(pattern.n, unique_pairs(std::move(pairs)));
}

/// K, with row r as unknown n + r.
PatternGraph saddle_graph(const SaddlePattern& pattern) {
  OffDiagonal pairs = pattern.couplings;
  for (const auto& [r, j] : pattern.incidences) pairs.emplace_back(pattern.n + r, j);
  return PatternGraph(pattern.n + pattern.m, unique_pairs(std::move(pairs)));
}

/// Puts n + r after the last coordinate of row r.
std::vector<int> with_rows(const SaddlePattern& pattern, const std::vector<int>& coordinates) {
  std::vector<int> place(pattern.n), last(pattern.m, pattern.n);
  for (int k = 0; k < pattern.n; ++k) place[coordinates[k]] = k;
  for (const auto& [r, j] : pattern.incidences) last[r] = last[r] == pattern.n ? place[j] : std::max(last[r], place[j]);

  std::vector<std::vector<int>> rows_after(pattern.n + 1);
  for (int r = 0; r < pattern.m; ++r) rows_after[last[r]].push_back(r);
  std::vector<int> order;
  order.reserve(pattern.n + pattern.m);
  for (int k = 0; k <= pattern.n; ++k) {
    if (k < pattern.n) order.push_back(coordinates[k]);
    for (const int r : rows_after[k]) order.push_back(pattern.n + r);
  }
  return order;
}

}  // namespace

std::vector<int> saddle_order(const SaddlePattern& pattern) {
  check("coupling", pattern.couplings, pattern.n, pattern.n);
  check("incidence", pattern.incidences, pattern.m, pattern.n);
  auto incidences = pattern.incidences;
  std::sort(incidences.begin(), incidences.end());
  incidences.erase(std::unique(incidences.begin(), incidences.end()), incidences.end());

  const auto minimum_degree = minimum_degree_order(coordinate_graph(pattern, incidences));
  return analyse_better(saddle_graph(pattern), with_rows(pattern, natural_order(pattern.n)),
                        with_rows(pattern, minimum_degree))
      .order;
}

}  // namespace cotangent
