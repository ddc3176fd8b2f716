#pragma once

#include <vector>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/integrator/composed/splitting_tables.hpp"
#include "cotangent/integrator/integrator.hpp"
#include "cotangent/system/system.hpp"

namespace cotangent {

/// Explicit symplectic methods for H = T(p) + V(q, t): the flows of T and V, which are known, in turn.
///
///   drift of length a h:   q <- q + a h T_p(p),       t <- t + a h
///   kick of length b h:    p <- p - b h V_q(q, t),    w <- w + b h V_t(q, t)
///
/// The time moves with the drifts, as a coordinate of its own whose momentum is -w: so the work w done by the time in V
/// comes along, and all claims hold for H - w in the extended phase space.
///
/// Constraints are not looked at: a caller that has some does it (reich.hpp).
///
/// References: [mclachlan-quispel02]; [blanes-moan02].
template <class T>
class Splitting final : public Integrator<T> {
 public:
  /// @param system must outlive the integrator.
  /// @throws std::invalid_argument if H is not of that form: why, and what to use instead.
  Splitting(const SplittingTable& table, System<T>& system);

 private:
  [[nodiscard]] StepReport<T> make_step(const Point<T>& z, LaneOf<T> h, Point<T>& end) override;

  struct Stage {
    bool is_drift;
    LaneOf<T> length;
    LaneOf<T> time;  // how far the drifts before have gone, as a part of the step
  };

  void drift(const T& length, PhasePoint<T>& z);
  void kick(const T& length, const T& t, const std::vector<T>& force, PhasePoint<T>& z);
  static Mask<T> is_finite(const PhasePoint<T>& z);

  std::vector<Stage> stages_;
  bool ends_with_first_force_;  // the last kick is where the next step begins
  const std::vector<T>* W_;     // where H_p = W p; a null pointer otherwise
  bool has_time_;
  std::size_t work_;  // where the work done is in s
  System<T>& system_;
  std::vector<T> force_, v_;
};

COTANGENT_DECLARE(NUMBERS, Splitting);

}  // namespace cotangent
