#pragma once

#include <csignal>

/// While it lives, Ctrl-C and a request to terminate (SIGTERM) ask for a clean end instead of killing the program; a
/// second one kills it.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  const volatile std::sig_atomic_t* flag() const;

 private:
  struct sigaction before_[2] = {};
};
