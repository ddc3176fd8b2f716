#include "cotangent/run/run.hpp"

#include <pybind11/stl.h>

#include "arrays.hpp"
#include "interrupt.hpp"
#include "model.hpp"
#include "module.hpp"
#include "options.hpp"

namespace py = pybind11;
using namespace cotangent;

namespace {

// A run with everything up to its first step.
std::unique_ptr<Run> prepare(ModelHandle& model, const OptionTexts& options) {
  const Model& runnable = model.runnable();
  RunWords words = words_of_python(options);
  const py::gil_scoped_release released;
  return std::make_unique<Run>(runnable, std::move(words));
}

// All records, and the summary as the program prints it.
py::tuple make(Run& run) {
  Interruptible interruptible;
  SampleRows rows;
  std::string json;
  {
    const py::gil_scoped_release released;
    run.stop_if(interruptible.flag());
    rows = run.rows();
    json = run.json();
  }
  interruptible.raise_if_interrupted();
  const std::size_t count = rows.count();
  return py::make_tuple(rows.names, as_matrix(std::move(rows.numbers), count, rows.names.size()), json, run.table());
}

}  // namespace

void bind_run(py::module_& module) {
  py::class_<Run>(module, "Run")
      .def(py::init(&prepare))
      .def_property_readonly("is_repeatable", &Run::is_repeatable)
      .def("__call__", &make);
}
