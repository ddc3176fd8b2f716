#pragma once

#include <vector>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/system/system.hpp"

namespace cotangent {

/// Rounding errors that are made inside the functions of a system, in units of epsilon, row by row, where they are more
/// than those of the arguments make: see evaluation_error. Group variables pass on theirs.
template <class T>
class EvaluationErrors {
 public:
  /// @param system must outlive this.
  EvaluationErrors(System<T>& system, Contraction::Of of);

  /// There are none, wherever the function is evaluated.
  bool vanish() const { return kernels_.kernels.empty(); }

  /// rows_r += errors of row r (of the energy: of row 0). Those of the energy of a Lagrangian system are those of L,
  /// at with(v).
  void add_to(const At<T>& at, Writes<T> rows);

 private:
  const KernelSequence<T>& kernels_;
  Frame<T> frame_;
  std::vector<T> group_errors_, groups_;
};

COTANGENT_DECLARE(NUMBERS, EvaluationErrors);

}  // namespace cotangent
