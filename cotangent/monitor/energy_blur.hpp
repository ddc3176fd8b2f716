#pragma once

#include <algorithm>
#include <vector>

#include "cotangent/base/phase_point.hpp"
#include "cotangent/monitor/magnitudes.hpp"
#include "cotangent/system/evaluation_errors.hpp"

namespace cotangent {

/// How far a discrete gradient leaves points open, in units of epsilon: what is rounded in H, N = |H| + e(H), becomes a
/// change c of it along the step D = h (q', p'), c = N / |D|^2, and with that of points:
///
///   dq = h c h p' = N p' / (q'^2 + p'^2),   dp = N q' / (q'^2 + p'^2).
///
/// It is much where H is a small difference, as in 1 - cos a, and where numbers of coordinates and of momenta are of
/// different sizes, as |D| knows nothing of units.
template <class T>
class EnergyBlur {
 public:
  /// @param system must outlive this.
  explicit EnergyBlur(System<T>& system)
      : H_(system.H()),
        H_q_(system.H_q()),
        H_p_(system.H_p()),
        inside_H_(system, Contraction::Of::H),
        frame_(system.frame()),
        by_q_(static_cast<std::size_t>(system.n())),
        by_p_(by_q_) {}

  /// max(|dq| / q, |dp| / p) at z, with the sizes of q and p.
  double operator()(const PhasePoint<T>& z, double q, double p) {
    const T t(z.t);
    T H(0), inside(0);
    frame_.in[in::q] = z.q.data();
    frame_.in[in::p] = z.p.data();
    frame_.in[in::v] = by_p_.data();
    frame_.in[in::s] = z.s.data();
    frame_.in[in::t] = &t;
    frame_.out[out::result] = &H;
    H_(frame_);
    frame_.out[out::result] = by_q_.data();
    H_q_(frame_);
    frame_.out[out::result] = by_p_.data();
    H_p_(frame_);
    inside_H_.add_to(frame_, &inside);
    const auto v = static_cast<double>(largest_of(by_p_)), f = static_cast<double>(largest_of(by_q_));
    const auto in_units = [](double change, double size) { return size > 0 ? change / size : 0; };
    const double c = in_units(static_cast<double>(abs(H) + inside), v * v + f * f);
    return std::max(in_units(c * f, q), in_units(c * v, p));
  }

 private:
  Request<T> H_, H_q_, H_p_;
  EvaluationErrors<T> inside_H_;
  Frame<T> frame_;
  std::vector<T> by_q_, by_p_;
};

}  // namespace cotangent
