#pragma once

#include <limits>
#include <memory>

#include "cotangent/monitor/monitor.hpp"
#include "cotangent/monitor/reference.hpp"

namespace cotangent {

/// The largest difference between the run and a reference, at the last time that the reference knows.
template <class T>
class ErrorMonitor final : public Monitor<T> {
 public:
  explicit ErrorMonitor(std::shared_ptr<Reference<T>> reference)
      : Monitor<T>("error"), reference_(std::move(reference)) {}

  bool is_of_point() const override { return false; }
  std::string remark() const override { return reference_->remark(); }
  const Reference<T>& reference() const { return *reference_; }
  void state(Archive& archive) override {
    Monitor<T>::state(archive);
    archive("last", last_);
  }

 private:
  void set_reference(const PhasePoint<T>& /*z*/) override { last_ = T(0); }
  T measure(const PhasePoint<T>& z) override {
    if (const auto error = reference_->error(z)) last_ = *error;
    return last_;
  }

  std::shared_ptr<Reference<T>> reference_;
  T last_ = T(0);
};

}  // namespace cotangent
