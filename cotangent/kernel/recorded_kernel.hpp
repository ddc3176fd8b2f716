#pragma once

#include <cstdint>
#include <vector>

#include "cotangent/base/traced.hpp"
#include "cotangent/kernel/plan.hpp"

namespace cotangent {

/// A recording as a repeated kernel (see KernelSpec::Repeat): a pass counts if all choices come out as they did when it
/// was recorded. Instructions are those of the recording, in number and kind: nothing is fused or rounded anew.
struct RecordedKernel {
  struct Place {
    int vector;
    std::int64_t at;
    bool operator==(const Place&) const = default;
  };
  struct Result {
    Traced value;
    Place to;
  };

  std::vector<Place> inputs;    ///< of the recording, in their order
  std::vector<Result> results;  ///< the next pass loads from there
  int passes, done;             ///< vectors that have no other numbers

  /// @pre the recording has not failed.
  KernelPlan plan(Recording& recording) const;
};

}  // namespace cotangent
