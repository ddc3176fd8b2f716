#include "cotangent/manifold/hidden_constraint.hpp"

#include "cotangent/base/instantiate.hpp"

namespace cotangent {

template <class T>
HiddenConstraint<T>::HiddenConstraint(System<T>& system)
    : At<T>(system, {nullptr, nullptr, nullptr, T(0)}),
      system_(system),
      has_H_qp_(!system.is_separable() && !system.vanishes(Derivative::H_qp_times)),
      v_(static_cast<std::size_t>(system.n()), T(0)),
      W_(v_),
      dv_(v_),
      dW_(v_),
      x_(v_),
      rows_(static_cast<std::size_t>(system.m()), T(0)) {}

template <class T>
void HiddenConstraint<T>::at(const PointRef<T>& z) {
  static_cast<At<T>&>(*this) = system_.at(z);
  this->H_p(v_);
}

template <class T>
void HiddenConstraint<T>::gradient(const T* w, T* by_q, T* by_p) {
  this->Gt_times(w, W_);
  this->H_pp_times(W_, by_p);
  curvature_along_motion(w, by_q);
  if (!has_H_qp_) return;
  this->H_qp_times(W_, x_);
  add_to(by_q);
}

template <class T>
void HiddenConstraint<T>::along(const T* x, const T* y, Time c, T* rows) {
  this->H_p_along(x, y, c, dv_);
  this->G_times(dv_, rows_);
  this->g_second(v_, x, c, rows);
  for (std::size_t r = 0; r < rows_.size(); ++r) rows[r] += rows_[r];
}

template <class T>
void HiddenConstraint<T>::second(const T* w, const T* x, const T* y, Time c, T* by_q, T* by_p) {
  const auto vanishes = [&](Derivative held, Derivative moving) {
    return system_.vanishes(c == Time::moves ? moving : held);
  };
  this->H_p_along(x, y, c, dv_);
  this->curvature(w, x, c, dW_);
  this->curvature(w, dv_, Time::held, by_q);
  if (!vanishes(Derivative::third, Derivative::third_t)) {
    this->third(w, v_, x, c, x_);
    add_to(by_q);
  }
  this->H_pp_times(dW_, by_p);
  if (has_H_qp_) {
    this->H_qp_times(dW_, x_);
    add_to(by_q);
  }
  const bool has_q = !vanishes(Derivative::H_q_third, Derivative::H_q_third_t);
  const bool has_p = !vanishes(Derivative::H_p_third, Derivative::H_p_third_t);
  if (has_q || has_p) this->Gt_times(w, W_);
  if (has_q) {
    this->H_q_third(W_, x, y, c, x_);
    add_to(by_q);
  }
  if (has_p) {
    this->H_p_third(W_, x, y, c, x_);
    add_to(by_p);
  }
}

COTANGENT_INSTANTIATE(NUMBERS, HiddenConstraint);

}  // namespace cotangent
