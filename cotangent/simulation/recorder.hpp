#pragma once

#include "cotangent/base/point.hpp"
#include "cotangent/monitor/registry.hpp"

namespace cotangent {

/// Takes the points of a trajectory that are to be kept.
template <class T>
class Recorder {
 public:
  virtual ~Recorder() = default;

  /// @param monitors have observed z. @throws std::runtime_error if the point cannot be kept. The run ends after the
  /// step then; further points of this step may come.
  virtual void record(const PhasePoint<T>& z, const MonitorSet<T>& monitors) = 0;

  /// The same of a point that a step has led to, for those who look at the variables of its formulation as well.
  virtual void record_step(const Point<T>& z, const MonitorSet<T>& monitors) { record(z, monitors); }

  /// Before a checkpoint: everything so far is where it is to be, in case the power fails.
  /// @throws std::runtime_error if something could not be kept.
  virtual void flush() {}

  /// After the last record. @throws std::runtime_error if something could not be kept.
  virtual void finish() {}
};

}  // namespace cotangent
