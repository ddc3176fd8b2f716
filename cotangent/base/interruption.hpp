#pragma once

#include <algorithm>
#include <chrono>
#include <csignal>
#include <exception>

namespace cotangent {

/// Ends a step that is given up.
class Interrupted final : public std::exception {
 public:
  const char* what() const noexcept override { return "interrupted"; }
};

/// A request to stop a run. It ends after the step during which the request comes, and a checkpoint is right there; but
/// a step that takes much longer is given up in the middle.
class Interruption {
 public:
  /// @param flag becomes nonzero, in the handler of a signal; none: there are no requests.
  explicit Interruption(const volatile std::sig_atomic_t* flag) : flag_(flag) {}

  bool is_requested() const { return flag_ && *flag_ != 0; }

  /// For long loops inside a step. @throws Interrupted if there was a request kPatience ago.
  void check() {
    if (!is_requested()) return;
    const auto now = Clock::now();
    last_ = std::min(last_, now + kPatience);
    if (now >= last_) throw Interrupted();
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::seconds kPatience{1};  // as long as people wait before they ask again

  const volatile std::sig_atomic_t* flag_;
  Clock::time_point last_ = Clock::time_point::max();  // kPatience after a request was seen
};

}  // namespace cotangent
