#pragma once

#include <pybind11/pybind11.h>

/// The parts of the module, one file each. What is written in Python stands upon them: python/cotangent.
void bind_errors(pybind11::module_& module);
void bind_facts(pybind11::module_& module);
void bind_model(pybind11::module_& module);
void bind_black_box(pybind11::module_& module);
void bind_evaluation(pybind11::module_& module);
void bind_run(pybind11::module_& module);
void bind_stepper(pybind11::module_& module);
void bind_analysis(pybind11::module_& module);
void bind_compare(pybind11::module_& module);
void bind_reproduce(pybind11::module_& module);
