#pragma once

#include <string>
#include <vector>

#include "cotangent/solve/direct/saddle_order.hpp"
#include "cotangent/solve/direct/sparse_lu.hpp"
#include "tests/solve/patterns.hpp"

namespace cotangent::test {

/// Bodies in space joined by rods, and anchored to the origin by further rods. Coordinate c of body b has the number
/// `dimension * b + c`, or `bodies * c + b` if they are numbered by component.
struct Bodies {
  std::string name;
  int bodies, dimension;
  OffDiagonal rods;          ///< pairs of bodies
  std::vector<int> anchors;  ///< bodies
  bool by_component = false;

  int n() const { return bodies * dimension; }
  int m() const { return static_cast<int>(rods.size() + anchors.size()); }
  int coordinate(int body, int component) const {
    return by_component ? bodies * component + body : dimension * body + component;
  }

  /// M couples every coordinate of a body with every one of a body joined to it.
  SaddlePattern pattern() const;
};

/// Chains, trees, closed loops and nets.
std::vector<Bodies> assemblies();
Bodies chain_of_bodies(int bodies, bool by_component = false);

struct EntryList {
  std::vector<MatrixEntry> entries;
  std::vector<double> values;

  void add(int row, int column, double value) { entries.push_back({row, column}), values.push_back(value); }
};

/// [[M, G'], [G, 0]] at random positions: M positive definite by a margin of a few per cent, with row scales over two
/// orders of magnitude; G the gradients of squared distances. Values off the diagonal are changed by up to the factor
/// 1 +- asymmetry on each side, and diagonal entries come in two parts.
EntryList saddle_matrix(const Bodies& bodies, unsigned seed, double asymmetry);

/// max_i |A x - b|_i / (|A| |x| + |b|)_i [oettli64], of A' if transposed.
template <class T>
double backward_error(const EntryList& A, const std::vector<T>& x, const std::vector<T>& b, bool transposed) {
  std::vector<T> r(b.size()), size(b.size());
  for (std::size_t i = 0; i < b.size(); ++i) r[i] = -b[i], size[i] = abs(b[i]);
  for (std::size_t e = 0; e < A.entries.size(); ++e) {
    const int i = transposed ? A.entries[e].column : A.entries[e].row;
    const int j = transposed ? A.entries[e].row : A.entries[e].column;
    const T term = static_cast<T>(A.values[e]) * x[j];
    r[i] += term, size[i] += abs(term);
  }
  double worst = 0;
  for (std::size_t i = 0; i < b.size(); ++i) worst = std::max(worst, static_cast<double>(abs(r[i]) / size[i]));
  return worst;
}

}  // namespace cotangent::test
