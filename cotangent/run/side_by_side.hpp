#pragma once

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstddef>
#include <thread>
#include <vector>

namespace cotangent {

/// Calls f(0), ..., f(count - 1), several at a time, begun in this order. @param threads 0: as many as there are
/// processors. @param stop nonzero: no further call is begun. @param f must not throw.
template <class F>
void side_by_side(std::size_t count, int threads, const volatile std::sig_atomic_t* stop, const F& f) {
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t k = next++; k < count && !(stop && *stop != 0); k = next++) f(k);
  };
  const int wanted = threads > 0 ? threads : static_cast<int>(std::thread::hardware_concurrency());
  std::vector<std::jthread> others;
  for (int k = 1; k < wanted; ++k) others.emplace_back(work);
  work();
}

}  // namespace cotangent
