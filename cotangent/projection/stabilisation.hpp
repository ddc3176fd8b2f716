#pragma once

#include <vector>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/base/step_report.hpp"
#include "cotangent/manifold/manifold.hpp"
#include "cotangent/projection/normal_rows.hpp"

namespace cotangent {

/// Post-stabilisation: one step towards the point that OrthogonalProjection finds, and no more. With the rows c of
/// constraints and invariants, C = c' and the inverse metric N (see normal_rows.hpp), all at z~,
///
///   z = z~ - N C' nu,   C N C' nu = c,   so that   c(z) = O(|c(z~)|^2).
///
/// Reference: [ascher97].
template <class T>
class Stabilisation {
 public:
  /// @param manifold and invariants (may be null) must outlive this.
  /// @throws std::invalid_argument if invariants need the mass metric of a system that has none.
  Stabilisation(Manifold<T>& manifold, Metric metric, const ProjectionRows& rows, KeptInvariants<T>* invariants);

  /// See OrthogonalProjection::set_step.
  void set_step(LaneOf<T> h);

  /// Moves z, or says why not and leaves it in lanes where it could not. Does not allocate.
  [[nodiscard]] StepReport<T> operator()(PhasePoint<T>& z);

 private:
  Manifold<T>& manifold_;
  NormalRows<T> c_at_;
  std::vector<T> c_ = std::vector<T>(c_at_.size(), T(0)), right_ = c_, nu_ = c_, d_;
};

COTANGENT_DECLARE(NUMBERS, Stabilisation);

}  // namespace cotangent
