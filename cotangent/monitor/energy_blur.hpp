#pragma once

#include <algorithm>
#include <vector>

#include "cotangent/base/magnitudes.hpp"
#include "cotangent/base/phase_point.hpp"
#include "cotangent/formulation/standard.hpp"
#include "cotangent/system/evaluation_errors.hpp"

namespace cotangent {

/// How far a discrete gradient leaves points open, in units of epsilon: what is rounded in H, N = |H| + e(H), becomes a
/// change c of it along the step D = h (q', p'), c = N / |D|^2, and with that of points:
///
///   dq = h c h p' = N p' / (q'^2 + p'^2),   dp = N q' / (q'^2 + p'^2).
///
/// It is much where H is a small difference, as in 1 - cos a, near rest, and where numbers of coordinates and of
/// momenta are of different sizes, as |D| knows nothing of units. With constraints q' and p' are those of the variables
/// of a chart; p' without what holds the constraints may be anything, and the largest of all values counts:
///
///   dq = N / (2 q'),   dp = N / q'.
template <class T>
class EnergyBlur {
 public:
  /// @param manifold must outlive this.
  explicit EnergyBlur(Manifold<T>& manifold)
      : system_(manifold.system()),
        inside_H_(manifold.system(), Contraction::Of::H),
        motion_(manifold),
        has_constraints_(manifold.system().m() > 0),
        rate_(manifold.system().n(), manifold.system().state_count()) {}

  /// max(|dq| / q, |dp| / p) at z, with the sizes of q and p; 0 where there is no motion.
  double operator()(const PhasePoint<T>& z, double q, double p) {
    if (!motion_.field(z, rate_.q.data(), rate_.p.data(), rate_.s.data())) return 0;
    const At<T> at = system_.at(z).with(rate_.q);
    T inside(0);
    inside_H_.add_to(at, &inside);
    const auto in_units = [](const T& change, double size) {
      return size > 0 ? static_cast<double>(change) / size : 0;
    };
    const auto ratio = [](const T& a, const T& b) { return b > T(0) ? a / b : T(0); };
    const T N = abs(at.H()) + inside;
    if (has_constraints_) {
      const T dp = ratio(N, largest_of(rate_.q));
      return std::max(in_units(dp / T(2), q), in_units(dp, p));
    }
    const T c = ratio(N, sum_of_products(rate_.q, rate_.q) + sum_of_products(rate_.p, rate_.p));
    return std::max(in_units(c * largest_of(rate_.p), q), in_units(c * largest_of(rate_.q), p));
  }

 private:
  System<T>& system_;
  EvaluationErrors<T> inside_H_;
  Standard<T> motion_;
  bool has_constraints_;
  PhasePoint<T> rate_;
};

}  // namespace cotangent
