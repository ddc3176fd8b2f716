#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/integrator/step_watch.hpp"
#include "cotangent/manifold/manifold.hpp"
#include "cotangent/monitor/follower.hpp"
#include "cotangent/monitor/monitor.hpp"
#include "cotangent/monitor/reference/reference.hpp"
#include "cotangent/monitor/tangent/tangent_flow.hpp"

namespace cotangent {

struct MonitorFacts {
  std::string name;
  std::string description;         ///< one line
  bool needs_constraints = false;  ///< does not apply to a system without constraints
  bool is_usual = true;            ///< watched unless others are asked for
  bool needs_phase_space = false;  ///< does not apply to a system without coordinates
  bool needs_freedom = false;      ///< does not apply to a system with constraints
  bool needs_impetus = false;      ///< applies to steps that carry an impetus only

  /// Why it does not apply to a system of n coordinates and m constraints; empty if it does.
  std::string why_idle(std::int64_t n, std::int64_t m) const;
};

/// Every monitor the program has, in the order in which they are reported.
const std::vector<MonitorFacts>& monitors();

/// The monitor of that name. @throws UnknownName
const MonitorFacts& find_monitor(std::string_view name);

/// Where monitors come from that need more than a point: called at most once each.
template <class T>
struct MonitorSources {
  std::function<std::shared_ptr<StepMap<Tangents>>()> tangents = {};
  std::function<std::unique_ptr<Reference<T>>()> reference = {};
  std::vector<std::string> impetuses = {};  ///< names of the numbers of p*, where steps carry it
};

/// Several monitors, watching together.
template <class T>
class MonitorSet {
 public:
  MonitorSet() = default;

  /// Those of the names that apply to the system, without repetition, in the order of the registry; then the
  /// invariants that the model declares, which are always watched.
  /// @throws UnknownName
  /// @param sources those of the monitors asked for; the manifold must outlive the set.
  MonitorSet(const std::vector<std::string>& names, Manifold<T>& manifold, const MonitorSources<T>& sources = {});

  /// @param h about how long steps will be, for followers.
  void start(const PhasePoint<T>& z, LaneOf<T> h = 0) {
    for (auto& follower : followers_) follower->start(z, h);
    for (auto& monitor : monitors_) monitor->start(z);
  }

  /// A step was made that counts: its end is observed.
  void follow(const MadeStep<T>& step) {
    for (auto& follower : followers_) follower->follow(step);
    observe(step.end);
  }

  void observe(const PhasePoint<T>& z) {
    for (auto& monitor : monitors_) monitor->observe(z);
  }
  void take_back() {
    for (auto& monitor : monitors_) monitor->take_back();
  }

  /// Whether what a StepWatch sees is all that is watched.
  bool can_take_watch() const;
  /// One that goes on from here, and what it has seen.
  StepWatch<T> watch() const;
  void take(const StepWatch<T>& watch);

  /// The step that was followed last counts. @throws std::runtime_error as Follower::settle().
  void settle() {
    for (auto& follower : followers_) follower->settle();
  }

  /// Whether every current value of a point is finite.
  bool is_finite() const;

  const std::vector<std::unique_ptr<Monitor<T>>>& list() const { return monitors_; }

  /// The monitor of that name; a null pointer if it is not watched.
  const Monitor<T>* find(std::string_view name) const;

  /// What `error` is measured against; a null pointer if it is not watched.
  const Reference<T>* reference() const { return reference_.get(); }

  /// Someone else who goes along.
  void add(std::shared_ptr<Follower<T>> follower) { followers_.push_back(std::move(follower)); }

  /// All that they remember of the run, for a checkpoint. Is read after start().
  void state(Archive& archive);

  /// Whether some monitor, or another follower, goes along with every step.
  bool follows() const { return !followers_.empty(); }

 private:
  std::vector<std::shared_ptr<Follower<T>>> followers_;
  std::vector<std::unique_ptr<Monitor<T>>> monitors_;
  std::shared_ptr<Reference<T>> reference_;
};

COTANGENT_DECLARE(VALUES, MonitorSet);

}  // namespace cotangent
