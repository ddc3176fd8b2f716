#pragma once

#include <vector>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/base/phase_point.hpp"
#include "cotangent/integrator/integrator.hpp"
#include "cotangent/integrator/splitting_tables.hpp"
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

  [[nodiscard]] StepReport<T> step(PhasePoint<T>& z, LaneOf<T> h) override;

 private:
  struct Stage {
    bool is_drift;
    LaneOf<T> length;
    LaneOf<T> time;  // how far the drifts before have gone, as a part of the step
  };

  void drift(const T& length);
  void kick(const T& length, const T& t, bool force_is_known);
  Mask<T> is_finite() const;

  std::vector<Stage> stages_;
  bool ends_with_first_force_;  // the last kick is where the next step begins
  const std::vector<T>* W_;     // where H_p = W p; a null pointer otherwise
  bool has_time_;
  std::size_t work_;  // where the work done is in s
  System<T>& system_;
  PhasePoint<T> end_;
  std::vector<T> force_, v_;
  std::uint64_t known_revision_ = 0;  // of the point whose force is in force_
  RevisionSource next_revision_;
};

MethodFacts splitting_facts(const SplittingTable& table);

COTANGENT_DECLARE(NUMBERS, Splitting);

}  // namespace cotangent
