#pragma once

#include <array>
#include <vector>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/integrator/integrator.hpp"
#include "cotangent/integrator/runge_kutta/error_norm.hpp"
#include "cotangent/integrator/taylor/motion_series.hpp"

namespace cotangent {

/// The order that takes the least time for a tolerance T: a step is the part T^(1/K) of the radius of convergence. What
/// it costs grows with K^2, that of sums over lower orders, and with K, that of everything else, so the least time is
/// between K = -ln(T)/2 and K = -ln(T), and nearly the same for all orders there: the middle is taken. The error of a
/// step is that of its last coefficients, so there is one order more: 1 - 3/4 ln(T), rounded up [jorba-zou05, where
/// there are sums only]. At least 4.
int taylor_order(double tolerance);

/// The Taylor method of order K: a step is the power series of the constrained motion, cut off after K terms,
///
///   z(t + h) = z_0 + z_1 h + ... + z_K h^K    (Horner's scheme, and a compensated sum with z_0)
///
/// where multipliers are series, too: see MotionSeries. Its error is, if asked for, that of its last terms: in units of
/// what is tolerated
///
///   e = max_j |z_j h^j| T^(1 - j/K),   j = K-2, K-1, K,
///
/// which is one where the term of order K would be, if all were those of a geometric series. Three of them, because
/// series of t^2 and t^3 have zeros among them. The step that is proposed at a point is 0.9 of that; sizes that
/// coefficients are held against are those of the step, not of the point alone, where coordinates or momenta may
/// vanish. Reference: [jorba-zou05], there with j = K-1, K.
///
/// The motion through functions in pieces is a series as far as its pieces go. Where one of them ends inside a step the
/// series does, too: there, or a rounding error later, another one begins. A motion that slides along the end of a
/// piece has none: the error of such a step counts as infinite.
template <class T>
class Taylor final : public Integrator<T> {
 public:
  /// @param manifold must outlive this. @throws std::invalid_argument as MotionSeries.
  Taylor(MethodFacts facts, Manifold<T>& manifold, int order);

  void tolerate(const Tolerance& tolerance, const StepNoiseOf<T>& noise) override;
  bool has_series() const override { return true; }
  LaneOf<T> propose_length(const PhasePoint<T>& z, LaneOf<T> longest) override;
  [[nodiscard]] StepReport<T> within(const PhasePoint<T>& z, LaneOf<T> h, PhasePoint<T>& x) override;

 private:
  /// What was found at a point, for whoever comes back to it: the next step, or points inside the last one.
  struct Known {
    LaneOf<T> t = 0;
    bool is_known = false;
    MotionCoefficients<T> c;
  };

  [[nodiscard]] StepReport<T> make_step(const Point<T>& z, LaneOf<T> h, Point<T>& end) override;
  [[nodiscard]] StepReport<T> go(const PhasePoint<T>& z, LaneOf<T> h, PhasePoint<T>& x, bool is_estimating);
  Known& at(const PhasePoint<T>& z);
  void find(Known& known, const PhasePoint<T>& z);
  T overshoot(const T& t, const T& h, int piece) const;
  T whole_piece(const T& t, const T& h, int piece) const;
  void add(const MotionCoefficients<T>& c, const T& h, const PhasePoint<T>& z, PhasePoint<T>& x,
           StepReport<T>& report) const;
  T estimate(const MotionCoefficients<T>& c, const T& h, const PhasePoint<T>& begin, const PhasePoint<T>& end) const;
  template <std::size_t N>
  std::array<T, N> squares(const MotionCoefficients<T>& c, const std::array<T, N>& h, const PhasePoint<T>& begin,
                           const PhasePoint<T>& end) const;

  MotionSeries<T> series_;
  std::array<Known, 2> known_;
  const Known* in_series_ = nullptr;  // what the series found last
  std::size_t last_ = 0;
  MotionCoefficients<T> next_;  // of a further piece
  bool is_estimating_ = false;
  static constexpr std::size_t kLooked = 3;  // how many of the last coefficients tell the error
  std::array<T, kLooked> factors_{};         // T^(1 - j/K)
  ErrorNorm<T> norm_;
  PhasePoint<T> from_;
};

COTANGENT_DECLARE(NUMBERS, Taylor);

}  // namespace cotangent
