#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cotangent/base/archive.hpp"
#include "cotangent/base/phase_point.hpp"

namespace cotangent {

/// What a monitor watches, as functions. They do not allocate after the start.
template <class T>
struct Watched {
  /// The signal at z. @param kept numbers of the trajectory, such as those of the start, which keep() sets there.
  std::function<T(const PhasePoint<T>& z, std::vector<T>& kept)> measure;
  std::function<void(const PhasePoint<T>& z, std::vector<T>& kept)> keep = {};
  bool is_of_point = true;  ///< one of the point, which is of no use if the number is not finite
  bool has_sign = false;    ///< it may be negative; others count by their magnitude
  /// What is to be told after a run in which it could not be measured to the end.
  std::function<std::string(const std::string& name)> remark = {};
  /// What rounding errors of one unit in each step come to, where that is known.
  std::function<double()> rounding = {};
};

/// Watches one number along a trajectory: its value now, and the largest so far. Reads points, never changes
/// them. A value that is not a number stays in the maximum.
///
/// What is watched is mostly a change or a residual, which counts by its magnitude; its sign is in signal().
template <class T>
class Monitor {
 public:
  Monitor(std::string name, std::string group, Watched<T> watched)
      : name_(std::move(name)), group_(std::move(group)), watched_(std::move(watched)) {}

  const std::string& name() const { return name_; }

  /// What it is one of, under which it is reported: "invariants"; empty for most.
  const std::string& group() const { return group_; }

  /// Its name among all: "energy", "invariants.L".
  std::string full_name() const { return group_.empty() ? name_ : group_ + '.' + name_; }

  /// Begins a trajectory at z, which also is its first point.
  void start(const PhasePoint<T>& z) {
    if (watched_.keep) watched_.keep(z, kept_);
    now_ = {};
    look(z);
    now_.largest = now_.current;
    before_ = now_;
  }

  /// Takes the next point.
  void observe(const PhasePoint<T>& z) {
    before_ = now_;
    look(z);
    now_.largest = select((now_.largest < now_.current) | (now_.current != now_.current), now_.current, now_.largest);
  }

  /// Takes several points of which somebody else has the signal at the last one, and its largest magnitude.
  void take(const T& signal, const T& largest) {
    before_ = now_;
    now_ = {.current = abs(signal), .largest = largest, .signal = signal};
  }

  /// Numbers of the trajectory, such as those of the start: see Watched.
  const std::vector<T>& kept() const { return kept_; }

  /// Forgets the last observed point. At most once for each point.
  void take_back() { now_ = before_; }

  const T& current() const { return now_.current; }
  const T& largest() const { return now_.largest; }
  const T& signal() const { return now_.signal; }

  /// See Watched. A remark is empty, and rounding errors are 0, for most.
  bool has_sign() const { return watched_.has_sign; }
  bool is_of_point() const { return watched_.is_of_point; }
  std::string remark() const { return watched_.remark ? watched_.remark(name_) : std::string(); }
  double rounding() const { return watched_.rounding ? watched_.rounding() : 0; }

  /// All that it remembers of the trajectory, for a checkpoint.
  void state(Archive& archive) {
    archive("current", now_.current);
    archive("largest", now_.largest);
    archive("signal", now_.signal);
    archive("kept", kept_);
  }

 private:
  void look(const PhasePoint<T>& z) {
    now_.signal = watched_.measure(z, kept_);
    now_.current = has_sign() ? now_.signal : abs(now_.signal);
  }

  struct Values {
    T current = T(0), largest = T(0), signal = T(0);
  };
  std::string name_, group_;
  Watched<T> watched_;
  std::vector<T> kept_;
  Values now_, before_;
};

}  // namespace cotangent
