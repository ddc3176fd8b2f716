#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cotangent/base/fingerprint.hpp"
#include "cotangent/base/point.hpp"
#include "cotangent/base/scalar.hpp"
#include "cotangent/base/step_report.hpp"
#include "cotangent/integrator/step_watch.hpp"
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
  group_preserving,
  taylor,
};

/// "explicit Runge-Kutta".
const char* describe(MethodKind kind);

/// What a method claims. Each claim is measured by the contract suite, and printed by `cotangent list methods`.
struct MethodFacts {
  std::string name;
  MethodKind kind = MethodKind::constrained;
  std::string description;                         ///< one line
  int order = 0;                                   ///< of convergence, on smooth problems
  int error_order = 0;                             ///< its estimate of its error is O(h^error_order); 0: it has none
  bool symmetric = false;                          ///< a step of -h undoes a step of h
  bool symplectic = false;                         ///< on the constraint manifold
  bool symplectic_off = false;                     ///< in the whole phase space, off the manifold too
  bool keeps_quadratic = false;                    ///< quadratic first integrals of the field that it integrates
  bool keeps_energy = false;                       ///< H, to rounding
  std::vector<std::string> keeps_invariants = {};  ///< declared ones, to rounding, of the system that it is made for
  bool keeps_position = false;                     ///< g(q) = 0 after every step, to rounding
  bool keeps_momentum = false;                     ///< G H_p = 0 after every step, to rounding
  bool has_solver = false;                         ///< its stages are found as MethodOptions::solver says
  bool has_sets = false;                           ///< it scales sets of variables, as MethodOptions::sets says
  bool moves_time = false;                ///< a step of length h ends at t + gamma h, gamma near 1: see relaxed.hpp
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
  std::array<double, 3> size{};  ///< the least that the largest component of a kind counts as
  /// How many of the states count; those after them, such as the work done, are witnesses.
  std::size_t states = std::numeric_limits<std::size_t>::max();

  bool operator==(const Tolerance&) const = default;
};

/// What rounding makes of a step, by kind (coordinates, momenta, states), where it is known.
template <class T>
using StepNoiseOf = std::array<LaneOf<T>, 3>;

/// What a step has cost is added to what others have.
template <class T>
void add_work(const StepReport<T>& step, StepReport<T>& total) {
  total.iterations += step.iterations;
  total.evaluations += step.evaluations;
  total.charts += step.charts;
}

/// A step of a method that moves the time, so that it ends at t: h is its length.
/// @param make(h) makes the step from z to `end`, which it does not change.
template <class T, class Make>
[[nodiscard]] StepReport<T> land(const Point<T>& z, LaneOf<T> t, LaneOf<T>& h, const Point<T>& end, const Make& make) {
  constexpr int kMost = 30;
  const LaneOf<T> rounding = 4 * epsilon<T>() * max(abs(t), abs(z->t));
  StepReport<T> report, total;
  for (int k = 0; k < kMost; ++k) {
    report = make(h);
    add_work(report, total);
    if (!any(report.ok) || abs(end->t - t) <= rounding) break;
    h = h * (t - z->t) / (end->t - z->t);
  }
  report.iterations = report.evaluations = report.charts = 0;
  add_work(total, report);
  return report;
}

/// A step that is made again, each time in another chart, until the right one is found.
/// @param is_done(report) whether it is; if not, it has chosen another one.
template <class T, class Make, class IsDone>
[[nodiscard]] StepReport<T> step_in_right_chart(const Make& make, const IsDone& is_done) {
  StepReport<T> total;
  while (true) {
    StepReport<T> report = make();
    add_work(report, total);
    if (!is_done(report)) continue;
    report.iterations = total.iterations;
    report.evaluations = total.evaluations;
    return report;
  }
}

/// A one-step map. Owns workspace, never anything of a trajectory; made for one system.
template <class T>
class Integrator {
 public:
  virtual ~Integrator() = default;

  const MethodFacts& facts() const { return facts_; }

  /// A step of length h from z to `end`, another object, or why there is none. It is a function of z and h: what `end`
  /// was before does not count, and z stays. Lanes that fail stay where they began; where all do `end` is of no use.
  /// Does not allocate if `end` has been one before.
  [[nodiscard]] StepReport<T> step(const Point<T>& z, LaneOf<T> h, Point<T>& end) {
    end.begin_from(z);
    return make_step(z, h, end);
  }

  /// The same in place.
  [[nodiscard]] StepReport<T> step(Point<T>& z, LaneOf<T> h) {
    std::int64_t done = 0;
    return advance(z, h, 1, done);
  }

  /// The same as up to `steps` calls of step(), bit for bit, but it may be faster. Stops at the first step that is not
  /// ok in some lane; `done` tells how many went before it. The report is that of the last step, with the iterations
  /// and evaluations of all.
  [[nodiscard]] virtual StepReport<T> advance(Point<T>& z, LaneOf<T> h, std::int64_t steps, std::int64_t& done) {
    return repeat([&] { return go(z, h); }, steps, done);
  }

  /// Whether advance_watched() can make steps of this system. Compiles what it needs.
  virtual bool can_watch() { return false; }
  /// advance() with an eye on the points where steps end. Makes as many steps as the kernel can, which may be none;
  /// none of them fails.
  [[nodiscard]] virtual StepReport<T> advance_watched(Point<T>& /*z*/, LaneOf<T> /*h*/, std::int64_t /*steps*/,
                                                      std::int64_t& done, StepWatch<T>& /*watch*/) {
    done = 0;
    return {};
  }

  /// Steps that are parts of one, in a formulation in charts: a method is another map in another chart, so all parts
  /// are made in the same one. hold_chart() chooses it for a step from `begin`, until release_chart(). When the step
  /// has been made held_right_chart() says whether it was the right one for both ends; if not it has chosen the right
  /// one, and the step is to be made again from its beginning.
  virtual void hold_chart(const Point<T>& /*begin*/) {}
  [[nodiscard]] virtual bool held_right_chart(const Point<T>& /*begin*/, const Point<T>& /*end*/) { return true; }
  /// Of a step of length h that failed: whether another chart was chosen, in which it is to be tried again.
  [[nodiscard]] virtual bool held_another_chart(const Point<T>& /*begin*/, LaneOf<T> /*h*/) { return false; }
  virtual void release_chart() {}

  /// z is the first point of a trajectory: puts into z.trajectory() what the method keeps of it. The first step does so
  /// for a point that has nothing there.
  virtual void begin(Point<T>& /*z*/) {}
  /// How much that is.
  struct TrajectorySize {
    std::size_t numbers = 0, counts = 0;
  };
  virtual TrajectorySize trajectory_size() const { return {}; }

  /// Of the step that was made last: what other results of the same stages, embedded ones of lower order, add to it.
  /// The k-th as one vector (q, p, s).
  virtual std::size_t embedded_count() const { return 0; }
  virtual void embedded(std::size_t /*k*/, T* /*d*/) {}

  /// Whether many steps are made at once as machine code, as far as the method can.
  virtual bool is_compiled() const { return false; }

  /// Whether the method knows more of the motion than the ends of its steps: how long a step from z may be for what is
  /// tolerated, and points inside steps.
  virtual bool has_series() const { return false; }
  /// A length of the sign of `longest`, and not longer.
  virtual LaneOf<T> propose_length(const PhasePoint<T>& /*z*/, LaneOf<T> longest) { return longest; }
  /// The point x at the time h after z, as accurate as the end of a step is.
  [[nodiscard]] virtual StepReport<T> within(const PhasePoint<T>& /*z*/, LaneOf<T> /*h*/, PhasePoint<T>& /*x*/) {
    return {.status = StepStatus::not_finite, .ok = Mask<T>(false)};
  }

  /// The method without the projection after its steps.
  virtual Integrator& unprojected() { return *this; }

  /// From now on projections that are parts of steps are counted there, until it is told a null pointer.
  virtual void count_projections(ProjectionTally<T>* /*tally*/) {}

  /// From now on StepReport::error is set, and errors below the noise do not count. For methods with
  /// facts().error_order > 0.
  virtual void tolerate(const Tolerance& /*tolerance*/, const StepNoiseOf<T>& /*noise*/ = {}) {}

 protected:
  explicit Integrator(MethodFacts facts) : facts_(std::move(facts)) { id_.add(facts_.name); }

  /// As step(). @param end of the right size, and of the trajectory of z.
  [[nodiscard]] virtual StepReport<T> make_step(const Point<T>& z, LaneOf<T> h, Point<T>& end) = 0;

  /// A step in place, by way of another point.
  [[nodiscard]] StepReport<T> go(Point<T>& z, LaneOf<T> h) {
    const StepReport<T> report = step(z, h, next_);
    if (any(report.ok)) swap(z, next_);
    return report;
  }

  /// advance(), with a step in place.
  template <class Step>
  [[nodiscard]] StepReport<T> repeat(const Step& make, std::int64_t steps, std::int64_t& done) {
    StepReport<T> report, total;
    for (done = 0; done < steps; ++done) {
      report = make();
      add_work(report, total);
      if (report.status != StepStatus::ok) break;
    }
    report.iterations = report.evaluations = report.charts = 0;
    add_work(total, report);
    return report;
  }

  /// The same for methods whose memories have the same layout.
  std::uint64_t id() const { return id_.value(); }
  void distinguish(std::string_view by) { id_.add(by); }

 private:
  MethodFacts facts_;
  Fingerprint id_;
  Point<T> next_;
};

}  // namespace cotangent
