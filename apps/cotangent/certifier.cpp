#include "certifier.hpp"

#include <cmath>
#include <utility>

#include "cotangent/monitor/tangent_monitors.hpp"

using namespace cotangent;

template <class T>
Certifier<T>::Certifier(const RunParts& parts, const MethodFacts& facts, Manifold<T>& manifold, MonitorSet<T>& monitors)
    : parts_(parts),
      facts_(facts),
      manifold_(manifold),
      monitors_(monitors),
      levels_(std::make_shared<LevelWatch<T>>(manifold)),
      reversal_(std::make_shared<ReversalProbe<T>>(make_step_map<T>(parts))) {
  monitors.add(levels_);
  monitors.add(reversal_);
}

template <class T>
double Certifier<T>::level(const std::string& monitor) const {
  if (monitor == "position") return levels_->position();
  if (monitor == "momentum") return levels_->momentum();
  if (monitor == "energy") return levels_->energy();
  if (monitor == "error") return levels_->size();
  if (monitor == "wedge") return dynamic_cast<const WedgeMonitor<T>&>(*monitors_.find(monitor)).flow().rounding();
  return levels_->product();
}

template <class T>
Certificate Certifier<T>::operator()(const std::vector<Series>& series, bool has_even_steps,
                                     std::int64_t charts) const {
  const Elements& elements = *parts_.elements;
  RunEvidence run{.facts = facts_,
                  .policy = parts_.policy,
                  .has_constraints = elements.m > 0,
                  .is_hamiltonian = elements.n > 0 && !elements.has_forces() && elements.states == 0,
                  .has_even_steps = has_even_steps,
                  .charts = charts,
                  .unit = static_cast<double>(epsilon<T>()),
                  .signals = {},
                  .reversal = {},
                  .error_by = {}};
  const auto& monitors = monitors_.list();
  for (std::size_t k = 0; k < series.size(); ++k) {
    const std::string name = monitors[k]->full_name();
    run.signals.push_back({name, series[k], level(name)});
  }
  run.reversal = {reversal_->largest(), reversal_->count(), reversal_->failed()};
  const std::string reference = parts_.options.reference.value_or("");
  if (reference.starts_with("finer:")) {
    // What K steps in place of each one leave of the error is known if the order is.
    const double K = std::stod(reference.substr(6));
    run.error_by = K == 2 ? "step halving" : "steps " + reference.substr(6) + " times as short";
    run.error_factor = 1 / (1 - std::pow(K, -facts_.order));
  } else if (!reference.empty()) {
    run.error_by = reference == "exact" ? "the exact solution" : "the record " + reference;
  }
  return certify(run);
}

template class Certifier<double>;
template class Certifier<long double>;
template class Certifier<Quad>;
