#include "cotangent/monitor/registry.hpp"

#include <algorithm>

#include "cotangent/base/check.hpp"
#include "cotangent/model/unknown_name.hpp"
#include "cotangent/monitor/constraint.hpp"
#include "cotangent/monitor/energy.hpp"
#include "cotangent/monitor/invariant.hpp"

namespace cotangent {

const std::vector<MonitorFacts>& monitors() {
  static const std::vector<MonitorFacts> all{
      {"energy",
       "|H - H(0)|, the change of the energy since the start; less the work done, where forces or driving do work"},
      {"position", "max |g(q)|, how far the constraints are violated", true},
      {"momentum", "max |G(q) H_p(q, p)|, how fast the velocity leaves the constraints (with g_t, where they move)",
       true},
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

template <class T>
std::unique_ptr<Monitor<T>> make_monitor(const MonitorFacts& facts, Manifold<T>& manifold) {
  if (facts.name == "energy") return std::make_unique<EnergyMonitor<T>>(manifold);
  if (facts.name == "position") return std::make_unique<PositionMonitor<T>>(manifold);
  COTANGENT_CHECK(facts.name == "momentum");
  return std::make_unique<MomentumMonitor<T>>(manifold);
}

template <class T>
MonitorSet<T>::MonitorSet(const std::vector<std::string>& names, Manifold<T>& manifold) {
  for (const auto& name : names) static_cast<void>(find_monitor(name));
  for (const auto& facts : monitors()) {
    if (std::find(names.begin(), names.end(), facts.name) == names.end()) continue;
    if (facts.needs_constraints && manifold.system().m() == 0) continue;
    monitors_.push_back(make_monitor<T>(facts, manifold));
  }
  const auto& invariants = manifold.system().elements().invariant_rows;
  if (invariants.empty()) return;
  const auto values = std::make_shared<PointValues<T>>(manifold);
  for (const auto& rows : invariants) monitors_.push_back(std::make_unique<InvariantMonitor<T>>(rows, values));
}

template <class T>
void MonitorSet<T>::start(const PhasePoint<T>& z) {
  for (auto& monitor : monitors_) monitor->start(z);
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
bool MonitorSet<T>::is_finite() const {
  return std::all_of(monitors_.begin(), monitors_.end(),
                     [](const auto& monitor) { return all(isfinite(monitor->current())); });
}

template std::unique_ptr<Monitor<double>> make_monitor(const MonitorFacts&, Manifold<double>&);
template std::unique_ptr<Monitor<long double>> make_monitor(const MonitorFacts&, Manifold<long double>&);
template std::unique_ptr<Monitor<Quad>> make_monitor(const MonitorFacts&, Manifold<Quad>&);
template std::unique_ptr<Monitor<Lanes>> make_monitor(const MonitorFacts&, Manifold<Lanes>&);

template class MonitorSet<double>;
template class MonitorSet<long double>;
template class MonitorSet<Quad>;
template class MonitorSet<Lanes>;

}  // namespace cotangent
