#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "cotangent/base/archive.hpp"
#include "cotangent/base/phase_point.hpp"
#include "cotangent/integrator/step_watch.hpp"
#include "cotangent/manifold/manifold.hpp"
#include "cotangent/simulation/summary.hpp"

namespace cotangent {

/// Watches how well the constraints determine the multipliers, and warns where they nearly do not: what the numbers are
/// worth there is for the user to judge.
///
///   redundant-constraints  constraints that follow from others at the start and near it; named, up to a few
///   near-singular          a stretch on which the condition number of R = G H_pp G' is large
///   rank-loss              a stretch on which it is beyond what can be told from infinite; a start where constraints
///                          are dependent that are not near it
///
/// Of stretches the first and the worst are told, and how many there were.
template <class T>
class ConditionWatch {
 public:
  /// @param manifold that the steps are made with; must outlive this.
  explicit ConditionWatch(Manifold<T>& manifold) : manifold_(manifold) {}

  /// Settles redundancy, too: see redundant_constraints().
  void start(const PhasePoint<T>& z, std::vector<Warning>& warnings);

  /// After steps that ended at z. The number is left from the last one, but for methods that make steps of small
  /// systems in one kernel: up to kFewRows constraints it is computed, which costs little there. A single constraint is
  /// never nearly dependent on others.
  void observe(const PhasePoint<T>& z);

  /// Whether there would be nothing to note of the steps that were watched.
  bool is_calm(const StepWatch<T>& steps) const {
    return manifold_.system().m() < 2 || (!open_ && static_cast<double>(steps.condition) <= large_);
  }

  void finish(std::vector<Warning>& warnings);

  void state(Archive& archive) {
    archive("large", large_);
    archive("open", open_);
    archive("is_told", is_told_);
    archive("first", first_);
    archive("worst", worst_);
    archive("count", count_);
  }

 private:
  static constexpr std::int64_t kFewRows = 3;

  struct Stretch {
    double begin = 0, end = 0;
    double worst = 0, worst_time = 0;

    void state(Archive& archive) {
      archive("begin", begin);
      archive("end", end);
      archive("worst", worst);
      archive("worst_time", worst_time);
    }
  };

  void close();

  Manifold<T>& manifold_;
  double large_ = 0;  // what is worth a warning
  std::optional<Stretch> open_;
  bool is_told_ = false;  // the open stretch is that of the start, which has been told already
  Stretch first_, worst_;
  std::int64_t count_ = 0;
};

}  // namespace cotangent
