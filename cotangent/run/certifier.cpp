#include "cotangent/run/certifier.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "cotangent/simulation/run_signals.hpp"

namespace cotangent {

template <class T>
bool Certifier<T>::begins_after_step(const Monitor<T>& monitor) const {
  if (parts_.plan.initial != InitialPolicy::as_given) return false;
  if (monitor.name() == "position") return facts_.keeps_position || parts_.plan.policy().to_position();
  return monitor.name() == "momentum" && (facts_.keeps_momentum || parts_.plan.policy().to_momentum());
}

template <class T>
void Certifier<T>::describe_error(RunEvidence::Error& error) const {
  const std::string& reference = parts_.plan.reference;
  constexpr std::string_view finer = "finer:";
  error.is_shared = reference.starts_with(finer);
  if (!error.is_shared) {
    error.by = reference == "exact" ? "the exact solution" : "the record " + reference;
    return;
  }
  const std::string K = reference.substr(finer.size());
  error.by = K == "2" ? "step halving" : "steps " + K + " times as short";
  // What K steps in place of each one leave of the error is known if the order is.
  const double refinement = monitors_.reference()->refinement();
  error.factor = 1 / (1 - std::pow(refinement, -facts_.order));
}

template <class T>
Certificate Certifier<T>::operator()(const std::vector<Series>& series, const Summary& summary,
                                     const std::optional<AdaptiveOptions>& adaptive,
                                     const std::vector<ChangingInvariant>& changing) const {
  const Elements& elements = *parts_.elements;
  RunEvidence run = measured_evidence(monitors_, series, probe_);
  run.facts = facts_;
  run.policy = parts_.plan.policy();
  run.is_ended = summary.outcome == Outcome::done;
  run.steps = summary.steps;
  run.has_constraints = elements.m > 0;
  run.is_autonomous = elements.is_autonomous();
  run.is_hamiltonian = elements.n > 0 && !elements.has_forces() && elements.states == 0;
  run.is_adaptive = adaptive.has_value();
  run.has_even_steps = !adaptive || (summary.choice && summary.choice->is_reversible);
  run.charts = summary.counts.charts;
  for (const ChangingInvariant& invariant : changing) run.changing.push_back(invariant.name);
  if (run.error) describe_error(*run.error);
  return certify(run);
}

COTANGENT_INSTANTIATE(PRECISIONS, Certifier);

}  // namespace cotangent
