#include "process_clock.hpp"

#include <time.h>

#include <chrono>

namespace {

double seconds_before_main = 0;
std::chrono::steady_clock::time_point start_of_main;

}  // namespace

void start_process_clock() {
  timespec spent{};
  if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &spent) == 0)
    seconds_before_main = static_cast<double>(spent.tv_sec) + 1e-9 * static_cast<double>(spent.tv_nsec);
  start_of_main = std::chrono::steady_clock::now();
}

double process_seconds() {
  return seconds_before_main + std::chrono::duration<double>(std::chrono::steady_clock::now() - start_of_main).count();
}
