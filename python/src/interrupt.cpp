#include "interrupt.hpp"

#include <pybind11/pybind11.h>

namespace {

volatile std::sig_atomic_t interrupted = 0;

void note(int) { interrupted = 1; }

bool is_main_thread() {
  static const auto main =
      pybind11::module_::import("threading").attr("main_thread")().attr("ident").cast<unsigned long>();
  return PyThread_get_thread_ident() == main;
}

}  // namespace

Interruptible::Interruptible() : is_main_(is_main_thread()) {
  if (!is_main_) return;
  interrupted = 0;
  before_ = PyOS_setsig(SIGINT, note);
}

Interruptible::~Interruptible() {
  if (is_main_) PyOS_setsig(SIGINT, before_);
}

const volatile std::sig_atomic_t* Interruptible::flag() const { return is_main_ ? &interrupted : nullptr; }

void Interruptible::raise_if_interrupted() {
  if (!is_main_ || interrupted == 0) return;
  interrupted = 0;
  PyErr_SetInterrupt();
  if (PyErr_CheckSignals() != 0) throw pybind11::error_already_set();
}
