#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/base/point.hpp"
#include "cotangent/formulation/formulation.hpp"
#include "cotangent/output/record_table.hpp"

namespace cotangent {

/// The variables that a formulation integrates in place of (q, p), at points of a run: p* of `impetus`, the coordinates
/// of a chart. A point that has been led to in them has them; at others, such as the first one and samples inside
/// steps, they are those with which a step would begin.
template <class T>
class OwnValues {
 public:
  /// @param manifold must outlive this.
  OwnValues(Manifold<T>& manifold, const std::string& formulation, const FormulationOptions& options);

  /// What they are called, with z being some point of the run; nothing where a record has them under other names.
  OwnNames names(const PhasePoint<T>& z);

  /// @param own what comes with z; a null pointer if nothing does. The result is valid until the next call.
  const OwnVariables<T>& at(const PhasePoint<T>& z, const OwnVariables<T>* own);

  /// The strictions l of p* = p + G'l: R l = G H_pp (p* - p).
  const std::vector<T>& strictions(const PhasePoint<T>& z, const OwnVariables<T>* own);

 private:
  Manifold<T>& manifold_;
  std::unique_ptr<Formulation<T>> formulation_;
  OwnVariables<T> entered_;
  std::vector<T> change_, pulled_back_, l_;
};

COTANGENT_DECLARE(PRECISIONS, OwnValues);

}  // namespace cotangent
