#include "cotangent/output/signal_recorder.hpp"

#include <cmath>

#include "cotangent/base/limits.hpp"

namespace cotangent {

template <class T>
void SignalRecorder<T>::record(const PhasePoint<T>& z, const MonitorSet<T>& monitors) {
  if (!is_even_ || count_ >= kLimits.samples) return;
  const auto t = static_cast<double>(z.t);
  const double distance = std::abs(t - last_);
  if (count_ == 0) first_ = t;
  if (count_ == 1) distance_ = distance;
  is_even_ = count_ < 2 || std::abs(distance - distance_) < 1e-3 * distance_;
  if (!is_even_) return;
  ++count_;
  last_ = t;
  const std::vector<T>& row = columns_(z, monitors);
  for (std::size_t k = 0; k < row.size(); ++k)
    if (const auto x = static_cast<double>(row[k]); std::isfinite(x) && samples_[k].size() + 1 == count_)
      samples_[k].push_back(x);
}

template <class T>
void SignalRecorder<T>::state(Archive& archive) {
  const std::size_t signals = samples_.size();
  archive("samples", samples_);
  if (samples_.size() != signals) archive.fail("there are other signals");
  archive("count", count_, "first", first_, "distance", distance_, "last", last_, "is_even", is_even_);
}

COTANGENT_INSTANTIATE(PRECISIONS, SignalRecorder);

}  // namespace cotangent
