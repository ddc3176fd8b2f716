#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/model/model.hpp"
#include "cotangent/monitor/point_values.hpp"
#include "cotangent/monitor/registry.hpp"
#include "cotangent/output/own_values.hpp"
#include "cotangent/output/record_table.hpp"

namespace cotangent {

/// A column that every record of a model has: a coordinate, a momentum or a state.
struct VariableColumn {
  enum Part : std::uint8_t { q, p, s };

  std::string name;
  Part part;
  std::int64_t place;  ///< in this part of a point
};

std::vector<VariableColumn> variable_columns(const Model& model);

/// The table of what a record of a run can have. Model and manifold outlive it.
template <class T>
RecordTable record_table(const Model& model, Manifold<T>& manifold, const MonitorSet<T>& monitors,
                         const OwnNames& own = {});

/// The numbers of a record beside the time, for fields of a RecordTable.
template <class T>
class PointColumns {
 public:
  /// @param manifold must outlive this. @param own for fields that need it.
  PointColumns(Manifold<T>& manifold, std::vector<RecordField> fields, std::shared_ptr<OwnValues<T>> own = {});

  /// The usual ones. @param signals single numbers in place of them, with their signs. @throws UnknownName
  PointColumns(const Model& model, Manifold<T>& manifold, const MonitorSet<T>& monitors,
               const std::optional<std::vector<std::string>>& signals = {});

  const std::vector<RecordField>& fields() const { return fields_; }

  /// "x", "p_x", "r[1,2]", "energy", ...
  const std::vector<std::string>& names() const { return names_; }

  /// One for each name. Does not allocate. @param monitors that have seen z. @param own what comes with z.
  const std::vector<T>& operator()(const PhasePoint<T>& z, const MonitorSet<T>& monitors,
                                   const OwnVariables<T>* own = nullptr);

 private:
  const std::vector<T>& values_of(RecordPart part, const PhasePoint<T>& z, const OwnVariables<T>* own);

  Manifold<T>& manifold_;
  PointValues<T> values_;
  std::shared_ptr<OwnValues<T>> own_;
  std::vector<RecordField> fields_;
  std::vector<std::string> names_;
  std::vector<T> v_, rows_, number_;
  std::vector<T> row_;
};

COTANGENT_DECLARE(PRECISIONS, PointColumns);

}  // namespace cotangent
