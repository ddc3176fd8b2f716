#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cotangent/elements/elements.hpp"
#include "cotangent/expr/algorithm.hpp"
#include "cotangent/model/index_function.hpp"
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

/// What the symbols of a model stand for at a point: for the reference evaluator, which walks over expressions.
class ModelNumbers {
 public:
  /// @param model must outlive this.
  ModelNumbers(const Model& model, ModelPoint point);

  /// The same with values for the indices of loops. This must outlive the result.
  LeafValue<double> leaf(std::vector<std::pair<SymbolId, std::int64_t>> indices = {}) const;

  const ParameterMap& parameters() const { return parameters_; }

 private:
  struct Variable {
    const std::vector<double>* values;
    std::int64_t offset;
    std::vector<std::int64_t> shape;
  };
  double value(SymbolId symbol, std::span<const std::int64_t> indices) const;

  ModelPoint point_;
  std::unordered_map<SymbolId, Variable> variables_;
  ParameterMap parameters_;
  SymbolId time_;
};

}  // namespace cotangent
