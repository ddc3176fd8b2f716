#include "cotangent/system/momentum_map.hpp"

#include <algorithm>
#include <stdexcept>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/system/legendre.hpp"

namespace cotangent {
namespace {

using Of = Contraction::Of;
using Result = Contraction::Result;

}  // namespace

template <class T>
MomentumMap<T>::MomentumMap(System<T>& system)
    : system_(system),
      H_p_(system.H_p()),
      H_p_rate_(system.H_p_rate()),
      L_v_(system, {.of = Of::L, .result = Result::gradient_v}),
      L_vv_times_(system, {.of = Of::L, .directions = {{.q = false, .v = true}}, .result = Result::gradient_v}),
      L_v_rate_(system, {.of = Of::L, .directions = {{.q = true, .v = true, .t = true}}, .result = Result::gradient_v}),
      frame_(system.frame()),
      p_(static_cast<std::size_t>(system.n()), T(0)),
      zero_(p_),
      rest_(p_) {
  if (system.legendre()) return;
  if (system.source())
    throw std::invalid_argument(
        "formulations in velocities need H_pp by its entries, which a black box does not give: use one in momenta, "
        "such "
        "as 'standard'");
  if (const auto& W = system.diagonal_mass()) {
    if (std::any_of(W->begin(), W->end(), [](const T& w) { return all(w == T(0)); }))
      throw std::invalid_argument("H does not depend on some momentum: velocities do not determine it");
    return;
  }
  inverse_.emplace(system, Of::H, Space::p);
}

template <class T>
void MomentumMap<T>::call(const Request<T>& operation, T* result) {
  frame_.out[out::result] = result;
  operation(frame_);
}

template <class T>
Mask<T> MomentumMap<T>::at(const T* q, const T* v, const T& t) {
  q_ = q;
  v_ = v;
  t_ = t;
  frame_.in[in::q] = q;
  frame_.in[in::v] = v;
  frame_.in[in::t] = &t_;
  frame_.in[in::p] = p_.data();
  if (system_.legendre()) {
    call(L_v_, p_.data());
  } else if (const auto& W = system_.diagonal_mass()) {
    // H_p = W p + H_p(q, 0, t)
    std::fill(p_.begin(), p_.end(), T(0));
    call(H_p_, rest_.data());
    for (std::size_t j = 0; j < p_.size(); ++j) p_[j] = (v[j] - rest_[j]) / (*W)[j];
  } else {
    p_ = (*inverse_)(q, v, t);
  }
  Mask<T> found(true);
  for (const T& p : p_) found = found & isfinite(p);
  return found;
}

template <class T>
void MomentumMap<T>::mass_times(const T* a, T* result) {
  if (system_.legendre()) {
    frame_.in[in::a_v] = a;
    call(L_vv_times_, result);
  } else if (const auto& W = system_.diagonal_mass()) {
    for (std::size_t j = 0; j < p_.size(); ++j) result[j] = a[j] / (*W)[j];
  } else {
    std::copy_n(a, p_.size(), result);
    inverse_->solve(q_, v_, t_, result);
  }
}

template <class T>
void MomentumMap<T>::rate(const T* a, T* p_dot) {
  frame_.in[in::a_q] = v_;
  if (system_.legendre()) {
    frame_.in[in::a_v] = a;
    call(L_v_rate_, p_dot);
    return;
  }
  frame_.in[in::a_p] = zero_.data();
  call(H_p_rate_, rest_.data());
  for (std::size_t j = 0; j < p_.size(); ++j) rest_[j] = a[j] - rest_[j];
  mass_times(rest_.data(), p_dot);
}

COTANGENT_INSTANTIATE(NUMBERS, MomentumMap);

}  // namespace cotangent
