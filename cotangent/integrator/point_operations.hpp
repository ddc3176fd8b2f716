#pragma once

#include <algorithm>
#include <vector>

#include "cotangent/manifold/manifold.hpp"

namespace cotangent {

/// H_p, H_pp a, g, G a and G'u at a point, as functions.
template <class T>
class PointOperations {
 public:
  /// @param system must outlive this.
  explicit PointOperations(System<T>& system)
      : H_p_(system.H_p()),
        H_pp_times_(system.H_pp_times()),
        g_(system.g()),
        G_times_(system.G_times()),
        G_transposed_times_(system.G_transposed_times()),
        frame_(system.frame()),
        n_(static_cast<std::size_t>(system.n())),
        m_(static_cast<std::size_t>(system.m())),
        norms_(2, T(0)) {
    frame_.out[out::norms] = norms_.data();
  }

  void H_p(const PointRef<T>& z, T* v) { at(z, v, H_p_); }

  void H_pp_times(const PointRef<T>& z, const T* a, T* out) {
    frame_.in[in::a_p] = a;
    at(z, out, H_pp_times_);
  }

  void g(const PointRef<T>& z, T* rows) {
    if (m_ > 0) at(z, rows, g_);
  }

  void G_times(const PointRef<T>& z, const T* a, T* rows) {
    frame_.in[in::a_q] = a;
    if (m_ > 0) at(z, rows, G_times_);
  }

  void G_transposed_times(const PointRef<T>& z, const T* u, T* out) {
    if (m_ == 0) {
      std::fill_n(out, n_, T(0));
      return;
    }
    frame_.in[in::weights] = u;
    at(z, out, G_transposed_times_);
  }

 private:
  void at(const PointRef<T>& z, T* result, Request<T>& operation) {
    frame_.in[in::q] = z.q;
    frame_.in[in::p] = z.p;
    frame_.in[in::t] = &z.t;
    frame_.out[out::result] = result;
    operation(frame_);
  }

  Request<T> H_p_, H_pp_times_, g_, G_times_, G_transposed_times_;
  Frame<T> frame_;
  std::size_t n_, m_;
  std::vector<T> norms_;
};

}  // namespace cotangent
