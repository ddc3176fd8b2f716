#include "signals.hpp"

namespace {

volatile std::sig_atomic_t interrupted = 0;

// The same signal twice is meant to kill, but for a lost terminal, which shells and the system tell of each.
void note(int signal) {
  if (interrupted == signal && signal != SIGHUP) {
    std::signal(signal, SIG_DFL);
    std::raise(signal);
  }
  if (interrupted == 0) interrupted = signal;
}

}  // namespace

void take_write_errors() {
  std::signal(SIGXFSZ, SIG_IGN);
  std::signal(SIGPIPE, SIG_IGN);
}

InterruptGuard::InterruptGuard() {
  interrupted = 0;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    Taken taken{signal, {}};
    sigaction(signal, nullptr, &taken.before);
    if (taken.before.sa_handler == SIG_IGN) continue;
    struct sigaction action {};
    action.sa_handler = note;
    sigemptyset(&action.sa_mask);
    sigaction(signal, &action, nullptr);
    taken_.push_back(taken);
  }
}

InterruptGuard::~InterruptGuard() {
  for (const Taken& taken : taken_) sigaction(taken.signal, &taken.before, nullptr);
}

const volatile std::sig_atomic_t* InterruptGuard::flag() const { return &interrupted; }
