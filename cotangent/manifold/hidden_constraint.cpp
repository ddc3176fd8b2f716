#include "cotangent/manifold/hidden_constraint.hpp"

#include "cotangent/base/instantiate.hpp"
#include "cotangent/system/directions.hpp"

namespace cotangent {

using namespace direction;
using Of = Contraction::Of;
using Result = Contraction::Result;

template <class T>
typename HiddenConstraint<T>::Pair HiddenConstraint<T>::pair(System<T>& system, Contraction contraction) {
  Contraction moving = contraction;
  moving.directions.back().t = true;
  return {Request<T>(system, std::move(contraction)), Request<T>(system, std::move(moving))};
}

template <class T>
HiddenConstraint<T>::HiddenConstraint(System<T>& system)
    : separable_(system.is_separable()),
      g_(system.g()),
      psi_(system.g_rate()),
      g_t_(system, {.of = Of::g, .directions = {kTime}}),
      G_times_(system.G_times()),
      G_transposed_times_(system.G_transposed_times()),
      curvature_(system, {.of = Of::weighted_g, .directions = {kPosition}, .result = Result::gradient_q}),
      motion_curvature_(system, {.of = Of::weighted_g, .directions = {kMotion}, .result = Result::gradient_q}),
      H_p_(system.H_p()),
      H_pp_times_(system.H_pp_times()),
      H_qp_times_(system, {.directions = {kMomentum}, .result = Result::gradient_q}),
      H_q_along_(system.H_q_along()),
      H_p_along_(system.H_p_along()),
      g_second_(pair(system, {.of = Of::g, .directions = {kMotion, kPosition}})),
      weighted_second_(pair(system, {.of = Of::weighted_g, .directions = {kPosition}, .result = Result::gradient_q})),
      weighted_third_(
          pair(system, {.of = Of::weighted_g, .directions = {kMotion, kPosition}, .result = Result::gradient_q})),
      dv_(pair(system, {.directions = {kBoth}, .result = Result::gradient_p})),
      H_third_q_(pair(system, {.directions = {kMomentum, kBoth}, .result = Result::gradient_q})),
      H_third_p_(pair(system, {.directions = {kMomentum, kBoth}, .result = Result::gradient_p})),
      frame_(system.frame()),
      z_(nullptr, nullptr, nullptr, T(0)),
      v_(static_cast<std::size_t>(system.n()), T(0)),
      W_(v_),
      third_W_(v_),
      dv_value_(v_),
      dW_(v_),
      x_(v_),
      rows_(static_cast<std::size_t>(system.m()), T(0)),
      norms_(2, T(0)) {
  frame_.out[out::norms] = norms_.data();
}

template <class T>
void HiddenConstraint<T>::call(const Request<T>& operation, T* result) {
  frame_.out[out::result] = result;
  operation(frame_);
}

template <class T>
void HiddenConstraint<T>::add(const Request<T>& operation, T* result) {
  if (operation.vanishes()) return;
  call(operation, x_.data());
  for (std::size_t j = 0; j < x_.size(); ++j) result[j] += x_[j];
}

template <class T>
void HiddenConstraint<T>::at(const PointRef<T>& z) {
  z_ = z;
  frame_.in[in::q] = z_.q;
  frame_.in[in::p] = z_.p;
  frame_.in[in::t] = &z_.t;
  call(H_p_, v_.data());
}

template <class T>
void HiddenConstraint<T>::g(T* rows) {
  call(g_, rows);
}

template <class T>
void HiddenConstraint<T>::g_at(const T* q, const T& t, T* rows) {
  frame_.in[in::q] = q;
  frame_.in[in::t] = &t;
  call(g_, rows);
  frame_.in[in::q] = z_.q;
  frame_.in[in::t] = &z_.t;
}

template <class T>
void HiddenConstraint<T>::psi(T* rows) {
  frame_.in[in::a_q] = v_.data();
  call(psi_, rows);
}

template <class T>
void HiddenConstraint<T>::minus_g_t(const T* q, const T& t, T* rows) {
  frame_.in[in::q] = q;
  frame_.in[in::t] = &t;
  call(g_t_, rows);
  for (std::size_t r = 0; r < rows_.size(); ++r) rows[r] = -rows[r];
  frame_.in[in::q] = z_.q;
  frame_.in[in::t] = &z_.t;
}

template <class T>
void HiddenConstraint<T>::push_forward(const T* x, T* rows) {
  frame_.in[in::a_q] = x;
  call(G_times_, rows);
}

template <class T>
void HiddenConstraint<T>::pull_back(const T* w, T* W) {
  frame_.in[in::weights] = w;
  call(G_transposed_times_, W);
}

template <class T>
void HiddenConstraint<T>::curvature(const T* w, const T* x, T* by_q) {
  frame_.in[in::weights] = w;
  frame_.in[in::a_q] = x;
  call(curvature_, by_q);
}

template <class T>
void HiddenConstraint<T>::curvature_along_motion(const T* w, T* by_q) {
  frame_.in[in::weights] = w;
  frame_.in[in::a_q] = v_.data();
  call(motion_curvature_, by_q);
}

template <class T>
void HiddenConstraint<T>::mass_inverse(const T* a, T* out) {
  frame_.in[in::a_p] = a;
  call(H_pp_times_, out);
}

template <class T>
void HiddenConstraint<T>::energy_second(const T* a, const T* b, T* by_q, T* by_p) {
  frame_.in[in::a_q] = a;
  frame_.in[in::a_p] = b;
  call(H_q_along_, by_q);
  call(H_p_along_, by_p);
}

template <class T>
void HiddenConstraint<T>::acceleration(const T* x, const T* y, T* v_dot) {
  frame_.in[in::a_q] = x;
  frame_.in[in::a_p] = y;
  call(dv_.moving, v_dot);
}

template <class T>
void HiddenConstraint<T>::gradient(const T* w, T* by_q, T* by_p) {
  pull_back(w, W_.data());
  mass_inverse(W_.data(), by_p);
  curvature_along_motion(w, by_q);
  if (!separable_) add(H_qp_times_, by_q);  // a_p is W still
}

template <class T>
void HiddenConstraint<T>::along(const T* x, const T* y, bool moving, T* rows) {
  frame_.in[in::a_q] = x;
  frame_.in[in::a_p] = y;
  call(dv_(moving), dv_value_.data());
  push_forward(dv_value_.data(), rows_.data());
  frame_.in[in::a_q] = v_.data();
  frame_.in[in::b_q] = x;
  call(g_second_(moving), rows);
  for (std::size_t r = 0; r < rows_.size(); ++r) rows[r] += rows_[r];
}

template <class T>
void HiddenConstraint<T>::second(const T* w, const T* x, const T* y, bool moving, T* by_q, T* by_p) {
  frame_.in[in::a_q] = x;
  frame_.in[in::a_p] = y;
  call(dv_(moving), dv_value_.data());
  frame_.in[in::weights] = w;
  call(weighted_second_(moving), dW_.data());

  frame_.in[in::a_q] = dv_value_.data();
  call(curvature_, by_q);
  frame_.in[in::a_q] = v_.data();
  frame_.in[in::b_q] = x;
  add(weighted_third_(moving), by_q);
  frame_.in[in::a_p] = dW_.data();
  call(H_pp_times_, by_p);
  if (!separable_) add(H_qp_times_, by_q);
  if (H_third_q_(moving).vanishes() && H_third_p_(moving).vanishes()) return;
  pull_back(w, third_W_.data());
  frame_.in[in::a_p] = third_W_.data();
  frame_.in[in::b_p] = y;
  add(H_third_q_(moving), by_q);
  add(H_third_p_(moving), by_p);
}

COTANGENT_INSTANTIATE(NUMBERS, HiddenConstraint);

}  // namespace cotangent
