#include "cotangent/output/point_columns.hpp"

#include "cotangent/output/entries.hpp"

namespace cotangent {

template <class T>
PointColumns<T>::PointColumns(const Model& model, Manifold<T>& manifold, const MonitorSet<T>& monitors)
    : values_(manifold) {
  const auto places = [](const auto& variables) {
    std::vector<std::size_t> order;
    for (const auto& variable : variables)
      for (const std::int64_t entry : entries_in_reading_order(variable.shape, variable.offset))
        order.push_back(static_cast<std::size_t>(entry));
    return order;
  };
  order_ = places(model.coordinates);
  state_order_ = places(model.states);
  for (const char* prefix : {"", "p_"})
    for (const std::size_t entry : order_)
      names_.push_back(prefix + entry_name(model, static_cast<std::int64_t>(entry)));
  for (const std::size_t entry : state_order_)
    names_.push_back(state_entry_name(model, static_cast<std::int64_t>(entry)));
  for (const auto& rows : manifold.system().elements().observable_rows)
    for (std::int64_t r = rows.first; r < rows.first + rows.count; ++r) names_.push_back(rows.row_name(r));
  for (const auto& monitor : monitors.list()) names_.push_back(monitor->full_name());
  row_.reserve(names_.size());
}

template <class T>
const std::vector<T>& PointColumns<T>::operator()(const PhasePoint<T>& z, const MonitorSet<T>& monitors) {
  row_.clear();
  for (const std::size_t entry : order_) row_.push_back(z.q[entry]);
  for (const std::size_t entry : order_) row_.push_back(z.p[entry]);
  for (const std::size_t entry : state_order_) row_.push_back(z.s[entry]);
  for (const T& observable : values_.observables(z)) row_.push_back(observable);
  for (const auto& monitor : monitors.list()) row_.push_back(monitor->current());
  return row_;
}

COTANGENT_INSTANTIATE(PRECISIONS, PointColumns);

}  // namespace cotangent
