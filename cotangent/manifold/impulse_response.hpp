#pragma once

#include <vector>

#include "cotangent/base/phase_point.hpp"
#include "cotangent/system/system.hpp"

namespace cotangent {

/// What multipliers do: R = G H_pp G' as a product of its factors.
template <class T>
class ImpulseResponse {
 public:
  /// @param system must outlive this.
  explicit ImpulseResponse(System<T>& system)
      : G_times_(system.G_times()),
        G_transposed_times_(system.G_transposed_times()),
        H_pp_times_(system.H_pp_times()),
        frame_(system.frame()),
        impulse_(static_cast<std::size_t>(system.n()), T(0)),
        velocity_(impulse_),
        norms_(2, T(0)) {
    frame_.out[out::norms] = norms_.data();
  }

  /// v = H_pp(z) G(q, t)' mu: the change of the velocities by an impulse along the constraint forces.
  void velocity(const PointRef<T>& z, const T* mu, T* v) {
    frame_.in[in::q] = z.q;
    frame_.in[in::p] = z.p;
    frame_.in[in::t] = &z.t;
    frame_.in[in::weights] = mu;
    frame_.out[out::result] = impulse_.data();
    G_transposed_times_(frame_);
    frame_.in[in::a_p] = impulse_.data();
    frame_.out[out::result] = v;
    H_pp_times_(frame_);
  }

  /// rows = G(Q, t_Q) H_pp(z) G(q, t)' mu.
  void rate(const T* Q, const T& t_Q, const PointRef<T>& z, const T* mu, T* rows) {
    velocity(z, mu, velocity_.data());
    frame_.in[in::q] = Q;
    frame_.in[in::t] = &t_Q;
    frame_.in[in::a_q] = velocity_.data();
    frame_.out[out::result] = rows;
    G_times_(frame_);
  }

 private:
  Request<T> G_times_, G_transposed_times_, H_pp_times_;
  Frame<T> frame_;
  std::vector<T> impulse_, velocity_, norms_;
};

}  // namespace cotangent
