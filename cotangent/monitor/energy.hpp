#pragma once

#include "cotangent/manifold/manifold.hpp"
#include "cotangent/monitor/monitor.hpp"

namespace cotangent {

/// |H(q, p, t) - w - H(0)|, with the work w that forces, a time-dependent H and moving constraints have done.
template <class T>
class EnergyMonitor final : public Monitor<T> {
 public:
  /// @param manifold must outlive the monitor.
  explicit EnergyMonitor(Manifold<T>& manifold);

 private:
  void set_reference(const PhasePoint<T>& z) override { reference_ = H(z); }
  T measure(const PhasePoint<T>& z) override { return abs(H(z) - reference_); }
  T H(const PhasePoint<T>& z);

  Request<T> H_;
  Frame<T> frame_;
  bool has_work_;
  T value_ = T(0), reference_ = T(0);
};

extern template class EnergyMonitor<double>;
extern template class EnergyMonitor<long double>;
extern template class EnergyMonitor<Quad>;
extern template class EnergyMonitor<Lanes>;

}  // namespace cotangent
