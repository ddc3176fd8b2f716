#include "cotangent/solve/direct/ordering.hpp"

#include <suitesparse/amd.h>

#include <limits>
#include <new>
#include <numeric>
#include <stdexcept>

namespace cotangent {

PatternGraph::PatternGraph(int size, const OffDiagonal& off_diagonal)
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

std::optional<ChainOrder> find_chain(const PatternGraph& graph) {
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

std::optional<SymbolicFactor> analyse(const PatternGraph& graph, std::vector<int> order, std::int64_t max_entries) {
  const int size = graph.size();
  SymbolicFactor f{.order = std::move(order),
                   .place = std::vector<int>(size),
                   .parent = std::vector<int>(size, -1),
                   .count = std::vector<int>(size, 0)};
  for (int k = 0; k < size; ++k) f.place[f.order[k]] = k;

  // Row k of L has the entries on the paths from the earlier neighbours of k up the elimination tree to k
  // [liu90].
  std::vector<int> visited(size, -1);
  for (int k = 0; k < size; ++k) {
    visited[k] = k;
    const int row = f.order[k];
    for (int q = graph.start[row]; q < graph.start[row + 1]; ++q) {
      const int neighbour = f.place[graph.neighbour[q]];
      if (neighbour > k) continue;
      for (int i = neighbour; visited[i] != k; i = f.parent[i]) {
        if (f.parent[i] < 0) f.parent[i] = k;
        visited[i] = k;
        ++f.count[i];
        ++f.entries;
      }
    }
    if (f.entries > max_entries) return std::nullopt;
  }
  for (const double c : f.count) f.updates += c * (c + 1) / 2;
  return f;
}

SymbolicFactor analyse(const PatternGraph& graph, std::vector<int> order) {
  // Positions in L are stored as int.
  auto factor = analyse(graph, std::move(order), std::numeric_limits<int>::max());
  if (!factor) throw std::length_error("linear solver: the triangular factor has more than 2^31 entries");
  return *std::move(factor);
}

std::vector<int> natural_order(int size) {
  std::vector<int> order(size);
  std::iota(order.begin(), order.end(), 0);
  return order;
}

std::vector<int> minimum_degree_order(const PatternGraph& graph) {
  if (graph.neighbour.empty()) return natural_order(graph.size());  // AMD takes no null pointers
  std::vector<int> order(graph.size());
  if (amd_order(graph.size(), graph.start.data(), graph.neighbour.data(), order.data(), nullptr, nullptr) < AMD_OK) {
    throw std::bad_alloc();  // the graph is valid by construction: only memory can be missing
  }
  return order;
}

SymbolicFactor analyse_better(const PatternGraph& graph, std::vector<int> preferred, std::vector<int> other) {
  SymbolicFactor fallback = analyse(graph, std::move(other));
  auto first = analyse(graph, std::move(preferred), fallback.entries);
  return first ? *std::move(first) : std::move(fallback);
}

SymbolicFactor analyse_fill_reducing(const PatternGraph& graph) {
  return analyse_better(graph, natural_order(graph.size()), minimum_degree_order(graph));
}

}  // namespace cotangent
