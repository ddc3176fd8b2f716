#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cotangent/analysis/levels.hpp"
#include "cotangent/base/instantiate.hpp"
#include "cotangent/integrator/step_map.hpp"
#include "cotangent/manifold/redundancy.hpp"
#include "cotangent/monitor/follower.hpp"
#include "cotangent/monitor/probe/octave_schedule.hpp"
#include "cotangent/monitor/registry.hpp"

namespace cotangent {

/// The map of a run as a function of points, made of objects of its own, in numbers X: to look at what it does.
template <class X>
class ProbedMap {
 public:
  explicit ProbedMap(StepMap<X> map)
      : map_(std::move(map)), signals_({"energy", "position", "momentum"}, *map_.manifold) {}

  void start(const PhasePoint<X>& z) {
    settle_redundancy(*map_.manifold, z);
    signals_.start(z);
  }

  /// A trajectory begins at z, after steps that have been counted.
  void begin(Point<X>& z, const std::vector<std::int64_t>& counts) {
    map_.integrator->begin(z);
    if (!counts.empty()) z.trajectory().counts = counts;
  }

  /// A step of length h. False if it cannot be made.
  bool step(const Point<X>& z, LaneOf<X> h, Point<X>& end) {
    const StepReport<X> report = map_.integrator->step(z, h, end);
    changes_chart_ = report.charts > 0;
    return all(report.ok);
  }
  /// Whether the last one was made in another chart than the one before.
  bool changes_chart() const { return changes_chart_; }

  /// Moves a point onto the constraints. False if there is none near it.
  bool settle(Point<X>& point) {
    PhasePoint<X>& z = point.change();
    if (map_.system->m() == 0) return true;
    return map_.manifold->project_position(z).converged && map_.manifold->project_momentum(z).converged;
  }

  /// What can be watched at a point: energy, residuals of constraints and declared invariants, as monitors see them.
  const MonitorSet<X>& signals() const { return signals_; }
  void look(const PhasePoint<X>& z, std::vector<X>& values) {
    signals_.observe(z);
    for (std::size_t k = 0; k < values.size(); ++k) values[k] = signals_.list()[k]->signal();
  }

  const Elements& elements() const { return map_.system->elements(); }

  /// The momenta whose wedge product a symplectic method keeps: those of `impetus` are its own.
  const std::vector<X>& momenta(const Point<X>& z) const {
    return map_.integrator->facts().has_impetus && z.own().is_current ? z.own().p : z->p;
  }

  void state(Archive& archive) {
    archive("map", map_);
    archive("signals", signals_);
  }

 private:
  StepMap<X> map_;
  MonitorSet<X> signals_;
  bool changes_chart_ = false;
};

/// Measures, at the steps of an OctaveSchedule, what the map Phi of a run keeps, and what rounding errors do to it.
///
/// *In Quad.* The beginning of the step is moved onto the constraints, and the step is made there. A structure that
/// holds exactly holds to about 10^-33 now, and any other does not:
///
///   change of F      |F(Phi(z)) - F(z)| / |F'|      F = g, psi, H and declared invariants
///   steps back       |Phi_-h(Phi_h(z)) - z| / |z|
///   wedge product    |w(Phi'a, Phi'b) - w(a, b)| / |a||b|,   w(a, b) = a_q.b_p - a_p.b_q
///
/// All are relative changes of the point: |F'| is what F changes by where all numbers change by one part of their size
/// in one. Phi'a is made of central differences along the manifold; a moves coordinates, b momenta.
///
/// *In T.* The step is made from the same point and from neighbours, on the constraints as well as numbers can be, half
/// of the digits away: near enough that a defect of the map is the same, far enough that rounding errors are others.
/// How far their F(Phi(z)) - F(z) scatter is the rounding level; at least it is the difference of F in T and in Quad,
/// and one unit times |F'|. Steps back likewise.
template <class T>
class MapProbe final : public Follower<T> {
 public:
  /// @param run the map of the run, @param exact in Quad, both made of other objects.
  /// @param begins_anywhere the start need not be where steps lead to: the first step is not looked at.
  MapProbe(StepMap<T> run, StepMap<Quad> exact, bool begins_anywhere = false);

  void start(const PhasePoint<T>& z, LaneOf<T> h) override;
  void follow(const MadeStep<T>& step) override;
  void state(Archive& archive) override;

  /// The worst of all steps that were looked at.
  struct Signal {
    std::string name;
    Levels levels;      ///< of rounding errors of one step
    double change = 0;  ///< of the run in one step, in levels
    double defect = 0;  ///< the relative change in Quad

    void state(Archive& archive) {
      archive("levels", levels);
      archive("change", change);
      archive("defect", defect);
    }
  };
  struct Reversal {
    double figure = 0, level = 0;  ///< the largest
    double defect = 0;             ///< in Quad
    std::int64_t count = 0;        ///< of steps that were made back
    std::int64_t elsewhere = 0;    ///< of steps that went back in another chart: they do not count

    void state(Archive& archive) {
      archive("figure", figure);
      archive("level", level);
      archive("defect", defect);
      archive("count", count);
      archive("elsewhere", elsewhere);
    }
  };

  /// Of a monitor; a null pointer if it is none of a point.
  const Signal* find(std::string_view name) const;
  const Reversal& reversal() const { return reversal_; }
  double wedge_defect() const { return wedge_defect_; }    ///< in Quad
  double amplification() const { return amplification_; }  ///< of rounding errors: what a step leaves of one unit
  /// The largest coordinate, momentum or state: "q", "p", "s". A kind that is at rest has no less than half of the
  /// digits of what steps would make of others.
  double size(std::string_view part) const { return part == "q" ? largest_.q : part == "p" ? largest_.p : largest_.s; }
  double largest() const { return std::max({largest_.q, largest_.p, largest_.s}); }
  std::int64_t samples() const { return samples_; }  ///< steps that were looked at
  std::int64_t failed() const { return failed_; }    ///< of them those that could not be made again

 private:
  /// Of coordinates, momenta and states: the largest numbers, or what steps would make of others.
  struct Sizes {
    double q = 0, p = 0, s = 0;

    void state(Archive& archive) { archive("q", q, "p", p, "s", s); }
  };
  /// A tangent vector at both ends of a step.
  struct Tangent {
    PhasePoint<Quad> begin, end;
  };

  bool test_map(const MadeStep<T>& step);
  void note_sizes(const PhasePoint<T>& z);
  bool test_wedge(const MadeStep<T>& step);
  bool differentiate(const MadeStep<T>& step, bool along_q, Tangent& tangent);
  void test_signals();
  bool measure_rounding(const MadeStep<T>& step);
  void set_levels(const MadeStep<T>& step);
  double unit(const Point<T>& z) const;
  template <class X>
  double relative(const PhasePoint<X>& difference) const;

  ProbedMap<T> run_;
  ProbedMap<Quad> exact_;
  bool begins_anywhere_;
  OctaveSchedule is_picked_;

  // Of the step that is looked at: Phi(z) = w. Others begin at `moved`, and end there.
  Point<Quad> z_, w_, moved_, moved_end_;
  PhasePoint<Quad> difference_;
  Tangent a_, b_;
  Sizes sizes_;
  std::vector<Quad> at_z_, at_w_, at_moved_;  // signals, there
  std::vector<double> slopes_, scatter_;      // of signals
  Point<T> begin_, end_, back_;
  PhasePoint<T> returned_, missed_;
  std::vector<T> before_, after_, changes_;  // of signals, by a step

  std::vector<Signal> signals_;
  Reversal reversal_;
  double wedge_defect_ = 0, amplification_ = 1;
  Sizes largest_;  // of all steps
  std::int64_t samples_ = 0, failed_ = 0;
  LaneOf<T> start_time_ = 0;
};

COTANGENT_DECLARE(PRECISIONS, MapProbe);

}  // namespace cotangent
