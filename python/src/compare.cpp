#include "cotangent/run/compare/compare.hpp"

#include <pybind11/stl.h>

#include "cotangent/run/compare/choice_texts.hpp"
#include "cotangent/run/options/plan_run.hpp"
#include "interrupt.hpp"
#include "model.hpp"
#include "module.hpp"
#include "options.hpp"

namespace py = pybind11;
using namespace cotangent;

namespace {

Comparison make(ModelHandle& handle, const ChoiceTexts& texts, const OptionTexts& options) {
  const Model& model = handle.runnable();
  RunWords words = words_of_python(options);
  const Choices choices = choices_of(texts, model, spelling_of_python());
  const RunPlan common = plan_without_model(words, model);
  Interruptible interruptible;
  Comparison comparison;
  {
    const py::gil_scoped_release released;
    comparison = compare(model, choices, common, {}, interruptible.flag());
  }
  interruptible.raise_if_interrupted();
  return comparison;
}

}  // namespace

void bind_compare(py::module_& module) {
  py::class_<Comparison>(module, "Comparison")
      .def_property_readonly("recommendation", &Comparison::recommendation)
      .def_property_readonly("recommended",
                             [](const Comparison& comparison) {
                               return comparison.recommended
                                          ? py::cast(words_of(comparison.runs[*comparison.recommended].plan))
                                          : py::none();
                             })
      .def_property_readonly("rows", &Comparison::rows)
      .def("table", &Comparison::table)
      .def("json", &Comparison::json);
  module.def("compare", [](ModelHandle& model, const std::string& methods, const std::string& formulations,
                           const std::string& projections, const std::string& steps, const std::string& tolerances,
                           const std::string& accuracy, const std::string& threads, const OptionTexts& options) {
    return make(model, {methods, formulations, projections, steps, tolerances, accuracy, threads}, options);
  });
}
