#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "cotangent/elements/elements.hpp"
#include "cotangent/model/model.hpp"

namespace cotangent {

/// A function of a model as it was written, in one instance of its loops.
struct FunctionText {
  Expr value;
  Location where = {};
  std::vector<std::pair<SymbolId, std::int64_t>> indices = {};  ///< the values of the loops' indices
};

FunctionText energy_text(const Model& model);
FunctionText dissipation_text(const Model& model);  ///< @pre there is one.

/// What a row belongs to.
FunctionText constraint_text(const Model& model, const Elements& elements, std::int64_t row);
FunctionText observable_text(const Model& model, const Elements& elements, std::int64_t row);
FunctionText invariant_text(const Model& model, const Elements& elements, std::int64_t row);

/// The last of the assignments that sets an entry of a target (counted from 0, the first index running fastest); its
/// value is not valid() if none does.
FunctionText assignment_text(const Model& model, std::span<const Assignment> assignments, SymbolId target,
                             const std::vector<std::int64_t>& shape, std::int64_t entry);

}  // namespace cotangent
