#pragma once

#include <vector>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/base/phase_point.hpp"
#include "cotangent/system/system.hpp"

namespace cotangent {

/// The hidden constraint psi(q, p, t) = G v + g_t, v = H_p, and its derivatives; never a tensor. With weights w and
/// W = G'w:
///
///   w'psi            = (w.g)'[(v, 1)]
///   (w'psi)_q        = (w.g)''[(v, 1)] + H_qp W,     (w'psi)_p = H_pp W
///   psi'[(x, y, c)]  = g''[(v, 1), (x, c)] + G dv,   dv = H_pq x + H_pp y + c H_pt
///   (w'psi)''[(x, y, c)]
///     by q:  (w.g)'''[(v, 1), (x, c)] + (w.g)''[dv] + H_qp dW + H'''[(0, W), (x, y, c)]_q,   dW = (w.g)''[(x, c)]
///     by p:  H_pp dW + H'''[(0, W), (x, y, c)]_p
///
/// The brackets of the constraints follow: {g, psi} = R = G H_pp G', {psi, H} + psi_t = psi'[(v, -H_q, 1)], and
/// {psi, psi} w = psi'[((w'psi)_p, -(w'psi)_q, 0)].
template <class T>
class HiddenConstraint {
 public:
  /// @param system must outlive this.
  explicit HiddenConstraint(System<T>& system);

  /// Where everything below is evaluated. What z points to must stay until the next call.
  void at(const PointRef<T>& z);

  /// H_p there.
  const std::vector<T>& v() const { return v_; }

  void g(T* rows);
  /// g at another point than that of at().
  void g_at(const T* q, const T& t, T* rows);
  void psi(T* rows);
  /// -g_t at another point than that of at().
  void minus_g_t(const T* q, const T& t, T* rows);

  /// G x.
  void push_forward(const T* x, T* rows);
  /// G'w, and (w.g)''[x].
  void pull_back(const T* w, T* W);
  void curvature(const T* w, const T* x, T* by_q);
  /// (w.g)''[(v, 1)].
  void curvature_along_motion(const T* w, T* by_q);

  /// H_pp a, and (H_qq a + H_qp b, H_pq a + H_pp b).
  void mass_inverse(const T* a, T* out);
  void energy_second(const T* a, const T* b, T* by_q, T* by_p);

  /// H_pq x + H_pp y + H_pt.
  void acceleration(const T* x, const T* y, T* v_dot);

  void gradient(const T* w, T* by_q, T* by_p);

  /// psi'[(x, y, c)], c one or nothing.
  void along(const T* x, const T* y, bool moving, T* rows);

  void second(const T* w, const T* x, const T* y, bool moving, T* by_q, T* by_p);

 private:
  /// An operation with and without the time in its last direction.
  struct Pair {
    Request<T> still, moving;
    const Request<T>& operator()(bool is_moving) const { return is_moving ? moving : still; }
  };
  static Pair pair(System<T>& system, Contraction contraction);
  void call(const Request<T>& operation, T* result);
  void add(const Request<T>& operation, T* result);

  bool separable_;  // H_qp = 0
  Request<T> g_, psi_, g_t_, G_times_, G_transposed_times_, curvature_, motion_curvature_;
  Request<T> H_p_, H_pp_times_, H_qp_times_, H_q_along_, H_p_along_;
  Pair g_second_, weighted_second_, weighted_third_, dv_, H_third_q_, H_third_p_;
  Frame<T> frame_;
  PointRef<T> z_;
  std::vector<T> v_, W_, third_W_, dv_value_, dW_, x_, rows_, norms_;
};

COTANGENT_DECLARE(NUMBERS, HiddenConstraint);

}  // namespace cotangent
