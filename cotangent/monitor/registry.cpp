#include "cotangent/monitor/registry.hpp"

#include <algorithm>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/base/unknown_name.hpp"
#include "cotangent/monitor/conditioning.hpp"
#include "cotangent/monitor/constraint.hpp"
#include "cotangent/monitor/energy.hpp"
#include "cotangent/monitor/error.hpp"
#include "cotangent/monitor/invariant.hpp"
#include "cotangent/monitor/tangent_monitors.hpp"

namespace cotangent {

const std::vector<MonitorFacts>& monitors() {
  static const std::vector<MonitorFacts> all{
      {"energy",
       "|H - H(0)|, the change of the energy since the start; less the work done, where forces or driving do work"},
      {"position", "max |g(q)|, how far the constraints are violated", true},
      {"momentum", "max |G(q) H_p(q, p)|, how fast the velocity leaves the constraints (with g_t, where they move)",
       true},
      {"wedge",
       "the change of dq_1.dp_2 - dp_1.dq_2 of two tangent vectors, carried through the discrete map; 1 at first",
       false, false, true},
      {"symplectic", "the largest such change among all vectors of a basis of the tangent space", false, false, true},
      {"lyapunov", "the mean rate at which neighbours separate, log(|dz(t)|/|dz(0)|)/t, states and all", false, false,
       true},
      {"error", "the largest difference in a coordinate, momentum or state from the solution of --reference", false,
       false},
      {"condition", "how nearly constraints are dependent: R_ii/D_i at most, R = G H_pp G' = L D L'", true, false},
      {"multipliers", "max |lambda|, the largest multiplier", true, false},
      {"symmetries", "momenta, linear and angular, that symmetries of the model conserve, found by numbers", false,
       false, true},
  };
  return all;
}

const MonitorFacts& find_monitor(std::string_view name) {
  std::vector<std::string> names;
  for (const auto& facts : monitors()) {
    if (facts.name == name) return facts;
    names.push_back(facts.name);
  }
  throw UnknownName("monitor", name, names);
}

namespace {

/// Makes monitors, and the followers that some of them share.
template <class T>
class MonitorMaker {
 public:
  MonitorMaker(Manifold<T>& manifold, const MonitorSources<T>& sources,
               std::vector<std::shared_ptr<Follower<T>>>& followers)
      : manifold_(manifold), sources_(sources), followers_(followers) {}

  std::unique_ptr<Monitor<T>> operator()(const std::string& name) {
    if (name == "energy") return std::make_unique<EnergyMonitor<T>>(manifold_);
    if (name == "position") return std::make_unique<PositionMonitor<T>>(manifold_);
    if (name == "momentum") return std::make_unique<MomentumMonitor<T>>(manifold_);
    if (name == "condition") return std::make_unique<ConditionMonitor<T>>(manifold_);
    if (name == "multipliers") return std::make_unique<MultiplierMonitor<T>>(manifold_);
    // Goes along with every step of one trajectory.
    if constexpr (lane_count<T> == 1) {
      if (name == "error" && sources_.reference) {
        std::shared_ptr<Reference<T>> reference = sources_.reference();
        followers_.push_back(reference);
        return std::make_unique<ErrorMonitor<T>>(std::move(reference));
      }
      if (!sources_.tangents) return nullptr;
      if (name == "wedge") return std::make_unique<WedgeMonitor<T>>(pair());
      if (name == "lyapunov") {
        // What a pair does to keep its area makes other numbers of a trajectory large.
        const bool is_alone = manifold_.system().state_count() > 0;
        return std::make_unique<LyapunovMonitor<T>>(is_alone ? follow(TangentFlow<T>::Extent::neighbour) : pair());
      }
      if (name == "symplectic") return std::make_unique<SymplecticMonitor<T>>(follow(TangentFlow<T>::Extent::basis));
    }
    return nullptr;
  }

 private:
  const std::shared_ptr<TangentFlow<T>>& pair() {
    if (!pair_) pair_ = follow(TangentFlow<T>::Extent::one_pair);
    return pair_;
  }
  std::shared_ptr<TangentFlow<T>> follow(typename TangentFlow<T>::Extent extent) {
    if (!map_) map_ = sources_.tangents();
    auto flow = std::make_shared<TangentFlow<T>>(manifold_, map_, extent);
    followers_.push_back(flow);
    return flow;
  }

  Manifold<T>& manifold_;
  const MonitorSources<T>& sources_;
  std::vector<std::shared_ptr<Follower<T>>>& followers_;
  std::shared_ptr<StepMap<Tangents>> map_;
  std::shared_ptr<TangentFlow<T>> pair_;
};

bool applies(const MonitorFacts& facts, const Elements& elements) {
  return (elements.m > 0 || !facts.needs_constraints) && (elements.n > 0 || !facts.needs_phase_space);
}

}  // namespace

template <class T>
MonitorSet<T>::MonitorSet(const std::vector<std::string>& names, Manifold<T>& manifold,
                          const MonitorSources<T>& sources) {
  for (const auto& name : names) static_cast<void>(find_monitor(name));
  MonitorMaker<T> make(manifold, sources, followers_);
  for (const auto& facts : monitors()) {
    if (std::find(names.begin(), names.end(), facts.name) == names.end()) continue;
    if (!applies(facts, manifold.system().elements())) continue;
    if (auto monitor = make(facts.name)) monitors_.push_back(std::move(monitor));
  }
  const auto& invariants = manifold.system().elements().invariant_rows;
  if (invariants.empty()) return;
  const auto values = std::make_shared<PointValues<T>>(manifold);
  for (const auto& rows : invariants) monitors_.push_back(std::make_unique<InvariantMonitor<T>>(rows, values));
}

template <class T>
void MonitorSet<T>::start(const PhasePoint<T>& z, LaneOf<T> h) {
  for (auto& follower : followers_) follower->start(z, h);
  for (auto& monitor : monitors_) monitor->start(z);
}

template <class T>
void MonitorSet<T>::follow(const MadeStep<T>& step) {
  for (auto& follower : followers_) follower->follow(step);
  observe(step.end);
}

template <class T>
void MonitorSet<T>::observe(const PhasePoint<T>& z) {
  for (auto& monitor : monitors_) monitor->observe(z);
}

template <class T>
void MonitorSet<T>::take_back() {
  for (auto& monitor : monitors_) monitor->take_back();
}

template <class T>
void MonitorSet<T>::settle() {
  for (auto& follower : followers_) follower->settle();
}

template <class T>
void MonitorSet<T>::state(Archive& archive) {
  for (auto& follower : followers_) archive("follower", *follower);
  for (auto& monitor : monitors_) {
    std::string name = monitor->full_name();
    archive("monitor", name);
    if (name != monitor->full_name()) archive.fail("'" + monitor->full_name() + "' is expected, not '" + name + "'");
    archive("values", *monitor);
  }
}

template <class T>
bool MonitorSet<T>::is_finite() const {
  return std::all_of(monitors_.begin(), monitors_.end(),
                     [](const auto& monitor) { return !monitor->is_of_point() || all(isfinite(monitor->current())); });
}

template <class T>
const Monitor<T>* MonitorSet<T>::find(std::string_view name) const {
  for (const auto& monitor : monitors_)
    if (monitor->full_name() == name) return monitor.get();
  return nullptr;
}

COTANGENT_INSTANTIATE(VALUES, MonitorSet);

}  // namespace cotangent
