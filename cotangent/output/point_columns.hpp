#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/model/model.hpp"
#include "cotangent/monitor/point_values.hpp"
#include "cotangent/monitor/registry.hpp"

namespace cotangent {

/// The columns of a record beside the time: coordinates, momenta, states, observables and what is monitored.
template <class T>
class PointColumns {
 public:
  /// @param manifold must outlive this.
  PointColumns(const Model& model, Manifold<T>& manifold, const MonitorSet<T>& monitors);

  /// "x", "p_x", "r[1,2]", "energy", ...
  const std::vector<std::string>& names() const { return names_; }

  /// One for each name. Does not allocate. @param monitors that have seen z.
  const std::vector<T>& operator()(const PhasePoint<T>& z, const MonitorSet<T>& monitors);

 private:
  PointValues<T> values_;
  std::vector<std::size_t> order_, state_order_;
  std::vector<std::string> names_;
  std::vector<T> row_;
};

COTANGENT_DECLARE(PRECISIONS, PointColumns);

}  // namespace cotangent
