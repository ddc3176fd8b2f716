#include "cotangent/system/legendre/momentum_map.hpp"

#include <algorithm>
#include <stdexcept>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/system/legendre/legendre.hpp"

namespace cotangent {

template <class T>
MomentumMap<T>::MomentumMap(System<T>& system)
    : system_(system), p_(static_cast<std::size_t>(system.n()), T(0)), zero_(p_), rest_(p_) {
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
  inverse_.emplace(system, Contraction::Of::H, Space::p);
}

template <class T>
Mask<T> MomentumMap<T>::at(const T* q, const T* v, const T& t) {
  q_ = q;
  v_ = v;
  t_ = t;
  if (system_.legendre()) {
    here().L_v(p_);
  } else if (const auto& W = system_.diagonal_mass()) {
    // H_p = W p + H_p(q, 0, t)
    std::fill(p_.begin(), p_.end(), T(0));
    here().H_p(rest_);
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
    here().L_vv_times(a, result);
  } else if (const auto& W = system_.diagonal_mass()) {
    for (std::size_t j = 0; j < p_.size(); ++j) result[j] = a[j] / (*W)[j];
  } else {
    std::copy_n(a, p_.size(), result);
    inverse_->solve(q_, v_, t_, result);
  }
}

template <class T>
void MomentumMap<T>::rate(const T* a, T* p_dot) {
  if (system_.legendre()) {
    here().L_v_rate(a, v_, p_dot);
    return;
  }
  here().H_p_along(v_, zero_, Time::moves, rest_);
  for (std::size_t j = 0; j < p_.size(); ++j) rest_[j] = a[j] - rest_[j];
  mass_times(rest_.data(), p_dot);
}

COTANGENT_INSTANTIATE(NUMBERS, MomentumMap);

}  // namespace cotangent
