#include "module.hpp"

PYBIND11_MODULE(_core, module) {
  module.doc() = "The library of cotangent, for the package around it.";
  module.attr("__version__") = COTANGENT_VERSION;
  bind_errors(module);
  bind_facts(module);
  bind_model(module);
  bind_black_box(module);
  bind_evaluation(module);
  bind_run(module);
  bind_stepper(module);
  bind_analysis(module);
  bind_compare(module);
  bind_reproduce(module);
}
