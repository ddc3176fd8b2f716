#include "cotangent/system/at.hpp"

#include "cotangent/system/system.hpp"

namespace cotangent {

// Sets all of the point: whoever comes next has another one.
template <class T>
template <class... Arguments>
void At<T>::call(Derivative derivative, T* result, const Arguments&... arguments) const {
  Frame<T>& frame = system_->frame_;
  frame.in[in::q] = q_;
  frame.in[in::p] = p_;
  frame.in[in::v] = v_;
  frame.in[in::s] = s_;
  frame.in[in::lambda] = lambda_;
  frame.in[in::t] = &t_;
  ((frame.in[static_cast<std::size_t>(arguments.vector)] = arguments.x), ...);
  frame.out[out::result] = result;
  system_->operation(derivative)(frame);
}

template <class T>
template <class... Arguments>
RowSize<T> At<T>::size(Derivative derivative, T* rows, const Arguments&... arguments) const {
  call(derivative, rows, arguments...);
  return {system_->norms_[0], system_->norms_[1]};
}

template <class T>
T At<T>::H() const {
  T value(0);
  call(Derivative::H, &value);
  return value;
}

template <class T>
T At<T>::H_t() const {
  T value(0);
  call(Derivative::H_t, &value);
  return value;
}

template <class T>
void At<T>::H_q(Writes<T> f) const {
  call(Derivative::H_q, f);
}

template <class T>
void At<T>::H_p(Writes<T> v) const {
  call(Derivative::H_p, v);
}

template <class T>
void At<T>::H_pp_times(Reads<T> a, Writes<T> out) const {
  call(Derivative::H_pp_times, out, Argument{in::a_p, a});
}

template <class T>
void At<T>::H_qp_times(Reads<T> a, Writes<T> out) const {
  call(Derivative::H_qp_times, out, Argument{in::a_p, a});
}

template <class T>
void At<T>::H_q_along(Reads<T> a, Reads<T> b, Writes<T> out) const {
  call(Derivative::H_q_along, out, Argument{in::a_q, a}, Argument{in::a_p, b});
}

template <class T>
void At<T>::H_p_along(Reads<T> a, Reads<T> b, Time c, Writes<T> out) const {
  call(c == Time::moves ? Derivative::H_p_along_t : Derivative::H_p_along, out, Argument{in::a_q, a},
       Argument{in::a_p, b});
}

template <class T>
void At<T>::H_q_third(Reads<T> W, Reads<T> x, Reads<T> y, Time c, Writes<T> out) const {
  call(c == Time::moves ? Derivative::H_q_third_t : Derivative::H_q_third, out, Argument{in::a_p, W},
       Argument{in::b_q, x}, Argument{in::b_p, y});
}

template <class T>
void At<T>::H_p_third(Reads<T> W, Reads<T> x, Reads<T> y, Time c, Writes<T> out) const {
  call(c == Time::moves ? Derivative::H_p_third_t : Derivative::H_p_third, out, Argument{in::a_p, W},
       Argument{in::b_q, x}, Argument{in::b_p, y});
}

template <class T>
void At<T>::L_v(Writes<T> p) const {
  call(Derivative::L_v, p);
}

template <class T>
void At<T>::L_vv_times(Reads<T> a, Writes<T> out) const {
  call(Derivative::L_vv_times, out, Argument{in::a_v, a});
}

template <class T>
void At<T>::L_v_rate(Reads<T> a, Reads<T> b, Writes<T> out) const {
  call(Derivative::L_v_along_t, out, Argument{in::a_v, a}, Argument{in::a_q, b});
}

template <class T>
RowSize<T> At<T>::g(Writes<T> rows) const {
  return size(Derivative::g, rows);
}

template <class T>
void At<T>::g_t(Writes<T> rows) const {
  call(Derivative::g_t, rows);
}

template <class T>
RowSize<T> At<T>::G_times(Reads<T> a, Writes<T> rows) const {
  return size(Derivative::G_times, rows, Argument{in::a_q, a});
}

template <class T>
RowSize<T> At<T>::g_rate(Reads<T> a, Writes<T> rows) const {
  return size(Derivative::g_rate, rows, Argument{in::a_q, a});
}

template <class T>
void At<T>::g_second(Reads<T> a, Reads<T> b, Time c, Writes<T> rows) const {
  call(c == Time::moves ? Derivative::g_second_t : Derivative::g_second, rows, Argument{in::a_q, a},
       Argument{in::b_q, b});
}

template <class T>
void At<T>::Gt_times(Reads<T> u, Writes<T> out) const {
  call(Derivative::Gt_times, out, Argument{in::weights, u});
}

template <class T>
T At<T>::g_t_times(Reads<T> u) const {
  T value(0);
  call(Derivative::g_t_times, &value, Argument{in::weights, u});
  return value;
}

template <class T>
void At<T>::curvature(Reads<T> w, Reads<T> x, Time c, Writes<T> out) const {
  call(c == Time::moves ? Derivative::curvature_t : Derivative::curvature, out, Argument{in::weights, w},
       Argument{in::a_q, x});
}

template <class T>
void At<T>::third(Reads<T> w, Reads<T> a, Reads<T> x, Time c, Writes<T> out) const {
  call(c == Time::moves ? Derivative::third_t : Derivative::third, out, Argument{in::weights, w}, Argument{in::a_q, a},
       Argument{in::b_q, x});
}

template <class T>
void At<T>::force(Writes<T> f) const {
  call(Derivative::force, f);
}

template <class T>
void At<T>::D_v(Writes<T> out) const {
  call(Derivative::D_v, out);
}

template <class T>
void At<T>::rate(Writes<T> s_dot) const {
  call(Derivative::rate, s_dot);
}

template <class T>
void At<T>::observables(Writes<T> values) const {
  call(Derivative::observables, values);
}

template <class T>
void At<T>::invariants(Writes<T> values) const {
  call(Derivative::invariants, values);
}

template <class T>
void At<T>::I_q(Reads<T> u, Writes<T> out) const {
  call(Derivative::I_q, out, Argument{in::weights, u});
}

template <class T>
void At<T>::I_p(Reads<T> u, Writes<T> out) const {
  call(Derivative::I_p, out, Argument{in::weights, u});
}

template <class T>
void At<T>::I_v(Reads<T> u, Writes<T> out) const {
  call(Derivative::I_v, out, Argument{in::weights, u});
}

template <class T>
void At<T>::I_s(Reads<T> u, Writes<T> out) const {
  call(Derivative::I_s, out, Argument{in::weights, u});
}

template <class T>
void At<T>::force_along(const Kick& a, Writes<T> out) const {
  call(Derivative::force_along, out, Argument{in::a_p, a.p}, Argument{in::a_v, a.v}, Argument{in::a_s, a.s},
       Argument{in::a_lambda, a.lambda});
}

template <class T>
void At<T>::D_v_along(const Kick& a, Writes<T> out) const {
  call(Derivative::D_v_along, out, Argument{in::a_v, a.v}, Argument{in::a_s, a.s});
}

template <class T>
void At<T>::rate_along(const Kick& a, Writes<T> out) const {
  call(Derivative::rate_along, out, Argument{in::a_p, a.p}, Argument{in::a_v, a.v}, Argument{in::a_s, a.s},
       Argument{in::a_lambda, a.lambda});
}

COTANGENT_INSTANTIATE(NUMBERS, At);

}  // namespace cotangent
