#pragma once

#include <csignal>
#include <vector>

/// A file that may not grow (SIGXFSZ) and a reader that has left (SIGPIPE) are errors of writing from now on.
void take_write_errors();

/// While it lives Ctrl-C (SIGINT), a request to terminate (SIGTERM) and the end of a terminal (SIGHUP) ask for a clean
/// end instead of killing the program; a second one kills it. Those that the program was started without, as by nohup,
/// stay ignored.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  /// Nonzero after one of them.
  const volatile std::sig_atomic_t* flag() const;

 private:
  struct Taken {
    int signal;
    struct sigaction before;
  };
  std::vector<Taken> taken_;
};
