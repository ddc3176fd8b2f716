#include "cotangent/system/forcing.hpp"

#include "cotangent/base/instantiate.hpp"

namespace cotangent {

template <class T>
Forcing<T>::Forcing(System<T>& system)
    : system_(system),
      H_q_(system.H_q()),
      H_q_along_(system.H_q_along()),
      H_t_(system.H_t()),
      force_(system.force()),
      force_along_(system.force_along()),
      D_v_(system.D_v()),
      D_v_along_(system.D_v_along()),
      rate_(system.rate()),
      rate_along_(system.rate_along()),
      weighted_g_t_(system.weighted_g_t()),
      frame_(system.frame()),
      has_force_(!system.elements().forces.empty()),
      has_dissipation_(!system.elements().dissipation.empty()),
      has_time_(!system.elements().is_autonomous()),
      uses_multipliers_(system.elements().uses_multipliers()),
      zero_(static_cast<std::size_t>(system.n()), T(0)),
      x_(zero_) {}

template <class T>
void Forcing<T>::set(const PointRef<T>& z, const T* v, const T* lambda) {
  frame_.in[in::q] = z.q;
  frame_.in[in::p] = z.p;
  frame_.in[in::s] = z.s;
  frame_.in[in::t] = &z.t;
  frame_.in[in::v] = v;
  frame_.in[in::lambda] = lambda;
}

template <class T>
void Forcing<T>::force(const PointRef<T>& z, const T* v, const T* lambda, T* F, T& power) {
  set(z, v, lambda);
  const std::size_t n = x_.size();
  frame_.out[out::result] = F;
  H_q_(frame_);
  for (std::size_t j = 0; j < n; ++j) F[j] = -F[j];
  power = T(0);
  const auto add = [&](const Request<T>& operation, LaneOf<T> sign) {
    frame_.out[out::result] = x_.data();
    operation(frame_);
    for (std::size_t j = 0; j < n; ++j) {
      F[j] += T(sign) * x_[j];
      power += T(sign) * x_[j] * v[j];
    }
  };
  if (has_force_) add(force_, 1);
  if (has_dissipation_) add(D_v_, -1);
}

template <class T>
void Forcing<T>::force_along(const PointRef<T>& z, const T* v, const T* lambda, const T* a_p, const T* a_v,
                             const T* a_s, const T* a_lambda, T* dF) {
  set(z, v, lambda);
  const std::size_t n = x_.size();
  frame_.in[in::a_q] = zero_.data();
  frame_.in[in::a_p] = a_p;
  frame_.in[in::a_v] = a_v;
  frame_.in[in::a_s] = a_s;
  frame_.in[in::a_lambda] = a_lambda;
  frame_.out[out::result] = dF;
  H_q_along_(frame_);
  for (std::size_t j = 0; j < n; ++j) dF[j] = -dF[j];
  frame_.out[out::result] = x_.data();
  if (has_force_) {
    force_along_(frame_);
    for (std::size_t j = 0; j < n; ++j) dF[j] += x_[j];
  }
  if (has_dissipation_) {
    D_v_along_(frame_);
    for (std::size_t j = 0; j < n; ++j) dF[j] -= x_[j];
  }
}

template <class T>
void Forcing<T>::rates(const PointRef<T>& z, const T* v, const T* lambda, const T& power, T* s_dot) {
  set(z, v, lambda);
  if (system_.elements().states > 0) {
    frame_.out[out::result] = s_dot;
    rate_(frame_);
  }
  if (!system_.has_work()) return;
  T& work = s_dot[system_.elements().states];
  work = power;
  if (!has_time_) return;
  T part(0);
  frame_.out[out::result] = &part;
  H_t_(frame_);
  work += part;
  if (system_.m() == 0) return;
  frame_.in[in::weights] = lambda;
  weighted_g_t_(frame_);
  work += part;
}

template <class T>
void Forcing<T>::rates_along(const PointRef<T>& z, const T* v, const T* lambda, const T* a_p, const T* a_v,
                             const T* a_s, const T* a_lambda, T* ds) {
  if (system_.has_work()) ds[system_.elements().states] = T(0);
  if (system_.elements().states == 0) return;
  set(z, v, lambda);
  frame_.in[in::a_p] = a_p;
  frame_.in[in::a_v] = a_v;
  frame_.in[in::a_s] = a_s;
  frame_.in[in::a_lambda] = a_lambda;
  frame_.out[out::result] = ds;
  rate_along_(frame_);
}

COTANGENT_INSTANTIATE(NUMBERS, Forcing);

}  // namespace cotangent
