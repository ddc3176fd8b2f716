#pragma once

#include <memory>
#include <vector>

#include "cotangent/monitor/monitor.hpp"
#include "cotangent/monitor/point_values.hpp"

namespace cotangent {

/// |I - I(0)| of one declared invariant; the largest of its numbers if there are several.
template <class T>
class InvariantMonitor final : public Monitor<T> {
 public:
  /// @param values may be shared by the invariants of a system, which are computed together.
  InvariantMonitor(const NamedRows& rows, std::shared_ptr<PointValues<T>> values)
      : Monitor<T>(rows.name, "invariants"),
        first_(static_cast<std::size_t>(rows.first)),
        values_(std::move(values)),
        reference_(static_cast<std::size_t>(rows.count)) {}

  void state(Archive& archive) override {
    Monitor<T>::state(archive);
    archive("reference", reference_);
  }

 private:
  void set_reference(const PhasePoint<T>& z) override {
    const auto& all = values_->invariants(z);
    for (std::size_t k = 0; k < reference_.size(); ++k) reference_[k] = all[first_ + k];
  }

  T measure(const PhasePoint<T>& z) override {
    const auto& all = values_->invariants(z);
    T largest(0);
    for (std::size_t k = 0; k < reference_.size(); ++k) {
      const T change = all[first_ + k] - reference_[k];
      // A change that is not a number stays.
      largest = select((abs(largest) < abs(change)) | (change != change), change, largest);
    }
    return largest;
  }

  std::size_t first_;
  std::shared_ptr<PointValues<T>> values_;
  std::vector<T> reference_;
};

}  // namespace cotangent
