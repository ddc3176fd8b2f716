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
      : system_(system), impulse_(static_cast<std::size_t>(system.n()), T(0)), velocity_(impulse_) {}

  /// v = H_pp(z) G(q, t)' mu: the change of the velocities by an impulse along the constraint forces.
  void velocity(const PointRef<T>& z, const T* mu, T* v) {
    const At<T> at = system_.at(z);
    at.Gt_times(mu, impulse_);
    at.H_pp_times(impulse_, v);
  }

  /// rows = G(Q, t_Q) H_pp(z) G(q, t)' mu.
  void rate(const T* Q, const T& t_Q, const PointRef<T>& z, const T* mu, T* rows) {
    velocity(z, mu, velocity_.data());
    system_.at(Q, t_Q).G_times(velocity_, rows);
  }

 private:
  System<T>& system_;
  std::vector<T> impulse_, velocity_;
};

}  // namespace cotangent
