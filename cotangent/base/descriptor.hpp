#pragma once

#include <unistd.h>

#include <utility>

namespace cotangent {

/// An open file of the system, closed in the end.
class Descriptor {
 public:
  /// @param number as open() returns it; negative: none.
  explicit Descriptor(int number = -1) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }

  explicit operator bool() const { return number_ >= 0; }
  int get() const { return number_; }

  /// Closes it. @return 0, or -1 with a reason in errno: some file systems write only now.
  int close() { return ::close(std::exchange(number_, -1)); }

 private:
  int number_;
};

}  // namespace cotangent
