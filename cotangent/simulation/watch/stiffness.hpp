#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "cotangent/base/archive.hpp"
#include "cotangent/base/instantiate.hpp"
#include "cotangent/formulation/formulation.hpp"
#include "cotangent/integrator/integrator.hpp"
#include "cotangent/simulation/pace/adaptive_options.hpp"
#include "cotangent/simulation/summary.hpp"

namespace cotangent {

/// Whether a run from `start` is better made by a method for stiff systems. The first steps are rehearsed with the
/// explicit method. Where stability limits them, and not accuracy, a step of the other method that is many times as
/// long is within the tolerance, too, and the explicit one needs many for the same way: more than such a step costs.
///
/// A start in a layer where fast motion dies out is one that accuracy limits: there is a second look after more steps.
/// @return the length of the step that was good enough, if there was one.
template <class T>
std::optional<double> stiff_step(Integrator<T>& explicit_method, Integrator<T>& stiff_method, Manifold<T>& manifold,
                                 AdaptiveOptions options, const PhasePoint<T>& start);

/// Watches whether the steps of an explicit method are limited by its stability: where h |lambda|, with the largest
/// eigenvalue lambda of the field f, is beyond what explicit methods are stable for in accurate steps, time after time.
///
/// |lambda| comes from power iteration with differences of f, which is carried on from look to look:
///
///   |lambda|^2 = |f' f' d| / |d|,   d <- f' f' d / |f' f' d|
///
/// Two products, since an oscillation exchanges coordinates and momenta, which have different units. Looks are rare
/// enough not to be noticed.
///
/// Reference: [hairer-wanner96, IV.2].
template <class T>
class StiffnessWatch {
 public:
  /// @param manifold must outlive this.
  /// @param order of the method: stability goes a little further with more stages.
  StiffnessWatch(Manifold<T>& manifold, int order);

  /// What is compiled when it is first used belongs to the set-up.
  void rehearse(const PhasePoint<T>& z) { static_cast<void>(rate(z, f_)); }

  /// A step of length h was made, to z.
  void observe(const PhasePoint<T>& z, const T& h, std::int64_t& evaluations);

  /// A warning, if there is reason for one.
  void finish(std::vector<Warning>& warnings) const;

  void state(Archive& archive) {
    archive("direction", d_);
    archive("steps", steps_);
    archive("hits", hits_);
    archive("began", began_);
    archive("largest", largest_);
    archive("stiff_from", stiff_from_);
  }

 private:
  // Parts q, p and s of the field at z, one after the other.
  bool rate(const PhasePoint<T>& z, std::vector<T>& f);
  // d <- f' d, where f_ is the field at z.
  bool multiply(const PhasePoint<T>& z);
  // In units of the largest entry of each kind.
  T norm(const std::vector<T>& x) const;

  std::unique_ptr<Formulation<T>> field_;
  const double limit_;
  std::vector<T> f_, moved_, d_, weights_;
  PhasePoint<T> there_;
  std::int64_t steps_ = 0;
  int hits_ = 0;                    // looks beyond the limit, less those within
  double began_ = 0, largest_ = 0;  // when hits began, and the largest h |lambda| among them
  std::optional<double> stiff_from_;
};

COTANGENT_DECLARE(PRECISIONS, StiffnessWatch);

}  // namespace cotangent
