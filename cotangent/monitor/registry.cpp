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

namespace {

/// What monitors are made of, and the followers that some of them share.
template <class T>
class MonitorParts {
 public:
  MonitorParts(Manifold<T>& manifold, const MonitorSources<T>& sources,
               std::vector<std::shared_ptr<Follower<T>>>& followers)
      : manifold_(manifold), sources_(sources), followers_(followers) {}

  Manifold<T>& manifold() { return manifold_; }
  bool has_tangents() const { return static_cast<bool>(sources_.tangents); }

  /// A null pointer if there is none.
  std::shared_ptr<Reference<T>> reference() {
    if (!sources_.reference) return nullptr;
    std::shared_ptr<Reference<T>> reference = sources_.reference();
    followers_.push_back(reference);
    return reference;
  }
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

 private:
  Manifold<T>& manifold_;
  const MonitorSources<T>& sources_;
  std::vector<std::shared_ptr<Follower<T>>>& followers_;
  std::shared_ptr<StepMap<Tangents>> map_;
  std::shared_ptr<TangentFlow<T>> pair_;
};

template <class T>
using Made = std::unique_ptr<Monitor<T>>;

// Of a point.
template <template <class> class M, class T>
Made<T> of_point(MonitorParts<T>& parts) {
  return std::make_unique<M<T>>(parts.manifold());
}

// Those that go along with every step of one trajectory.
template <class T>
Made<T> error(MonitorParts<T>& parts) {
  if constexpr (lane_count<T> == 1)
    if (auto reference = parts.reference()) return std::make_unique<ErrorMonitor<T>>(std::move(reference));
  return nullptr;
}
template <class T>
Made<T> wedge(MonitorParts<T>& parts) {
  if constexpr (lane_count<T> == 1)
    if (parts.has_tangents()) return std::make_unique<WedgeMonitor<T>>(parts.pair());
  return nullptr;
}
template <class T>
Made<T> symplectic(MonitorParts<T>& parts) {
  if constexpr (lane_count<T> == 1)
    if (parts.has_tangents())
      return std::make_unique<SymplecticMonitor<T>>(parts.follow(TangentFlow<T>::Extent::basis));
  return nullptr;
}
template <class T>
Made<T> lyapunov(MonitorParts<T>& parts) {
  if constexpr (lane_count<T> == 1)
    if (parts.has_tangents()) {
      // What a pair does to keep its area makes other numbers of a trajectory large.
      const bool is_alone = parts.manifold().system().state_count() > 0;
      return std::make_unique<LyapunovMonitor<T>>(is_alone ? parts.follow(TangentFlow<T>::Extent::neighbour)
                                                           : parts.pair());
    }
  return nullptr;
}
// They are watched as invariants of the model.
template <class T>
Made<T> symmetries(MonitorParts<T>& /*parts*/) {
  return nullptr;
}

template <class T>
struct Row {
  MonitorFacts facts;
  Made<T> (*make)(MonitorParts<T>& parts);
};

/// Every monitor, in the order in which they are reported; adding one is a row here.
template <class T>
const std::vector<Row<T>>& rows() {
  static const std::vector<Row<T>> all{
      {{"energy",
        "|H - H(0)|, the change of the energy since the start; less the work done, where forces or driving do work"},
       of_point<EnergyMonitor, T>},
      {{"position", "max |g(q)|, how far the constraints are violated", true}, of_point<PositionMonitor, T>},
      {{"momentum", "max |G(q) H_p(q, p)|, how fast the velocity leaves the constraints (with g_t, where they move)",
        true},
       of_point<MomentumMonitor, T>},
      {{"wedge",
        "the change of dq_1.dp_2 - dp_1.dq_2 of two tangent vectors, carried through the discrete map; 1 at first",
        false, false, true},
       wedge<T>},
      {{"symplectic", "the largest such change among all vectors of a basis of the tangent space", false, false, true},
       symplectic<T>},
      {{"lyapunov", "the mean rate at which neighbours separate, log(|dz(t)|/|dz(0)|)/t, states and all", false, false,
        true},
       lyapunov<T>},
      {{"error", "the largest difference in a coordinate, momentum or state from the solution of `reference`", false,
        false},
       error<T>},
      {{"condition", "how nearly constraints are dependent: R_ii/D_i at most, R = G H_pp G' = L D L'", true, false},
       of_point<ConditionMonitor, T>},
      {{"multipliers", "max |lambda|, the largest multiplier", true, false}, of_point<MultiplierMonitor, T>},
      {{"symmetries", "momenta, linear and angular, that symmetries of the model conserve, found by numbers", false,
        false, true},
       symmetries<T>},
  };
  return all;
}

bool applies(const MonitorFacts& facts, const Elements& elements) {
  return (elements.m > 0 || !facts.needs_constraints) && (elements.n > 0 || !facts.needs_phase_space);
}

}  // namespace

const std::vector<MonitorFacts>& monitors() {
  static const std::vector<MonitorFacts> all = [] {
    std::vector<MonitorFacts> facts;
    for (const auto& row : rows<double>()) facts.push_back(row.facts);
    return facts;
  }();
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

template <class T>
MonitorSet<T>::MonitorSet(const std::vector<std::string>& names, Manifold<T>& manifold,
                          const MonitorSources<T>& sources) {
  for (const auto& name : names) static_cast<void>(find_monitor(name));
  MonitorParts<T> parts(manifold, sources, followers_);
  for (const auto& [facts, make] : rows<T>()) {
    if (std::find(names.begin(), names.end(), facts.name) == names.end()) continue;
    if (!applies(facts, manifold.system().elements())) continue;
    if (auto monitor = make(parts)) monitors_.push_back(std::move(monitor));
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
