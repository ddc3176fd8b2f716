#include "interrupt.hpp"

#include <pybind11/pybind11.h>

namespace {

volatile std::sig_atomic_t interrupted = 0;

void note(int) { interrupted = 1; }

bool is_main_thread() {
  const auto threading = pybind11::module_::import("threading");
  return threading.attr("current_thread")().is(threading.attr("main_thread")());
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
