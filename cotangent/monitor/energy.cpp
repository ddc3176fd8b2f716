#include "cotangent/monitor/energy.hpp"

#include "cotangent/base/instantiate.hpp"

namespace cotangent {

template <class T>
EnergyMonitor<T>::EnergyMonitor(Manifold<T>& manifold)
    : Monitor<T>("energy"),
      H_(manifold.system().H()),
      frame_(manifold.system().frame()),
      has_work_(manifold.system().has_work()) {
  frame_.in[in::t] = &t_;
  frame_.out[out::result] = &value_;
}

// H - W.
template <class T>
T EnergyMonitor<T>::closed_energy(const PhasePoint<T>& z) {
  t_ = T(z.t);
  frame_.in[in::q] = z.q.data();
  frame_.in[in::p] = z.p.data();
  H_(frame_);
  return has_work_ ? value_ - z.s.back() : value_;
}

COTANGENT_INSTANTIATE(VALUES, EnergyMonitor);

}  // namespace cotangent
