#include "cotangent/monitor/energy.hpp"

namespace cotangent {

template <class T>
EnergyMonitor<T>::EnergyMonitor(Manifold<T>& manifold)
    : Monitor<T>("energy"), H_(manifold.system().H()), frame_(manifold.system().frame()) {}

template <class T>
T EnergyMonitor<T>::H(const PhasePoint<T>& z) {
  frame_.in[in::q] = z.q.data();
  frame_.in[in::p] = z.p.data();
  frame_.out[out::result] = &value_;
  H_(frame_);
  return value_;
}

template class EnergyMonitor<double>;
template class EnergyMonitor<long double>;
template class EnergyMonitor<Quad>;
template class EnergyMonitor<Lanes>;

}  // namespace cotangent
