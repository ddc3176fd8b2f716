#pragma once

#include <vector>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/model/model.hpp"
#include "cotangent/monitor/point_values.hpp"

namespace cotangent {

/// Expressions in the variables of a model that are no part of it, evaluated at points.
template <class T>
class Expressions {
 public:
  Expressions(const Model& model, std::vector<NamedValues> expressions, Backend backend);

  /// One expression, without a name.
  Expressions(const Model& model, const Expr& expression, Backend backend);

  /// One number for each of the rows, until the next point. Does not allocate.
  const std::vector<T>& operator()(const PhasePoint<T>& z) { return values_.observables(z); }

  const std::vector<NamedRows>& rows() const { return system_.elements().observable_rows; }

 private:
  System<T> system_;  // with nothing but the expressions to observe
  Manifold<T> manifold_;
  PointValues<T> values_;
};

COTANGENT_DECLARE(PRECISIONS, Expressions);

}  // namespace cotangent
