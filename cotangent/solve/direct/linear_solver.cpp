#include "cotangent/solve/direct/linear_solver.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "cotangent/base/dual.hpp"
#include "cotangent/base/instantiate.hpp"
#include "cotangent/solve/iteration/stopping.hpp"

namespace cotangent {
namespace {

void check_pattern(int size, OffDiagonal entries) {
  const auto complain = [size](const std::string& what, const std::pair<int, int>& entry) {
    throw std::invalid_argument("linear solver: entry (" + std::to_string(entry.first) + ", " +
                                std::to_string(entry.second) + ") of a matrix with " + std::to_string(size) + " rows " +
                                what);
  };
  if (size < 0) throw std::invalid_argument("linear solver: size = " + std::to_string(size) + ", must be >= 0");
  for (const auto& entry : entries) {
    if (entry.second < 0 || entry.first >= size) complain("is out of range", entry);
    if (entry.first <= entry.second) complain("is not below the diagonal", entry);
  }
  std::sort(entries.begin(), entries.end());
  const auto twice = std::adjacent_find(entries.begin(), entries.end());
  if (twice != entries.end()) complain("is given twice", *twice);
}

/// Time of one symmetric factorisation in nanoseconds, fitted to benchmarks/linear_solver_bench: the dense
/// one runs in vectors but starts a loop for each of m^2 / 2 column pairs, the sparse one goes through index
/// lists.
bool dense_is_faster(int size, const SymbolicFactor& symbolic) {
  const double m = size, dense_updates = m * (m * m - 1) / 6;
  const double dense = m * m + 0.15 * dense_updates;
  const double sparse = 6 * m + static_cast<double>(symbolic.entries) + 0.8 * symbolic.updates;
  return dense <= sparse;
}

}  // namespace

const char* name(LinearSolverKind kind) {
  constexpr const char* names[] = {"scalar", "chain", "dense", "sparse"};
  return names[static_cast<int>(kind)];
}

template <class T>
LinearSolver<T>::LinearSolver(int size, std::vector<std::pair<int, int>> off_diagonal) : size_(size) {
  check_pattern(size, off_diagonal);
  const PatternGraph graph(size, off_diagonal);
  if (size == 1) {
    kind_ = LinearSolverKind::scalar;
  } else if (auto chain = find_chain(graph); chain && size > 0) {
    kind_ = LinearSolverKind::chain;
    factors_.template emplace<ChainLdl<T>>(*std::move(chain));
  } else if (const auto symbolic = analyse_fill_reducing(graph); dense_is_faster(size, symbolic)) {
    kind_ = LinearSolverKind::dense;
    factors_.template emplace<DenseLdl<T>>(size, off_diagonal);
  } else {
    kind_ = LinearSolverKind::sparse;
    factors_.template emplace<SparseLdl<T>>(graph, symbolic);
  }
}

template <class T>
FactorReport<T> LinearSolver<T>::factor_general(const T* diagonal, const T* lower, const T* upper) {
  const auto factor_by = [&](auto* factors) {
    return report_growth(upper ? factors->factor(diagonal, lower, upper) : factors->factor(diagonal, lower));
  };
  if (auto* chain = std::get_if<ChainLdl<T>>(&factors_)) return factor_by(chain);
  if (auto* dense = std::get_if<DenseLdl<T>>(&factors_)) return factor_by(dense);
  return factor_by(std::get_if<SparseLdl<T>>(&factors_));
}

template <class T>
void LinearSolver<T>::solve_general(T* x) const {
  if (const auto* chain = std::get_if<ChainLdl<T>>(&factors_)) return chain->solve(x);
  if (const auto* dense = std::get_if<DenseLdl<T>>(&factors_)) return dense->solve(x);
  std::get_if<SparseLdl<T>>(&factors_)->solve(x);
}

template <class T>
template <class Visit>
void LinearSolver<T>::each_pivot(const T* diagonal, const Visit& visit) const {
  const auto consider = [&](int row, const T& inverse) { visit(row, pivot_growth(diagonal[row], inverse)); };
  if (kind_ == LinearSolverKind::scalar) consider(0, inverse_);
  std::visit(
      [&]<class Factors>(const Factors& factors) {
        if constexpr (!std::is_same_v<Factors, std::monostate>) {
          for (int k = 0; k < size_; ++k) consider(factors.pivot_row(k), factors.inverse_pivot(k));
        }
      },
      factors_);
}

template <class T>
WorstPivot<T> LinearSolver<T>::worst_pivot(const T* diagonal, int lane_index) const {
  WorstPivot<T> worst;
  each_pivot(diagonal, [&](int row, const T& growth) { worst.consider(row, growth, lane_index); });
  return worst;
}

template <class T>
Mask<T> LinearSolver<T>::pivots_are_known(const T* diagonal) const {
  const T limit(1 / (static_cast<LaneOf<T>>(kNearUnits) * epsilon<T>()));
  T before(1);
  Mask<T> known(true);
  each_pivot(diagonal, [&](int, const T& growth) {
    known = known & (growth * before < limit);
    before = max(before, growth);
  });
  return known;
}

COTANGENT_INSTANTIATE(NUMBERS, LinearSolver);

}  // namespace cotangent
