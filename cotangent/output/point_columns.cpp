#include "cotangent/output/point_columns.hpp"

#include <algorithm>

#include "cotangent/base/unknown_name.hpp"
#include "cotangent/output/shapes.hpp"

namespace cotangent {

std::vector<VariableColumn> variable_columns(const Model& model) {
  std::vector<VariableColumn> columns;
  const auto add_coordinates = [&](const char* prefix, VariableColumn::Part part) {
    for (const auto& c : model.coordinates)
      for (const std::int64_t entry : entries_in_reading_order(c.shape, c.offset))
        columns.push_back({prefix + entry_name(model, entry), part, entry});
  };
  add_coordinates("", VariableColumn::q);
  add_coordinates("p_", VariableColumn::p);
  for (const auto& state : model.states)
    for (const std::int64_t entry : entries_in_reading_order(state.shape, state.offset))
      columns.push_back({state_entry_name(model, entry), VariableColumn::s, entry});
  return columns;
}

template <class T>
PointColumns<T>::PointColumns(const Model& model, Manifold<T>& manifold, const MonitorSet<T>& monitors,
                              const std::optional<std::vector<std::string>>& chosen)
    : values_(manifold) {
  const auto add = [&](const std::string& name, Part part, std::int64_t place) {
    names_.push_back(name);
    columns_.push_back({part, static_cast<std::size_t>(place)});
  };
  const auto variables = variable_columns(model);
  for (const VariableColumn& column : variables) add(column.name, static_cast<Part>(column.part), column.place);
  for (const auto& rows : manifold.system().elements().observable_rows)
    for (std::int64_t r = rows.first; r < rows.first + rows.count; ++r) add(rows.row_name(r), observable, r);
  for (std::size_t k = 0; k < monitors.list().size(); ++k)
    add(monitors.list()[k]->full_name(), chosen ? signal : monitor, static_cast<std::int64_t>(k));
  if (chosen) {
    for (const VariableColumn& column : variables)
      if (column.part == VariableColumn::q) add("v_" + column.name, velocity, column.place);
    std::vector<Column> columns;
    for (const std::string& name : *chosen) {
      const auto found = std::find(names_.begin(), names_.end(), name);
      if (found == names_.end()) {
        std::sort(names_.begin(), names_.end());
        throw UnknownName("signal", name, names_);
      }
      columns.push_back(columns_[static_cast<std::size_t>(found - names_.begin())]);
    }
    names_ = *chosen;
    columns_ = columns;
  }
  for (const Column& column : columns_) {
    has_observables_ = has_observables_ || column.part == observable;
    has_velocities_ = has_velocities_ || column.part == velocity;
  }
  row_.reserve(names_.size());
}

template <class T>
const std::vector<T>& PointColumns<T>::operator()(const PhasePoint<T>& z, const MonitorSet<T>& monitors) {
  const std::vector<T>* const parts[] = {&z.q, &z.p, &z.s, has_observables_ ? &values_.observables(z) : nullptr,
                                         has_velocities_ ? &values_.velocities(z) : nullptr};
  row_.clear();
  for (const auto& [part, place] : columns_)
    row_.push_back(part == monitor  ? monitors.list()[place]->current()
                   : part == signal ? monitors.list()[place]->signal()
                                    : (*parts[part])[place]);
  return row_;
}

COTANGENT_INSTANTIATE(PRECISIONS, PointColumns);

}  // namespace cotangent
