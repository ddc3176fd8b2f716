#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cotangent/derivatives/breakdown.hpp"
#include "cotangent/elements/elements.hpp"
#include "cotangent/model/model.hpp"

namespace cotangent {

/// A point as the expressions of a model see it. Parts that are not known are empty: their entries are not numbers.
struct ModelPoint {
  std::vector<double> q, p, v, s, lambda;
  double t = 0;
  std::vector<NamedRows> rows = {};  ///< of the multipliers
};

/// For the parts of a point: in double precision a place is found as well as in any other.
template <class T>
std::vector<double> doubles(const std::vector<T>& x) {
  std::vector<double> result;
  result.reserve(x.size());
  for (const T& value : x) result.push_back(static_cast<double>(value));
  return result;
}

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

/// An error at a place of a model's text; where nobody wrote one, about the model as a whole.
ModelError refusal(const Model& model, const Location& where, const std::string& message,
                   const std::string& suggestion = {});

/// An error about a function that is not finite at a point, or whose derivative is not: at the operation that is the
/// cause of it, if that can be found, and otherwise at the function.
///
/// @param message "the Hamiltonian is nan at the initial data"; the cause is added to it.
ModelError refusal(const Model& model, const FunctionText& function, const ModelPoint& point,
                   const std::string& message);

/// "the Hamiltonian" or "the Lagrangian".
std::string energy_name(const Model& model);

/// @throws ModelError if the energy is not finite at a point, or has no finite derivatives, by walking over it: slow,
/// for when something else has failed and this may be the cause.
void expect_defined_energy(const Model& model, const ModelPoint& point);

}  // namespace cotangent
