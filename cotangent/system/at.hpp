#pragma once

#include <concepts>
#include <span>
#include <type_traits>
#include <vector>

#include "cotangent/base/phase_point.hpp"
#include "cotangent/system/operation/contraction.hpp"

namespace cotangent {

/// The contractions that have a name: see At, whose letters these are. A suffix _t, of the one that follows:
/// the last direction has the time.
// clang-format off
enum class Derivative : std::uint8_t {
  H, H_q, H_p, H_t, H_pp_times, H_qp_times, H_q_along, H_p_along, H_p_along_t, H_q_third, H_q_third_t, H_p_third, H_p_third_t,
  L_v, L_vv_times, L_v_along_t,
  g, g_t, G_times, g_rate, g_second, g_second_t, Gt_times, g_t_times, curvature, curvature_t, third, third_t,
  force, force_along, D_v, D_v_along, rate, rate_along, observables, invariants, I_q, I_p, I_v, I_s, I_s_along,
  kCount,
};
// clang-format on

const Contraction& contraction_of(Derivative derivative);

template <class T>
class System;
template <class T>
struct Frame;

/// A vector of numbers that is read, or one that is written, of the size that the function it is given to says.
template <class X>
class VectorRef {
 public:
  using Vector = std::vector<std::remove_const_t<X>>;
  VectorRef(X* x) : x_(x) {}
  VectorRef(std::span<X> x) : x_(x.data()) {}
  VectorRef(std::conditional_t<std::is_const_v<X>, const Vector, Vector>& x) : x_(x.data()) {}
  operator X*() const { return x_; }

 private:
  X* x_;
};
template <class T>
using Reads = VectorRef<const T>;
template <class T>
using Writes = VectorRef<T>;

/// Of rows such as g: the largest |row|, and the largest rounding scale of one. Rounding errors of one ulp, in the
/// arguments or inside, change a row by at most epsilon times its scale; see out::norms.
template <class T>
struct RowSize {
  T largest, scale;
};

/// Whether the time goes on, at the rate one, along a direction.
enum class Time : bool { held, moves };

/// H, g and their derivatives at a point of a system: a view, valid as long as the point stays where it is.
///
/// Vectors are q, p, v of n numbers, rows and multipliers of m; w.g means w'g with weights w. Where a function has a
/// parameter `c`, a direction has a part along the time: (x, c) stands for (x, 1) or (x, 0).
template <class T>
class At {
 public:
  At(System<T>& system, const PointRef<T>& z) : system_(&system), q_(z.q), p_(z.p), s_(z.s), t_(z.t) {}

  /// The same point, with the velocities v = H_p and the multipliers there.
  At with(Reads<T> v, const T* lambda = nullptr) const {
    At at = *this;
    at.v_ = v;
    at.lambda_ = lambda;
    return at;
  }

  T H() const { return number(Derivative::H); }
  T H_t() const { return number(Derivative::H_t); }  ///< at fixed q and p
  void H_q(Writes<T> f) const { call(Derivative::H_q, f); }
  void H_p(Writes<T> v) const { call(Derivative::H_p, v); }
  void H_pp_times(Reads<T> a, Writes<T> out) const { call(Derivative::H_pp_times, out, Argument{in::a_p, a}); }
  void H_qp_times(Reads<T> a, Writes<T> out) const { call(Derivative::H_qp_times, out, Argument{in::a_p, a}); }
  /// H_qq a + H_qp b.
  void H_q_along(Reads<T> a, Reads<T> b, Writes<T> out) const {
    call(Derivative::H_q_along, out, Argument{in::a_q, a}, Argument{in::a_p, b});
  }
  /// H_pq a + H_pp b + c H_pt.
  void H_p_along(Reads<T> a, Reads<T> b, Time c, Writes<T> out) const {
    call(with_time(Derivative::H_p_along, c), out, Argument{in::a_q, a}, Argument{in::a_p, b});
  }
  /// H'''[(0, W), (x, y, c)] by q, and by p.
  void H_q_third(Reads<T> W, Reads<T> x, Reads<T> y, Time c, Writes<T> out) const {
    call(with_time(Derivative::H_q_third, c), out, Argument{in::a_p, W}, Argument{in::b_q, x}, Argument{in::b_p, y});
  }
  void H_p_third(Reads<T> W, Reads<T> x, Reads<T> y, Time c, Writes<T> out) const {
    call(with_time(Derivative::H_p_third, c), out, Argument{in::a_p, W}, Argument{in::b_q, x}, Argument{in::b_p, y});
  }

  /// Of a Lagrangian, at with(v): L_v, L_vv a, and L_vv a + L_vq b + L_vt.
  void L_v(Writes<T> p) const { call(Derivative::L_v, p); }
  void L_vv_times(Reads<T> a, Writes<T> out) const { call(Derivative::L_vv_times, out, Argument{in::a_v, a}); }
  void L_v_rate(Reads<T> a, Reads<T> b, Writes<T> out) const {
    call(Derivative::L_v_along_t, out, Argument{in::a_v, a}, Argument{in::a_q, b});
  }

  RowSize<T> g(Writes<T> rows) const { return size(Derivative::g, rows); }
  void g_t(Writes<T> rows) const { call(Derivative::g_t, rows); }
  RowSize<T> G_times(Reads<T> a, Writes<T> rows) const { return size(Derivative::G_times, rows, Argument{in::a_q, a}); }
  /// G a + g_t, the rate of g where q' = a.
  RowSize<T> g_rate(Reads<T> a, Writes<T> rows) const { return size(Derivative::g_rate, rows, Argument{in::a_q, a}); }
  /// v = H_p and psi = G v + g_t.
  RowSize<T> psi(Writes<T> v, Writes<T> rows) const {
    H_p(v);
    return g_rate(static_cast<T*>(v), rows);
  }
  /// g''[(a, 1), (b, c)].
  void g_second(Reads<T> a, Reads<T> b, Time c, Writes<T> rows) const {
    call(with_time(Derivative::g_second, c), rows, Argument{in::a_q, a}, Argument{in::b_q, b});
  }
  /// G'u, and u'g_t.
  void Gt_times(Reads<T> u, Writes<T> out) const { call(Derivative::Gt_times, out, Argument{in::weights, u}); }
  T g_t_times(Reads<T> u) const { return number(Derivative::g_t_times, Argument{in::weights, u}); }
  /// (w.g)''[(x, c)], and (w.g)'''[(a, 1), (x, c)].
  void curvature(Reads<T> w, Reads<T> x, Time c, Writes<T> out) const {
    call(with_time(Derivative::curvature, c), out, Argument{in::weights, w}, Argument{in::a_q, x});
  }
  void third(Reads<T> w, Reads<T> a, Reads<T> x, Time c, Writes<T> out) const {
    call(with_time(Derivative::third, c), out, Argument{in::weights, w}, Argument{in::a_q, a}, Argument{in::b_q, x});
  }

  // At with(v, lambda).
  void force(Writes<T> f) const { call(Derivative::force, f); }  ///< without the dissipation
  void D_v(Writes<T> out) const { call(Derivative::D_v, out); }
  void rate(Writes<T> s_dot) const { call(Derivative::rate, s_dot); }
  void observables(Writes<T> values) const { call(Derivative::observables, values); }
  void invariants(Writes<T> values) const { call(Derivative::invariants, values); }
  /// Gradients of u'I, I the invariants, by q, p and v as if they were independent, and by the states.
  void I_q(Reads<T> u, Writes<T> out) const { call(Derivative::I_q, out, Argument{in::weights, u}); }
  void I_p(Reads<T> u, Writes<T> out) const { call(Derivative::I_p, out, Argument{in::weights, u}); }
  void I_v(Reads<T> u, Writes<T> out) const { call(Derivative::I_v, out, Argument{in::weights, u}); }
  void I_s(Reads<T> u, Writes<T> out) const { call(Derivative::I_s, out, Argument{in::weights, u}); }
  /// (u.I)_ss a.
  void I_s_along(Reads<T> u, Reads<T> a, Writes<T> out) const {
    call(Derivative::I_s_along, out, Argument{in::weights, u}, Argument{in::a_s, a});
  }

  /// A direction in which forces and rates change.
  struct Kick {
    const T *p, *v, *s, *lambda;
  };
  void force_along(const Kick& a, Writes<T> out) const { along(Derivative::force_along, a, out); }
  void D_v_along(const Kick& a, Writes<T> out) const { along(Derivative::D_v_along, a, out); }
  void rate_along(const Kick& a, Writes<T> out) const { along(Derivative::rate_along, a, out); }

 private:
  static Derivative with_time(Derivative derivative, Time c) {
    return static_cast<Derivative>(static_cast<int>(derivative) + static_cast<int>(c));
  }

  template <class>
  friend class Hessian;
  template <class>
  friend class GradientInverse;
  template <class>
  friend class EvaluationErrors;

  void set(Frame<T>& frame) const;

  struct Argument {
    std::size_t vector;
    const T* x;
  };
  // Part of its callers, which know the arguments: a small system spends its time here.
  void call(Derivative derivative, T* result, std::same_as<Argument> auto... arguments) const;
  RowSize<T> size(Derivative derivative, T* rows, std::same_as<Argument> auto... arguments) const;
  T number(Derivative derivative, std::same_as<Argument> auto... arguments) const {
    T value(0);
    call(derivative, &value, arguments...);
    return value;
  }
  void along(Derivative derivative, const Kick& a, T* result) const {
    call(derivative, result, Argument{in::a_p, a.p}, Argument{in::a_v, a.v}, Argument{in::a_s, a.s},
         Argument{in::a_lambda, a.lambda});
  }

  System<T>* system_;
  const T *q_, *p_, *s_;
  const T *v_ = nullptr, *lambda_ = nullptr;
  T t_;
};

}  // namespace cotangent
