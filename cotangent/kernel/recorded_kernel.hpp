#pragma once

#include <cstdint>
#include <vector>

#include "cotangent/base/traced.hpp"
#include "cotangent/kernel/plan.hpp"

namespace cotangent {

/// Recordings of the same code as a repeated kernel (see KernelSpec::Repeat). Where their choices come out differently
/// their ways part: a pass goes the one that has been recorded for its numbers, and counts if there is one.
/// Instructions are those of the recordings, in number and kind: nothing is fused or rounded anew.
class RecordedKernel {
 public:
  struct Place {
    int vector;
    std::int64_t at;
    bool operator==(const Place&) const = default;
  };

  /// @param inputs where the inputs of recordings come from, in their order.
  /// @param results where their results go to, in their order, all to different places; the next pass loads from there.
  /// @param passes, done vectors that have no other numbers.
  RecordedKernel(std::vector<Place> inputs, std::vector<Place> results, int passes, int done);

  enum class Added : std::uint8_t {
    yes,
    known,  ///< there is a way with the same choices
    other,  ///< while it made the same choices the code has not done the same: that hangs on something that is no
            ///< number
  };
  /// One way more, if it is one. @pre the recording has not failed.
  Added add(Recording& recording, const std::vector<Traced>& results);

  KernelPlan plan() const;

 private:
  struct Way {
    std::vector<Recording::Operation> operations;
    std::vector<Recording::Choice> choices;
    std::vector<double> constants;
    std::vector<Recording::Id> results;
  };
  class Planner;

  std::vector<Place> inputs_, results_;
  int passes_, done_;
  std::vector<Way> ways_;
};

}  // namespace cotangent
