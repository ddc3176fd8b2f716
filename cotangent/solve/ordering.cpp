#include "cotangent/solve/ordering.hpp"

#include <suitesparse/amd.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace cotangent {

Graph::Graph(int size, const OffDiagonal& off_diagonal)
    : start(size + 1), neighbour(2 * off_diagonal.size()), entry(2 * off_diagonal.size()) {
  for (const auto& [i, j] : off_diagonal) ++start[i], ++start[j];
  std::inclusive_scan(start.begin(), start.end(), start.begin());
  // start[i] is now the end of row i; filling backwards moves it to the beginning.
  for (int e = static_cast<int>(off_diagonal.size()) - 1; e >= 0; --e) {
    const auto [i, j] = off_diagonal[e];
    neighbour[--start[i]] = j, entry[start[i]] = e;
    neighbour[--start[j]] = i, entry[start[j]] = e;
  }
}

bool ChainOrder::is_natural() const {
  for (std::size_t k = 0; k < row.size(); ++k) {
    if (row[k] != static_cast<int>(k)) return false;
    if (k + 1 < row.size() && entry[k] != static_cast<int>(k)) return false;
  }
  return true;
}

std::optional<ChainOrder> find_chain(const Graph& graph) {
  const int size = graph.size();
  ChainOrder chain;
  chain.row.reserve(size), chain.entry.reserve(size);
  std::vector<char> visited(size, 0);
  for (int end = 0; end < size; ++end) {
    if (graph.degree(end) > 2) return std::nullopt;
    if (visited[end] || graph.degree(end) == 2) continue;
    // Walk from this end to the other one.
    for (int i = end; i >= 0;) {
      visited[i] = 1;
      chain.row.push_back(i);
      int next = -1, coupling = -1;
      for (int q = graph.start[i]; q < graph.start[i + 1]; ++q) {
        if (!visited[graph.neighbour[q]]) next = graph.neighbour[q], coupling = graph.entry[q];
      }
      chain.entry.push_back(coupling);
      if (next >= 0 && graph.degree(next) > 2) return std::nullopt;
      i = next;
    }
  }
  if (static_cast<int>(chain.row.size()) < size) return std::nullopt;  // the rest are cycles
  return chain;
}

}  // namespace cotangent
