#pragma once

#include <vector>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/manifold/coupling_pattern.hpp"
#include "cotangent/projection/projection_policy.hpp"
#include "cotangent/solve/singular/semidefinite_solver.hpp"
#include "cotangent/system/system.hpp"

namespace cotangent {

/// K = C N C' for the rows g and psi, or one of the two, of OrthogonalProjection, sparse and factored. With D = psi_q:
///
///   mass        K = (G H_pp G', G H_pp D'; D H_pp G', D H_pp D' + G H_pp G')
///   euclidean   K = (G G', G D'; D G', D D' + G H_pp^2 G')
///
/// Where H = T(p) + V(q), D has the pattern of G, and all blocks that of R = G H_pp G', in the euclidean metric for
/// diagonal H_pp. The two rows of a constraint stand together. Entries are probed, as those of R are
/// (constraint_matrix.hpp): two products with K for each colour.
template <class T>
class NormalMatrix {
 public:
  /// Whether its pattern is known.
  static bool applies_to(System<T>& system, Metric metric);

  /// @param blocks of rows that there are: 1 or 2. @pre applies_to(system, metric)
  NormalMatrix(System<T>& system, int blocks)
      : NormalMatrix(coupling_pattern(system.elements()), static_cast<std::size_t>(system.m()),
                     static_cast<std::size_t>(blocks)) {}

  /// @param multiply(const T* in, T* out) sets out = K in, the rows of g before those of psi.
  template <class Multiply>
  void factor(const Multiply& multiply, std::size_t nullity) {
    // A constraint that follows from others does so with its rate.
    if (nullity != nullity_) solver_.set_nullity(blocks_ * nullity);
    nullity_ = nullity;
    for (std::size_t color = 0; color < probes_.size(); ++color) {
      for (std::size_t block = 0; block < blocks_; ++block) {
        for (const std::size_t c : columns_[color]) unit_[block * m_ + c] = T(1);
        multiply(unit_.data(), rows_.data());
        for (const std::size_t c : columns_[color]) unit_[block * m_ + c] = T(0);
        for (const Entry& entry : probes_[color])
          if (entry.block == block) *entry.target = rows_[entry.row];
      }
    }
    static_cast<void>(solver_.factor(diagonal_.data(), lower_.data()));
  }

  /// rows <- K^-1 rows, the smallest solution where K is singular.
  void solve(T* rows);

 private:
  struct Entry {
    std::size_t block;  // of the column
    std::size_t row;
    T* target;
  };

  NormalMatrix(const CouplingPattern& coupling, std::size_t m, std::size_t blocks);
  // Row i of K, where the two rows of a constraint stand together, among the rows of g, then psi.
  std::size_t row(std::size_t i) const { return (i % blocks_) * m_ + i / blocks_; }

  std::size_t m_, blocks_, nullity_ = 0;
  OffDiagonal places_;
  SemidefiniteSolver<T> solver_;
  std::vector<T> diagonal_, lower_, unit_, rows_;
  std::vector<std::vector<std::size_t>> columns_;  // of each colour
  std::vector<std::vector<Entry>> probes_;
};

COTANGENT_DECLARE(NUMBERS, NormalMatrix);

}  // namespace cotangent
