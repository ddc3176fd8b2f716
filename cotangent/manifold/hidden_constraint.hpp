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
///
/// It is an At, too: psi.Gt_times(w, W) is G'w at its point.
template <class T>
class HiddenConstraint : public At<T> {
 public:
  /// @param system must outlive this.
  explicit HiddenConstraint(System<T>& system);

  /// Where everything is evaluated. What z points to must stay until the next call.
  void at(const PointRef<T>& z);

  /// H_p there.
  const std::vector<T>& v() const { return v_; }

  void psi(T* rows) { this->g_rate(v_, rows); }
  /// (w.g)''[(v, 1)].
  void curvature_along_motion(const T* w, T* by_q) { this->curvature(w, v_, Time::moves, by_q); }
  void gradient(const T* w, T* by_q, T* by_p);
  void along(const T* x, const T* y, Time c, T* rows);
  void second(const T* w, const T* x, const T* y, Time c, T* by_q, T* by_p);

 private:
  void add_to(T* result) const {
    for (std::size_t j = 0; j < x_.size(); ++j) result[j] += x_[j];
  }

  System<T>& system_;
  bool has_H_qp_;
  std::vector<T> v_, W_, dv_, dW_, x_, rows_;
};

COTANGENT_DECLARE(NUMBERS, HiddenConstraint);

}  // namespace cotangent
