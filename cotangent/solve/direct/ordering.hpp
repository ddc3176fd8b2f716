#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace cotangent {

/// Positions (i, j), i > j, of the entries below the diagonal of a matrix with symmetric pattern.
using OffDiagonal = std::vector<std::pair<int, int>>;

/// The adjacency graph of a symmetric pattern: neighbours of row i are neighbour[start[i]], ...,
/// neighbour[start[i+1]-1], and entry[.] is the index of the coupling in the off-diagonal list.
struct PatternGraph {
  PatternGraph(int size, const OffDiagonal& off_diagonal);

  int size() const { return static_cast<int>(start.size()) - 1; }
  int degree(int i) const { return start[i + 1] - start[i]; }

  std::vector<int> start, neighbour, entry;
};

/// Rows of a graph that consists of disjoint paths, taken along the paths: entry[k] is the index of the
/// coupling between row[k] and row[k+1], or -1 where one path ends and the next begins.
struct ChainOrder {
  std::vector<int> row, entry;

  /// row[k] = k and entry[k] = k.
  bool is_natural() const;
};

/// Nothing if some row has three neighbours or there is a cycle.
std::optional<ChainOrder> find_chain(const PatternGraph& graph);

/// Where elimination in a given order puts entries.
struct SymbolicFactor {
  std::vector<int> order;    ///< row eliminated k-th
  std::vector<int> place;    ///< inverse of order
  std::vector<int> parent;   ///< elimination tree over places, -1 at a root
  std::vector<int> count;    ///< entries below the diagonal in the k-th column of L
  std::int64_t entries = 0;  ///< sum of count
  double updates = 0;        ///< sum of count (count + 1) / 2: multiply-adds of a symmetric factorisation
};

/// Nothing if L has more than max_entries entries below the diagonal. Takes time and memory O(entries).
std::optional<SymbolicFactor> analyse(const PatternGraph& graph, std::vector<int> order, std::int64_t max_entries);

/// The same, for L of any size that int can number.
/// @throws std::length_error if L has more entries.
SymbolicFactor analyse(const PatternGraph& graph, std::vector<int> order);

/// 0, 1, ..., size-1.
std::vector<int> natural_order(int size);

/// The order of approximate minimum degree [amestoy96].
std::vector<int> minimum_degree_order(const PatternGraph& graph);

/// Analysis for the preferred order, unless the other one causes less fill.
SymbolicFactor analyse_better(const PatternGraph& graph, std::vector<int> preferred, std::vector<int> other);

/// Analysis for the order of approximate minimum degree, or for the caller's own order if that causes no more fill. The
/// caller's order is preferred because it keeps neighbours together in memory: on a band or a ring both have the same
/// fill, but minimum degree takes rows from all over the matrix.
SymbolicFactor analyse_fill_reducing(const PatternGraph& graph);

}  // namespace cotangent
