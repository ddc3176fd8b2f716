#pragma once

#include <utility>

#include "cotangent/base/interruption.hpp"

namespace cotangent {

/// While it lives, steps that this thread makes can be given up in the middle: each stage and each iterate of a solve
/// asks check_interruption() before it is evaluated. The inner one of two counts; with a null pointer what it surrounds
/// stays whole.
class Interruptible {
 public:
  explicit Interruptible(Interruption* by) : before_(std::exchange(now(), by)) {}
  ~Interruptible() { now() = before_; }
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;

  static Interruption*& now() {
    static thread_local Interruption* current = nullptr;
    return current;
  }

 private:
  Interruption* before_;
};

/// @throws Interrupted if the step that this is a part of is given up.
inline void check_interruption() {
  if (Interruption* interruption = Interruptible::now()) interruption->check();
}

}  // namespace cotangent
