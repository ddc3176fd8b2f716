#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "cotangent/base/phase_point.hpp"
#include "cotangent/base/scalar.hpp"
#include "cotangent/base/step_report.hpp"
#include "cotangent/projection/projection_tally.hpp"

namespace cotangent {

/// What a method is listed under.
enum class MethodKind : std::uint8_t {
  constrained,  ///< constraints are part of its equations
  explicit_runge_kutta,
  implicit_runge_kutta,
  extrapolation,
  energy_keeping,
  splitting,
  composition,
  projected,
};

/// "explicit Runge-Kutta".
const char* describe(MethodKind kind);

/// What a method claims. Each claim is measured by the contract suite, and printed by `cotangent list methods`.
struct MethodFacts {
  std::string name;
  MethodKind kind = MethodKind::constrained;
  std::string description;                ///< one line
  int order = 0;                          ///< of convergence, on smooth problems
  int error_order = 0;                    ///< its estimate of its error is O(h^error_order); 0: it has none
  bool symmetric = false;                 ///< a step of -h undoes a step of h
  bool symplectic = false;                ///< on the constraint manifold
  bool symplectic_off = false;            ///< in the whole phase space, off the manifold too
  bool keeps_quadratic = false;           ///< quadratic first integrals of the field that it integrates
  bool keeps_energy = false;              ///< H, to rounding
  bool keeps_position = false;            ///< g(q) = 0 after every step, to rounding
  bool keeps_momentum = false;            ///< G H_p = 0 after every step, to rounding
  bool has_solver = false;                ///< its stages are found as MethodOptions::solver says
  bool is_explicit = false;               ///< a Runge-Kutta method whose stages are found without solving equations
  bool has_impetus = false;               ///< its own variables are q and p* = p + G'l
  std::vector<std::string> formulations;  ///< what it applies to; the first is the default
  std::string applies_to;                 ///< the systems it can take, in words
  std::string reference;                  ///< key in docs/references.bib
};

/// The error of one step that is tolerated in a component x: absolute + relative |x|.
struct Tolerance {
  double relative = 0;
  /// 0: relative times the largest component of the same kind (coordinates, momenta, states), or relative alone where
  /// all of them are zero at the beginning of the step.
  double absolute = 0;
  /// How many of the states count; those after them, such as the work done, are witnesses.
  std::size_t states = std::numeric_limits<std::size_t>::max();
};

/// How often a step is made, each time in another chart, until the right one is found. Where a step passes borders
/// between their regions there are a few to choose from.
inline constexpr int kChartAttempts = 8;

/// A one-step map. Owns workspace, never the state of a trajectory; made for one system.
template <class T>
class Integrator {
 public:
  virtual ~Integrator() = default;

  const MethodFacts& facts() const { return facts_; }

  /// Advances z by h, and z.t with it; or says why not, and leaves z untouched. Does not allocate.
  [[nodiscard]] virtual StepReport<T> step(PhasePoint<T>& z, LaneOf<T> h) = 0;

  /// The same as up to `steps` calls of step(), bit for bit in q and p, but it may be faster. Stops at the first step
  /// that is not ok in some lane; `done` tells how many went before it. The report is that of the last step, with the
  /// iterations and evaluations of all.
  [[nodiscard]] virtual StepReport<T> advance(PhasePoint<T>& z, LaneOf<T> h, std::int64_t steps, std::int64_t& done) {
    StepReport<T> report;
    std::int64_t iterations = 0;
    std::int64_t evaluations = 0;
    std::int64_t charts = 0;
    for (done = 0; done < steps; ++done) {
      report = step(z, h);
      iterations += report.iterations;
      evaluations += report.evaluations;
      charts += report.charts;
      if (report.status != StepStatus::ok) break;
    }
    report.iterations = iterations;
    report.evaluations = evaluations;
    report.charts = charts;
    return report;
  }

  /// Steps that are parts of one, in a formulation in charts: a method is another map in another chart, so all parts
  /// are made in the same one. hold_chart() chooses it for a step from `begin`, until release_chart(). When the step
  /// has been made held_right_chart() says whether it was the right one for both ends; if not it has chosen the right
  /// one, and the step is to be made again from its beginning.
  virtual void hold_chart(const PhasePoint<T>& /*begin*/) {}
  [[nodiscard]] virtual bool held_right_chart(const PhasePoint<T>& /*begin*/, const PhasePoint<T>& /*end*/) {
    return true;
  }
  /// Of a step of length h that failed: whether another chart was chosen, in which it is to be tried again.
  [[nodiscard]] virtual bool held_another_chart(const PhasePoint<T>& /*begin*/, LaneOf<T> /*h*/) { return false; }
  virtual void release_chart() {}
  /// How often another chart was chosen so far.
  virtual std::int64_t chart_changes() const { return 0; }

  /// z is the first point of a trajectory: puts into z.memory what the method keeps of it. The first step does so for a
  /// point that has no memory.
  virtual void begin(PhasePoint<T>& /*z*/) {}
  /// How much that is.
  struct MemorySize {
    std::size_t numbers = 0, counts = 0;
  };
  virtual MemorySize memory_size() const { return {}; }

  /// Forgets whatever was kept of the steps before, beside what points carry and what belongs to their revisions: the
  /// next step is that of an integrator which has just been made. For checkpoints.
  virtual void begin_anew() {}
  /// Whose variables it leaves with points, see OwnVariables; 0 if there are none.
  virtual std::uint64_t owner() const { return 0; }

  /// The method without the projection after its steps.
  virtual Integrator& unprojected() { return *this; }

  /// From now on projections that are parts of steps are counted there, until it is told a null pointer.
  virtual void count_projections(ProjectionTally<T>* /*tally*/) {}

  /// From now on StepReport::error is set. For methods with facts().error_order > 0.
  virtual void tolerate(const Tolerance& /*tolerance*/) {}

 protected:
  explicit Integrator(MethodFacts facts) : facts_(std::move(facts)) {}

 private:
  MethodFacts facts_;
};

}  // namespace cotangent
