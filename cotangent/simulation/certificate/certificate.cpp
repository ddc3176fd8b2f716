#include "cotangent/simulation/certificate/certificate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "cotangent/base/step_parts.hpp"
#include "cotangent/base/wording.hpp"

namespace cotangent {
namespace {

// In standard errors: a drift that is none, and one that is there.
constexpr double kNone = 3, kThere = 5;

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool is_projected_always(const RunEvidence& run) { return run.policy.is_exact(); }

// Whether points are moved after steps.
bool is_moved(const RunEvidence& run) {
  const bool to_constraints = run.has_constraints && (run.policy.to_position() || run.policy.to_momentum());
  return to_constraints || !run.policy.invariants.empty();
}

// A figure in levels; nothing of nothing.
double in_levels(double figure, double level) { return figure > 0 ? figure / level : 0; }

Verdict verdict_of(double levels) {
  if (levels <= kNearLevel) return Verdict::kept;
  return levels >= kFarAbove ? Verdict::broken : Verdict::undecided;
}

// What was kept as far as it was measured need not have been kept elsewhere.
void doubt(Finding& finding, const std::string& because) {
  finding.evidence += (finding.evidence.empty() ? "" : "; ") + because;
  if (finding.verdict == Verdict::kept) finding.verdict = Verdict::undecided;
}

void doubt_what_is_missing(Finding& finding, const RunEvidence& run, const Series& series) {
  if (run.steps == 0) return doubt(finding, "no step was made");
  if (run.samples == run.failed) return doubt(finding, "no step could be made again in quad precision");
  if (run.failed > 0)
    finding.evidence +=
        fmt::format("; {} could not be made again", plural(static_cast<std::size_t>(run.failed), "step"));
  if (series.not_finite() > 0)
    doubt(finding,
          fmt::format("it could not be measured after t = {:g}", run.span.time_after(series.first_not_finite())));
}

std::string in_quad(const RunEvidence& run, double defect) {
  return fmt::format("in quad precision {} steps change it by {:.1g} of its size", run.samples - run.failed, defect);
}

// Of a signal that is to stay at 0, but for rounding errors and for `slack`.
Finding kept_to_rounding(const RunEvidence& run, const WatchedSignal& signal, double slack = 0) {
  Finding finding{.structure = signal.name};
  finding.figure = signal.series.largest();
  double worst = -1, steps = 0;
  for (const SeriesBin& bin : signal.series.bins()) {
    steps += static_cast<double>(bin.count);
    const double first = signal.series.first_value();
    const double y = std::max(std::abs(first + bin.min), std::abs(first + bin.max)) - slack;
    const double level = signal.levels.at(bin.t_last, steps), levels = in_levels(y, level);
    if (levels < worst) continue;
    worst = levels;
    finding.level = level;
  }
  if (slack > 0) {
    finding.evidence = fmt::format("never above {:.3g}", finding.figure);
  } else {
    finding.defect = signal.defect;
    worst = std::max({worst, signal.change, signal.defect / epsilon<double>()});
    finding.evidence = in_quad(run, signal.defect) + fmt::format(", here by {:.2g} levels", signal.change);
  }
  finding.verdict = verdict_of(worst);
  doubt_what_is_missing(finding, run, signal.series);
  return finding;
}

Finding constraint(const RunEvidence& run, const WatchedSignal& signal, bool by_method, bool by_projection,
                   const char* what) {
  const bool has_slack = !by_method && by_projection && run.policy.above && run.policy.every == 1;
  Finding finding = kept_to_rounding(run, signal, has_slack ? *run.policy.above : 0);
  finding.is_claimed = by_method || has_slack || (by_projection && is_projected_always(run));
  if (has_slack) {
    finding.claim = fmt::format("|{}| below {:g} after every step, by the projection", what, *run.policy.above);
  } else if (finding.is_claimed) {
    finding.claim = fmt::format("{} = 0 after every step, by the {}", what, by_method ? "method" : "projection");
  } else {
    finding.claim = by_projection ? fmt::format("none: {} is returned to now and then only", what)
                                  : fmt::format("none: neither the method nor a projection keeps {}", what);
  }
  return finding;
}

// Why the energy is not claimed to stay near its first value; nothing if it is.
const char* drifting_because(const RunEvidence& run) {
  if (!run.facts.symplectic)
    return run.facts.symmetric ? "none: a symmetric method has no drift in regular motion, but does not promise it"
                               : "none: the method is not symplectic";
  if (is_moved(run)) return "none: a projection after a step is not symplectic";
  if (!run.is_hamiltonian) return "none: forces, or states beside the motion, are not Hamiltonian";
  if (!run.is_autonomous) return "none: H or a constraint depends on the time";
  if (run.is_adaptive)
    return run.has_even_steps ? "none: reversible steps have no drift in regular motion, but do not promise it"
                              : "none: steps are not chosen reversibly";
  if (run.energy_jump || run.gradient_jump) return "none: H, or its gradient, jumps along the run";
  if (run.charts > 0) return "none: the chart has changed, and each chart has a modified energy of its own";
  return nullptr;
}

// Before blocks forget each other a part of a slow oscillation looks like a drift: no reason to call a claim broken.
Verdict verdict_of(const Drift& drift, double duration, bool is_claimed) {
  const double slope = std::abs(drift.slope);
  if (is_claimed && !drift.is_settled) return Verdict::undecided;
  if (drift.is_settled && slope <= kNone * drift.error && (slope + kNone * drift.error) * duration <= drift.oscillation)
    return Verdict::kept;
  return slope >= kThere * drift.error && slope * duration > drift.oscillation ? Verdict::broken : Verdict::undecided;
}

std::string describe(const Drift& drift) {
  const double slope = std::abs(drift.slope);
  if (slope > kNone * drift.error)
    return fmt::format("drift {:.3g} +- {:.1g} per unit of time{}", drift.slope, drift.error,
                       drift.is_settled ? "" : ", unless it is part of an oscillation slower than the run");
  if (!drift.is_settled) return "too few blocks of the run are independent of each other to measure a drift";
  return fmt::format("no drift above {:.2g} per unit of time seen", slope + kNone * drift.error);
}

Finding energy(const RunEvidence& run, const WatchedSignal& signal) {
  Finding finding = kept_to_rounding(run, signal);
  const bool is_projected = contains(run.policy.invariants, "energy") && is_projected_always(run);
  if (is_projected || (run.facts.keeps_energy && run.is_hamiltonian && run.is_autonomous && !is_moved(run))) {
    finding.is_claimed = true;
    finding.claim = fmt::format("kept to rounding, by the {}", is_projected ? "projection" : "method");
    return finding;
  }
  const char* because = drifting_because(run);
  finding.is_claimed = because == nullptr;
  finding.claim = because ? because : "no drift: the method is symplectic";
  if (finding.verdict == Verdict::kept) return finding;
  finding.drift = measure_drift(signal.series);
  finding.defect.reset();
  finding.verdict =
      verdict_of(*finding.drift, signal.series.last_time() - signal.series.first_time(), finding.is_claimed);
  finding.evidence = describe(*finding.drift) + fmt::format("; it oscillates by {:.2g}", finding.drift->oscillation);
  if (run.energy_lost_at) finding.evidence += fmt::format("; lost at t = {:g}", *run.energy_lost_at);
  doubt_what_is_missing(finding, run, signal.series);
  // Where nothing is claimed it is the energy itself that is judged, and not its drift alone.
  if (run.energy_lost_at && !finding.is_claimed) finding.verdict = Verdict::broken;
  return finding;
}

Finding symplecticity(const RunEvidence& run) {
  const RunEvidence::Wedge& wedge = *run.wedge;
  Finding finding{.structure = "symplecticity"};
  finding.figure = wedge.series.largest();
  finding.level = wedge.level;
  finding.defect = wedge.defect;
  finding.evidence = in_quad(run, wedge.defect);
  finding.verdict = verdict_of(std::max(in_levels(finding.figure, finding.level), wedge.defect / epsilon<double>()));
  if (!(finding.level < std::sqrt(epsilon<double>())))
    doubt(finding, "tangent vectors have become too long to measure it");
  doubt_what_is_missing(finding, run, wedge.series);
  // In another chart the method is another map. Tangent vectors see neither the border nor the jump between both.
  if (run.charts > 0)
    doubt(finding, fmt::format("measured within charts, of which {} changes are not seen", run.charts));
  finding.is_claimed =
      run.facts.symplectic && !is_moved(run) && run.is_hamiltonian && !run.is_adaptive && run.charts == 0;
  // Neither off the manifold nor on it: in variables of its own, which are those of `impetus`.
  const bool in_impetus = run.has_constraints && !run.facts.symplectic_off && !run.facts.keeps_position;
  finding.claim = finding.is_claimed && in_impetus
                      ? "dq_1.dp*_2 - dp*_1.dq_2 of tangent vectors is kept, with the impetus p* = p + G'l"
                  : finding.is_claimed    ? "dq_1.dp_2 - dp_1.dq_2 of tangent vectors is kept: the method is symplectic"
                  : !run.facts.symplectic ? "none: the method is not symplectic"
                  : run.is_adaptive       ? "none: lengths of steps depend on the point; here they are held"
                  : !run.is_hamiltonian   ? "none: forces, or states beside the motion, are not Hamiltonian"
                  : is_moved(run)         ? "none: a projection after a step is not symplectic"
                                          : "none: the chart has changed, and the method is symplectic within a chart";
  return finding;
}

Finding reversibility(const RunEvidence& run) {
  const auto& [figure, level, defect, count, elsewhere] = run.reversal;
  Finding finding{.structure = "reversibility", .figure = figure, .level = level, .defect = defect};
  finding.evidence = fmt::format(
      "{} steps and their steps back; in quad precision they miss by {:.1g} of the point's size", count, defect);
  if (elsewhere > 0) finding.evidence += fmt::format("; {} went back in another chart, and do not count", elsewhere);
  finding.verdict = verdict_of(std::max(in_levels(figure, level), defect / epsilon<double>()));
  if (count == 0) doubt(finding, "rounding errors leave nothing of steps back");
  // A step back that could not be made says nothing about where it would have led.
  if (run.failed > 0) doubt(finding, fmt::format("{} could not be made", run.failed));
  doubt_what_is_missing(finding, run, Series());
  finding.is_claimed = run.facts.symmetric && !is_moved(run);
  finding.claim = finding.is_claimed     ? "a step back undoes a step: the method is symmetric"
                  : !run.facts.symmetric ? "none: the method is not symmetric"
                                         : "none: a projection after a step is not symmetric";
  return finding;
}

// Whether points are brought back to it, by a projection or by the method itself.
bool returns_to(const RunEvidence& run, const std::string& invariant) {
  return contains(run.policy.invariants, invariant) || contains(run.facts.keeps_invariants, invariant);
}

Finding invariant(const RunEvidence& run, const WatchedSignal& signal) {
  Finding finding = kept_to_rounding(run, signal);
  const std::string name = signal.name.substr(signal.name.find('.') + 1);
  const bool by_projection = contains(run.policy.invariants, name);
  if (contains(run.changing, name)) {
    finding.is_claimed = returns_to(run, name);
    finding.claim = by_projection        ? "kept, by the projection"
                    : finding.is_claimed ? "kept, by the method"
                                         : "none: the equations do not keep it";
    finding.verdict = Verdict::broken;
    finding.evidence = "the equations do not keep it";
    if (finding.is_claimed) finding.evidence += ", and returning to it leads away from the motion";
    return finding;
  }
  const bool by_method = contains(run.facts.keeps_invariants, name) && !is_moved(run);
  finding.is_claimed = by_method || (by_projection && is_projected_always(run));
  finding.claim = by_method            ? "kept to rounding, by the method"
                  : finding.is_claimed ? "kept to rounding, by the projection"
                                       : "none: whether a method keeps it depends on what it is";
  if (contains(run.in_doubt, name)) doubt(finding, "whether the equations keep it is not known");
  return finding;
}

double worst_of(const std::vector<ErrorFinding::Part>& parts, double ErrorFinding::Part::*error) {
  if (parts.empty()) return std::nan("");
  double worst = 0;
  for (const auto& part : parts) {
    if (std::isnan(part.*error)) return part.*error;
    worst = std::max(worst, in_levels(part.*error, part.size));
  }
  return worst;
}

ErrorFinding no_estimate(const std::string& by, const std::string& because) {
  return {.by = by, .final = std::nan(""), .largest = std::nan(""), .evidence = "no estimate: " + because};
}

// The time since the start at which |y| is that large first; nothing if it never is.
std::optional<double> first_reaching(const Series& series, double size) {
  for (const SeriesBin& bin : series.bins())
    if (std::max(std::abs(series.first_value() + bin.min), std::abs(series.first_value() + bin.max)) >= size)
      return bin.t_last;
  return std::nullopt;
}

ErrorFinding solution_error(const RunEvidence& run) {
  const RunEvidence::Error& error = *run.error;
  ErrorFinding finding{.by = error.by};
  // From the difference of two runs to the error: two parts of a step leave half of the error of a method of order 1.
  const double most_factor = 1 / (1 - StepParts(2).error_left(1));
  if (!(error.factor > 0 && error.factor <= most_factor))
    return no_estimate(error.by, "steps of the second run became nearly as long as those of the first");
  if (error.is_shared && run.energy_jump)
    return no_estimate(error.by, fmt::format("H jumps at t = {:g}, which shorter steps pass in the same way as long "
                                             "ones",
                                             *run.energy_jump));
  for (const std::string& name : run.changing)
    if (error.is_shared && returns_to(run, name))
      return no_estimate(error.by, "the equations do not keep " + name +
                                       ", and shorter steps that are returned to it share that error");
  if (error.series.not_finite() > 0)
    return no_estimate(error.by, fmt::format("the second run has ended at t = {:g}",
                                             run.span.time_after(error.series.first_not_finite())));
  std::optional<double> lost_after;
  for (const auto& [name, series, size] : error.parts)
    if (const auto lost = first_reaching(series, size / 2); size > 0 && lost)
      lost_after = std::min(*lost, lost_after.value_or(*lost));
  if (lost_after) finding.lost_at = run.span.time_after(*lost_after);
  // What two runs that have nothing to do with each other are apart is no estimate.
  const bool has_final = !finding.lost_at || !error.is_shared;
  const auto final = [&](const Series& series) {
    return has_final ? error.factor * std::abs(series.last_value()) : std::nan("");
  };
  finding.final = final(error.series);
  finding.largest = error.factor * error.series.largest();
  for (const auto& [name, series, size] : error.parts)
    finding.parts.push_back({name, final(series), error.factor * series.largest(), size});
  if (error.is_shared) finding.evidence = fmt::format("the difference of both runs, times {:.3g}", error.factor);
  if (finding.lost_at)
    finding.evidence += fmt::format("{}half as large as the motion at t = {:.3g}: the solution is lost there",
                                    finding.evidence.empty() ? "" : "; ", *finding.lost_at);
  return finding;
}

}  // namespace

const char* describe(Verdict verdict) {
  return std::array{"kept", "broken", "undecided"}[static_cast<std::size_t>(verdict)];
}

double ErrorFinding::relative_final() const { return worst_of(parts, &Part::final); }
double ErrorFinding::relative_largest() const { return worst_of(parts, &Part::largest); }

bool Certificate::holds() const {
  return !energy_lost_at && std::none_of(findings.begin(), findings.end(), [](const Finding& finding) {
    return finding.is_claimed && finding.verdict == Verdict::broken;
  });
}

bool Certificate::is_complete() const {
  return is_ended && steps > 0 && std::none_of(findings.begin(), findings.end(), [](const Finding& finding) {
           return finding.is_claimed && finding.verdict == Verdict::undecided;
         });
}

Certificate certify(const RunEvidence& run) {
  Certificate certificate{.is_ended = run.is_ended, .steps = run.steps, .samples = run.samples - run.failed};
  certificate.energy_lost_at = run.energy_lost_at;
  auto& findings = certificate.findings;
  const auto each = [&](std::string_view name, const auto& conclude) {
    for (const WatchedSignal& signal : run.signals)
      if (signal.name == name) findings.push_back(conclude(signal));
  };
  each("position", [&](const WatchedSignal& signal) {
    return constraint(run, signal, run.facts.keeps_position, run.policy.to_position(), "g");
  });
  each("momentum", [&](const WatchedSignal& signal) {
    return constraint(run, signal, run.facts.keeps_momentum, run.policy.to_momentum(), "G H_p");
  });
  each("energy", [&](const WatchedSignal& signal) { return energy(run, signal); });
  if (run.wedge) findings.push_back(symplecticity(run));
  findings.push_back(reversibility(run));
  for (const WatchedSignal& signal : run.signals)
    if (signal.name.find('.') != std::string::npos) findings.push_back(invariant(run, signal));
  if (run.error) certificate.error = solution_error(run);
  return certificate;
}

}  // namespace cotangent
