#pragma once

#include <csignal>

/// While it lives in the main thread Ctrl-C (SIGINT) sets a flag, for long calls into the library that do not hold the
/// interpreter's lock. Other threads are not interrupted, as everywhere in Python.
class Interruptible {
 public:
  Interruptible();
  ~Interruptible();
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;

  /// Nonzero after Ctrl-C; a null pointer in other threads.
  const volatile std::sig_atomic_t* flag() const;

  /// After Ctrl-C: what Python would have done. @throws pybind11::error_already_set, a KeyboardInterrupt mostly
  void raise_if_interrupted();

 private:
  bool is_main_;
  void (*before_)(int) = nullptr;
};
