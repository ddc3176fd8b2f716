#pragma once

#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "cotangent/base/archive.hpp"
#include "cotangent/output/point_columns.hpp"
#include "cotangent/simulation/recorder.hpp"

namespace cotangent {

/// Keeps some numbers of each record, at equal distances of time and up to kLimits.samples of them: coordinates,
/// momenta, velocities, states, observables and what is monitored, by the names that they have in a file (`x`, `p_x`,
/// `v_x`, `r[1,2]`, `energy`).
template <class T>
class SignalRecorder final : public Recorder<T> {
 public:
  /// @param manifold must outlive this. @throws UnknownName
  SignalRecorder(const Model& model, Manifold<T>& manifold, const MonitorSet<T>& monitors,
                 const std::vector<std::string>& names)
      : columns_(model, manifold, monitors, names), samples_(names.size()) {}

  void record(const PhasePoint<T>& z, const MonitorSet<T>& monitors) override;

  const std::vector<std::string>& names() const { return columns_.names(); }

  /// The distance of two records; 0 while there are less than two.
  double spacing() const { return count_ > 1 ? std::abs(last_ - first_) / static_cast<double>(count_ - 1) : 0; }

  /// Signal k from the start up to the first that is not finite. The last point of a run is left out where it
  /// is not as far from the one before it as others are.
  std::span<const double> samples(std::size_t k) const { return samples_[k]; }

  /// For a checkpoint.
  void state(Archive& archive);

 private:
  PointColumns<T> columns_;
  std::vector<std::vector<double>> samples_;
  std::size_t count_ = 0;
  double first_ = 0, distance_ = 0, last_ = 0;  // the times of the first and the last record, and how far two are apart
  bool is_even_ = true;
};

COTANGENT_DECLARE(PRECISIONS, SignalRecorder);

}  // namespace cotangent
