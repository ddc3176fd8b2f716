#pragma once

#include <string>

#include "cotangent/base/archive.hpp"
#include "cotangent/base/phase_point.hpp"

namespace cotangent {

/// Watches one number along a trajectory: its value now, and the largest so far. Reads points, never changes
/// them. A value that is not a number stays in the maximum.
///
/// What is watched is mostly a change or a residual, which counts by its magnitude; its sign is in signal().
template <class T>
class Monitor {
 public:
  virtual ~Monitor() = default;

  const std::string& name() const { return name_; }

  /// What it is one of, under which it is reported: "invariants"; empty for most.
  const std::string& group() const { return group_; }

  /// Its name among all: "energy", "invariants.L".
  std::string full_name() const { return group_.empty() ? name_ : group_ + '.' + name_; }

  /// Begins a trajectory at z, which also is its first point.
  void start(const PhasePoint<T>& z);

  /// Takes the next point.
  void observe(const PhasePoint<T>& z);

  /// Forgets the last observed point. At most once for each point.
  void take_back();

  const T& current() const { return current_; }
  const T& largest() const { return largest_; }
  const T& signal() const { return signal_; }

  /// Whether current() and largest() are those of a number that may be negative, not of its magnitude.
  virtual bool has_sign() const { return false; }

  /// Whether the number is one of the point, so that the point is of no use if the number is not finite.
  virtual bool is_of_point() const { return true; }

  /// What is to be told after a run in which it could not be measured to the end; empty for most.
  virtual std::string remark() const { return {}; }

  /// All that it remembers of the trajectory, for a checkpoint.
  virtual void state(Archive& archive) {
    archive("current", current_);
    archive("largest", largest_);
    archive("signal", signal_);
  }

 protected:
  explicit Monitor(std::string name, std::string group = {}) : name_(std::move(name)), group_(std::move(group)) {}

 private:
  /// Keeps what later points are measured against.
  virtual void set_reference(const PhasePoint<T>&) {}
  /// The signal at z. Does not allocate.
  virtual T measure(const PhasePoint<T>& z) = 0;

  T look(const PhasePoint<T>& z) {
    signal_ = measure(z);
    return has_sign() ? signal_ : abs(signal_);
  }

  std::string name_, group_;
  T current_ = T(0), largest_ = T(0), signal_ = T(0);
  T current_before_ = T(0), largest_before_ = T(0), signal_before_ = T(0);
};

template <class T>
void Monitor<T>::start(const PhasePoint<T>& z) {
  set_reference(z);
  current_ = largest_ = look(z);
  current_before_ = largest_before_ = current_;
  signal_before_ = signal_;
}

template <class T>
void Monitor<T>::observe(const PhasePoint<T>& z) {
  current_before_ = current_;
  largest_before_ = largest_;
  signal_before_ = signal_;
  current_ = look(z);
  largest_ = select((largest_ < current_) | (current_ != current_), current_, largest_);
}

template <class T>
void Monitor<T>::take_back() {
  current_ = current_before_;
  largest_ = largest_before_;
  signal_ = signal_before_;
}

}  // namespace cotangent
