#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cotangent/manifold/manifold.hpp"
#include "cotangent/monitor/monitor.hpp"

namespace cotangent {

struct MonitorFacts {
  std::string name;
  std::string description;         ///< one line
  bool needs_constraints = false;  ///< does not apply to a system without constraints
};

/// Every monitor the program has, in the order in which they are reported.
const std::vector<MonitorFacts>& monitors();

/// The monitor of that name. @throws UnknownName
const MonitorFacts& find_monitor(std::string_view name);

/// The manifold must outlive the monitor. @pre the name is one of monitors(), and it applies.
template <class T>
std::unique_ptr<Monitor<T>> make_monitor(const MonitorFacts& facts, Manifold<T>& manifold);

/// Several monitors, watching together.
template <class T>
class MonitorSet {
 public:
  MonitorSet() = default;

  /// Those of the names that apply to the system, without repetition, in the order of the registry; then the
  /// invariants that the model declares, which are always watched.
  /// @throws UnknownName
  MonitorSet(const std::vector<std::string>& names, Manifold<T>& manifold);

  void start(const PhasePoint<T>& z);
  void observe(const PhasePoint<T>& z);
  void take_back();

  /// Whether every current value is finite.
  bool is_finite() const;

  const std::vector<std::unique_ptr<Monitor<T>>>& list() const { return monitors_; }

 private:
  std::vector<std::unique_ptr<Monitor<T>>> monitors_;
};

extern template class MonitorSet<double>;
extern template class MonitorSet<long double>;
extern template class MonitorSet<Quad>;
extern template class MonitorSet<Lanes>;

}  // namespace cotangent
