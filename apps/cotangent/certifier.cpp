#include "certifier.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/monitor/error.hpp"
#include "cotangent/simulation/run_signals.hpp"

using namespace cotangent;

template <class T>
Certifier<T>::Certifier(const RunParts& parts, const MethodFacts& facts, Manifold<T>& manifold, MonitorSet<T>& monitors)
    : parts_(parts),
      facts_(facts),
      monitors_(monitors),
      levels_(std::make_shared<LevelWatch<T>>(manifold)),
      reversal_(std::make_shared<ReversalProbe<T>>(make_step_map<T>(parts),
                                                   parts.choices.initial == InitialPolicy::as_given)) {
  monitors.add(levels_);
  monitors.add(reversal_);
}

template <class T>
bool Certifier<T>::begins_after_step(const Monitor<T>& monitor) const {
  if (parts_.choices.initial != InitialPolicy::as_given) return false;
  if (monitor.name() == "position") return facts_.keeps_position || parts_.policy.to_position();
  return monitor.name() == "momentum" && (facts_.keeps_momentum || parts_.policy.to_momentum());
}

template <class T>
Certificate Certifier<T>::operator()(const std::vector<Series>& series, const Summary& summary, const PhasePoint<T>& z,
                                     const std::optional<AdaptiveOptions>& adaptive,
                                     const std::vector<ChangingInvariant>& changing) const {
  const Elements& elements = *parts_.elements;
  levels_->look(z);
  RunEvidence run;
  run.facts = facts_;
  run.policy = parts_.policy;
  run.is_complete = summary.outcome == Outcome::done;
  run.steps = summary.steps;
  run.has_constraints = elements.m > 0;
  run.is_autonomous = elements.is_autonomous();
  run.is_hamiltonian = elements.n > 0 && !elements.has_forces() && elements.states == 0;
  run.is_adaptive = adaptive.has_value();
  const bool was_adjusted = std::any_of(summary.warnings.begin(), summary.warnings.end(), [](const Warning& warning) {
    return warning.kind == "irreversible-steps" || warning.kind == "lost-density";
  });
  run.has_even_steps = !adaptive || (adaptive->controller == Controller::reversible && !was_adjusted);
  run.has_lost_density = adaptive && adaptive->controller == Controller::reversible && was_adjusted;
  run.charts = summary.counts.charts;
  for (const ChangingInvariant& invariant : changing) run.changing.push_back(invariant.name);
  run.unit = static_cast<double>(epsilon<T>());
  run.signals = watched_signals(monitors_, series, *levels_);
  run.separation = separation(monitors_);
  run.reversal = reversal_of(*reversal_);
  const std::string reference = parts_.options.reference.value_or("");
  if (reference.starts_with("finer:")) {
    // What K steps in place of each one leave of the error is known if the order is.
    const auto& error = dynamic_cast<const ErrorMonitor<T>&>(*monitors_.find("error"));
    const double refinement = error.reference().refinement();
    const std::string K = reference.substr(6);
    run.error_by = K == "2" ? "step halving" : "steps " + K + " times as short";
    run.is_error_shared = true;
    // A few steps that a controller chooses may be as long as those of the run: then nothing is known.
    run.is_refined = refinement > 1.2;
    if (run.is_refined) run.error_factor = 1 / (1 - std::pow(refinement, -facts_.order));
  } else if (!reference.empty()) {
    run.error_by = reference == "exact" ? "the exact solution" : "the record " + reference;
  }
  return certify(run);
}

COTANGENT_INSTANTIATE(PRECISIONS, Certifier);
