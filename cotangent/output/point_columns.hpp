#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/model/model.hpp"
#include "cotangent/monitor/point_values.hpp"
#include "cotangent/monitor/registry.hpp"

namespace cotangent {

/// A column that every record of a model has: a coordinate, a momentum or a state.
struct VariableColumn {
  enum Part : std::uint8_t { q, p, s };

  std::string name;
  Part part;
  std::int64_t place;  ///< in this part of a point
};

std::vector<VariableColumn> variable_columns(const Model& model);

/// The columns of a record beside the time: coordinates, momenta, states, observables and what is monitored.
template <class T>
class PointColumns {
 public:
  /// @param manifold must outlive this. @param chosen names of columns, velocities `v_x` among them, in place of all;
  /// numbers that are monitored then have their signs. @throws UnknownName for a signal that there is not.
  PointColumns(const Model& model, Manifold<T>& manifold, const MonitorSet<T>& monitors,
               const std::optional<std::vector<std::string>>& chosen = {});

  /// "x", "p_x", "r[1,2]", "energy", ...
  const std::vector<std::string>& names() const { return names_; }

  /// One for each name. Does not allocate. @param monitors that have seen z.
  const std::vector<T>& operator()(const PhasePoint<T>& z, const MonitorSet<T>& monitors);

 private:
  enum Part : std::uint8_t {
    q = VariableColumn::q,
    p = VariableColumn::p,
    s = VariableColumn::s,
    observable,
    velocity,
    monitor,
    signal
  };
  struct Column {
    Part part;
    std::size_t place;
  };

  PointValues<T> values_;
  std::vector<std::string> names_;
  std::vector<Column> columns_;
  bool has_observables_ = false, has_velocities_ = false;
  std::vector<T> row_;
};

COTANGENT_DECLARE(PRECISIONS, PointColumns);

}  // namespace cotangent
