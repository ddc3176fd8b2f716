#include "cotangent/monitor/energy.hpp"

#include "cotangent/base/instantiate.hpp"

namespace cotangent {

template <class T>
EnergyMonitor<T>::EnergyMonitor(Manifold<T>& manifold) : Monitor<T>("energy"), system_(manifold.system()) {}

// H - W.
template <class T>
T EnergyMonitor<T>::closed_energy(const PhasePoint<T>& z) {
  const T H = system_.at(z).H();
  return system_.has_work() ? H - z.s.back() : H;
}

COTANGENT_INSTANTIATE(VALUES, EnergyMonitor);

}  // namespace cotangent
