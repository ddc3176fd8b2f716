#include "model.hpp"

#include <pybind11/stl.h>

#include "arrays.hpp"
#include "cotangent/model/reader.hpp"
#include "cotangent/output/point_columns.hpp"
#include "cotangent/output/shapes.hpp"
#include "cotangent/run/initial_files.hpp"
#include "cotangent/run/models.hpp"
#include "cotangent/run/options/option_table.hpp"
#include "module.hpp"

namespace py = pybind11;
using namespace cotangent;

namespace {

// {"x": (), "r": (5, 3)}.
template <class Variables>
py::dict shapes_of(const Variables& variables) {
  py::dict shapes;
  for (const auto& variable : variables) shapes[py::str(variable.name)] = py::tuple(py::cast(variable.shape));
  return shapes;
}

py::dict parameters_of(const Model& model) {
  py::dict values;
  for (const auto& parameter : model.parameters)
    if (parameter.shape.empty()) values[py::str(parameter.name)] = static_cast<double>(parameter.value);
  return values;
}

std::vector<std::string> names_of(const std::vector<NamedValues>& all) {
  std::vector<std::string> names;
  for (const auto& one : all) names.push_back(one.name);
  return names;
}

std::vector<std::string> constraint_names(const Model& model) {
  std::vector<std::string> names;
  for (const auto& constraint : model.constraints) names.push_back(constraint.name);
  return names;
}

std::vector<std::string> entry_names(const Model& model) {
  std::vector<std::string> names;
  for (const VariableColumn& column : variable_columns(model)) names.push_back(column.name);
  return names;
}

// Arrays as NumPy has them, the last index running fastest, become tables of a model.
std::vector<InitialTable> tables_of(const Model& model, const std::vector<std::pair<std::string, Numbers>>& arrays) {
  std::vector<InitialTable> tables;
  for (const auto& [name, array] : arrays) {
    std::vector<std::int64_t> shape(array.shape(), array.shape() + array.ndim());
    tables.push_back(initial_table(model, name, shape, as_span(array)));
  }
  return tables;
}

}  // namespace

std::shared_ptr<ModelHandle> ModelHandle::from_file(const std::string& file, const std::vector<std::string>& set) {
  return std::make_shared<ModelHandle>(read_model(file, set, run_keys(), {}, InitialCoverage::partial));
}

std::shared_ptr<ModelHandle> ModelHandle::from_text(const std::string& text, const std::string& name,
                                                    const std::vector<std::string>& set) {
  return std::make_shared<ModelHandle>(read_model_text(text, name, set, run_keys(), {}, InitialCoverage::partial));
}

const Model& ModelHandle::complete() const {
  if (stated_.incomplete) throw ModelError(*stated_.incomplete);
  return stated_;
}

const Model& ModelHandle::runnable() {
  const std::scoped_lock lock(mutex_);
  if (!runnable_) runnable_ = cotangent::runnable(stated_);
  return *runnable_;
}

void bind_model(py::module_& module) {
  py::class_<ModelHandle, std::shared_ptr<ModelHandle>>(module, "Model")
      .def_static("from_file", &ModelHandle::from_file)
      .def_static("from_text", &ModelHandle::from_text)
      .def("with_values",
           [](ModelHandle& model, const std::vector<std::string>& set) {
             return std::make_shared<ModelHandle>(with_values(model.runnable(), set));
           })
      .def("with_initial",
           [](ModelHandle& model, const std::vector<std::pair<std::string, Numbers>>& arrays) {
             return std::make_shared<ModelHandle>(with_initial(model.runnable(), tables_of(model.runnable(), arrays)));
           })
      .def("with_initial_from",
           [](ModelHandle& model, const std::string& file) {
             const Model& runnable = model.runnable();
             return std::make_shared<ModelHandle>(with_initial(runnable, initial_from_record(runnable, file).tables));
           })
      .def_property_readonly("name", [](const ModelHandle& model) { return model.stated().name; })
      .def_property_readonly("title", [](const ModelHandle& model) { return model.stated().title; })
      .def_property_readonly("text", [](const ModelHandle& model) { return model.stated().source->text(); })
      .def_property_readonly("notes", [](const ModelHandle& model) { return model.stated().notes; })
      .def_property_readonly("parameters", [](const ModelHandle& model) { return parameters_of(model.stated()); })
      .def_property_readonly("coordinates",
                             [](const ModelHandle& model) { return shapes_of(model.stated().coordinates); })
      .def_property_readonly("states", [](const ModelHandle& model) { return shapes_of(model.stated().states); })
      .def_property_readonly("constraints", [](const ModelHandle& model) { return constraint_names(model.stated()); })
      .def_property_readonly("invariants", [](const ModelHandle& model) { return names_of(model.stated().invariants); })
      .def_property_readonly("observables",
                             [](const ModelHandle& model) { return names_of(model.stated().observables); })
      .def_property_readonly("columns", [](const ModelHandle& model) { return entry_names(model.stated()); });
}
