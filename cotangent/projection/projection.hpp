#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cotangent/base/phase_point.hpp"
#include "cotangent/integrator/integrator.hpp"
#include "cotangent/manifold/manifold.hpp"

namespace cotangent {

/// Which constraints a point is returned to after a step.
enum class Projection : std::uint8_t {
  none,
  position,  ///< g(q) = 0
  momentum,  ///< G H_p = 0
  both,      ///< g(q) = 0, then G H_p = 0 there
};

struct ProjectionFacts {
  Projection projection;
  std::string name;
  std::string description;  ///< one line
};

/// Every projection the program has.
const std::vector<ProjectionFacts>& projections();

const std::string& name_of(Projection projection);

/// @throws UnknownName
Projection find_projection(std::string_view name);

/// What suits a method: none where it keeps the constraints by itself (or there are none), else both.
Projection default_projection(const MethodFacts& facts, std::int64_t constraints);

/// When a point is projected: after every K-th step, and there only if a residual is larger than EPS.
struct ProjectionPolicy {
  Projection projection = Projection::none;
  std::int64_t every = 1;            ///< K
  std::optional<double> above = {};  ///< EPS, held against max |g| (position, both) and max |G H_p| (momentum, both)
};

/// Carries out a policy. Owns workspace and a count, never the state of a trajectory. Does not allocate after
/// construction.
template <class T>
class Projector {
 public:
  /// @param manifold must outlive the projector. @throws std::invalid_argument if K < 1 or EPS < 0.
  Projector(Manifold<T>& manifold, const ProjectionPolicy& policy);

  const ProjectionPolicy& policy() const { return policy_; }

  /// Whether it does anything after some step.
  bool is_active() const { return policy_.projection != Projection::none && manifold_.system().m() > 0; }

  /// Projects z after the step of that number (1, 2, ...) if the policy says so; or says why not, and leaves
  /// the lanes that failed as they were.
  [[nodiscard]] StepReport<T> after_step(PhasePoint<T>& z, std::int64_t step);

  void start(const PhasePoint<T>& /*z*/) {}

  /// Projects z whatever the policy says of when, and does not count it.
  [[nodiscard]] StepReport<T> project(PhasePoint<T>& z) { return project(z, Mask<T>(true)); }

  std::int64_t count() const { return count_; }  ///< points projected so far, lanes of a batch counted once

 private:
  StepReport<T> project(PhasePoint<T>& z, const Mask<T>& wanted);
  Mask<T> is_wanted(const PhasePoint<T>& z);
  void restore(PhasePoint<T>& z, const Mask<T>& keep) const;

  Manifold<T>& manifold_;
  ProjectionPolicy policy_;
  bool position_, momentum_;
  PhasePoint<T> before_;
  std::int64_t count_ = 0;
};

extern template class Projector<double>;
extern template class Projector<long double>;
extern template class Projector<Quad>;
extern template class Projector<Tangents>;
extern template class Projector<Lanes>;

}  // namespace cotangent
