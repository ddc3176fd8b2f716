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
  explicit HiddenConstraint(System<T>& system)
      : At<T>(system, {nullptr, nullptr, nullptr, T(0)}),
        system_(system),
        has_H_qp_(!system.is_separable() && !system.vanishes(Derivative::H_qp_times)),
        v_(static_cast<std::size_t>(system.n()), T(0)),
        W_(v_),
        dv_(v_),
        dW_(v_),
        x_(v_),
        rows_(static_cast<std::size_t>(system.m()), T(0)) {}

  /// Where everything is evaluated. What z points to must stay until the next call.
  void at(const PointRef<T>& z) {
    static_cast<At<T>&>(*this) = system_.at(z);
    this->H_p(v_);
  }

  /// H_p there.
  const std::vector<T>& v() const { return v_; }

  void psi(T* rows) { this->g_rate(v_, rows); }
  /// (w.g)''[(v, 1)].
  void curvature_along_motion(const T* w, T* by_q) { this->curvature(w, v_, Time::moves, by_q); }

  void gradient(const T* w, T* by_q, T* by_p) {
    this->Gt_times(w, W_);
    this->H_pp_times(W_, by_p);
    curvature_along_motion(w, by_q);
    if (!has_H_qp_) return;
    this->H_qp_times(W_, x_);
    add_to(by_q);
  }

  void along(const T* x, const T* y, Time c, T* rows) {
    this->H_p_along(x, y, c, dv_);
    this->G_times(dv_, rows_);
    this->g_second(v_, x, c, rows);
    for (std::size_t r = 0; r < rows_.size(); ++r) rows[r] += rows_[r];
  }

  void second(const T* w, const T* x, const T* y, Time c, T* by_q, T* by_p) {
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
