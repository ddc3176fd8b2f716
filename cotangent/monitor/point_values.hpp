#pragma once

#include <cstdint>
#include <vector>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/base/phase_point.hpp"
#include "cotangent/manifold/manifold.hpp"

namespace cotangent {

/// What can be said about a point beside q, p and s: velocities, multipliers, observables and invariants. Each is
/// computed when first asked for and kept until the point changes. Does not allocate after construction.
template <class T>
class PointValues {
 public:
  /// @param manifold must outlive this.
  explicit PointValues(Manifold<T>& manifold);

  /// v = H_p.
  const std::vector<T>& velocities(const PhasePoint<T>& z);

  /// One number for each row of g; not numbers where the constraints leave them undetermined.
  const std::vector<T>& multipliers(const PhasePoint<T>& z);

  /// One number for each row of Elements::observable_rows, invariant_rows.
  const std::vector<T>& observables(const PhasePoint<T>& z);
  const std::vector<T>& invariants(const PhasePoint<T>& z);

 private:
  enum Part : std::uint8_t { kVelocities, kMultipliers, kObservables, kInvariants, kParts };

  bool is_known(Part part, const PhasePoint<T>& z);
  At<T> at(const PhasePoint<T>& z) { return manifold_.system().at(z).with(v_, lambda_.data()); }

  Manifold<T>& manifold_;
  bool observables_use_v_, observables_use_lambda_, invariants_use_v_;
  std::vector<T> v_, lambda_, F_, observables_, invariants_;
  // The point that `known_` is about.
  std::vector<T> q_, p_, s_;
  LaneOf<T> t_ = 0;
  bool known_[kParts] = {};
};

COTANGENT_DECLARE(VALUES, PointValues);

}  // namespace cotangent
