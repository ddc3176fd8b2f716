#include "cotangent/output/point_columns.hpp"

#include <utility>

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
RecordTable record_table(const Model& model, Manifold<T>& manifold, const MonitorSet<T>& monitors,
                         const OwnNames& own) {
  std::vector<std::string> names;
  for (const auto& monitor : monitors.list()) names.push_back(monitor->full_name());
  return {model, manifold.system().elements(), names, own};
}

template <class T>
PointColumns<T>::PointColumns(Manifold<T>& manifold, std::vector<RecordField> fields, std::shared_ptr<OwnValues<T>> own)
    : manifold_(manifold), values_(manifold), own_(std::move(own)), fields_(std::move(fields)), number_(1) {
  v_.resize(static_cast<std::size_t>(manifold.system().n()));
  rows_.resize(static_cast<std::size_t>(manifold.system().m()));
  for (const RecordField& field : fields_) names_.insert(names_.end(), field.columns.begin(), field.columns.end());
  row_.reserve(names_.size());
}

template <class T>
PointColumns<T>::PointColumns(const Model& model, Manifold<T>& manifold, const MonitorSet<T>& monitors,
                              const std::optional<std::vector<std::string>>& signals)
    : PointColumns(manifold, signals ? record_table(model, manifold, monitors).signals(*signals)
                                     : record_table(model, manifold, monitors).usual()) {}

template <class T>
const std::vector<T>& PointColumns<T>::values_of(RecordPart part, const PhasePoint<T>& z, const OwnVariables<T>* own) {
  const auto at = [&] { return manifold_.system().at(z); };
  switch (part) {
    case RecordPart::q:
      return z.q;
    case RecordPart::p:
      return z.p;
    case RecordPart::s:
      return z.s;
    case RecordPart::velocity:
      return values_.velocities(z);
    case RecordPart::multiplier:
      return values_.multipliers(z);
    case RecordPart::observable:
      return values_.observables(z);
    case RecordPart::hamiltonian:
      number_[0] = at().H();
      return number_;
    case RecordPart::g:
      static_cast<void>(at().g(rows_));
      return rows_;
    case RecordPart::psi:
      static_cast<void>(at().psi(v_, rows_));
      return rows_;
    case RecordPart::own_first:
      return own_->at(z, own).q;
    case RecordPart::own_second:
      return own_->at(z, own).p;
    case RecordPart::striction:
      return own_->strictions(z, own);
    case RecordPart::monitor:
    case RecordPart::signal:
      break;
  }
  return number_;  // of monitors: they have their values themselves
}

template <class T>
const std::vector<T>& PointColumns<T>::operator()(const PhasePoint<T>& z, const MonitorSet<T>& monitors,
                                                  const OwnVariables<T>* own) {
  row_.clear();
  for (std::size_t k = 0; k < fields_.size(); ++k) {
    const RecordField& field = fields_[k];
    if (field.part == RecordPart::monitor || field.part == RecordPart::signal) {
      for (const std::int64_t place : field.places) {
        const Monitor<T>& monitor = *monitors.list()[static_cast<std::size_t>(place)];
        row_.push_back(field.part == RecordPart::monitor ? monitor.current() : monitor.signal());
      }
      continue;
    }
    const std::vector<T>& values = values_of(field.part, z, own);
    for (const std::int64_t place : field.places) row_.push_back(values[static_cast<std::size_t>(place)]);
  }
  return row_;
}

COTANGENT_INSTANTIATE(PRECISIONS, PointColumns);
#define COTANGENT_FUNCTIONS(T) \
  template RecordTable record_table(const Model&, Manifold<T>&, const MonitorSet<T>&, const OwnNames&);
COTANGENT_FOR_PRECISIONS(COTANGENT_FUNCTIONS)

}  // namespace cotangent
