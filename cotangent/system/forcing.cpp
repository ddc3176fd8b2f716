#include "cotangent/system/forcing.hpp"

#include "cotangent/base/instantiate.hpp"

namespace cotangent {

template <class T>
Forcing<T>::Forcing(System<T>& system)
    : system_(system),
      has_force_(!system.elements().forces.empty()),
      has_dissipation_(!system.elements().dissipation.empty()),
      has_time_(!system.elements().is_autonomous()),
      uses_multipliers_(system.elements().uses_multipliers()),
      zero_(static_cast<std::size_t>(system.n()), T(0)),
      x_(zero_) {}

template <class T>
void Forcing<T>::force(const PointRef<T>& z, const T* v, const T* lambda, T* F, T& power) {
  const At<T> at = system_.at(z).with(v, lambda);
  const std::size_t n = x_.size();
  at.H_q(F);
  for (std::size_t j = 0; j < n; ++j) F[j] = -F[j];
  power = T(0);
  const auto add = [&](LaneOf<T> sign) {
    for (std::size_t j = 0; j < n; ++j) {
      F[j] += T(sign) * x_[j];
      power += T(sign) * x_[j] * v[j];
    }
  };
  if (has_force_) {
    at.force(x_);
    add(1);
  }
  if (has_dissipation_) {
    at.D_v(x_);
    add(-1);
  }
}

template <class T>
void Forcing<T>::force_along(const PointRef<T>& z, const T* v, const T* lambda, const T* a_p, const T* a_v,
                             const T* a_s, const T* a_lambda, T* dF) {
  const At<T> at = system_.at(z).with(v, lambda);
  const typename At<T>::Kick a{a_p, a_v, a_s, a_lambda};
  const std::size_t n = x_.size();
  at.H_q_along(zero_, a_p, dF);
  for (std::size_t j = 0; j < n; ++j) dF[j] = -dF[j];
  if (has_force_) {
    at.force_along(a, x_);
    for (std::size_t j = 0; j < n; ++j) dF[j] += x_[j];
  }
  if (has_dissipation_) {
    at.D_v_along(a, x_);
    for (std::size_t j = 0; j < n; ++j) dF[j] -= x_[j];
  }
}

template <class T>
void Forcing<T>::rates(const PointRef<T>& z, const T* v, const T* lambda, const T& power, T* s_dot) {
  const At<T> at = system_.at(z).with(v, lambda);
  if (system_.elements().states > 0) at.rate(s_dot);
  if (!system_.has_work()) return;
  T& work = s_dot[system_.elements().states];
  work = power;
  if (!has_time_) return;
  work += at.H_t();
  if (system_.m() > 0 && lambda != nullptr) work += at.g_t_times(lambda);
}

template <class T>
void Forcing<T>::rates_along(const PointRef<T>& z, const T* v, const T* lambda, const T* a_p, const T* a_v,
                             const T* a_s, const T* a_lambda, T* ds) {
  if (system_.has_work()) ds[system_.elements().states] = T(0);
  if (system_.elements().states > 0) system_.at(z).with(v, lambda).rate_along({a_p, a_v, a_s, a_lambda}, ds);
}

COTANGENT_INSTANTIATE(NUMBERS, Forcing);

}  // namespace cotangent
