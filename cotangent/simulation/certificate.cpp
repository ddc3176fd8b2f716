#include "cotangent/simulation/certificate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace cotangent {
namespace {

// Rounding errors of many operations, in units of the level of one.
constexpr double kRounding = 300;

// Steps back miss their beginning by more than that where rates are large, too.
constexpr double kReversal = 1e5;

// A signal that turns less often has not shown yet what it does in the long run.
constexpr int kManyTurns = 12;

const WatchedSignal* find(const RunEvidence& run, std::string_view name) {
  for (const auto& signal : run.signals)
    if (signal.name == name) return &signal;
  return nullptr;
}

double largest(const Series& series) { return std::max(std::abs(series.min()), std::abs(series.max())); }

bool is_projected_always(const RunEvidence& run) { return run.policy.every == 1 && !run.policy.above; }

bool returns_to_invariant(const RunEvidence& run, const std::string& name) {
  const auto& names = run.policy.invariants;
  return std::find(names.begin(), names.end(), name) != names.end();
}

// How often a signal goes back by a noticeable part of its range.
int turns(const Series& series) {
  constexpr double kNoticeable = 0.05;
  const double least = kNoticeable * (series.max() - series.min());
  if (!(least > 0)) return 0;
  int count = 0, direction = 0;
  double lowest = 0, highest = 0;
  for (const SeriesBin& bin : series.bins())
    for (const double y : {bin.min, bin.max}) {
      lowest = std::min(lowest, y);
      highest = std::max(highest, y);
      if (direction <= 0 && y - lowest > least) {
        count += direction < 0 ? 1 : 0;
        direction = 1;
        highest = y;
      } else if (direction >= 0 && highest - y > least) {
        count += direction > 0 ? 1 : 0;
        direction = -1;
        lowest = y;
      }
    }
  return count;
}

// Whether a trend is none, or that of rounding errors.
bool stays(const TrendVerdict& trend, double level) {
  if (trend.trend == Trend::random_walk)
    return trend.largest <= level || trend.walk <= level || trend.oscillation > trend.walk;
  return trend.is_bounded() || trend.trend == Trend::decaying;
}

Finding measured(const RunEvidence& /*run*/, const WatchedSignal& signal, std::string structure,
                 std::optional<double> reference) {
  Finding finding;
  finding.structure = std::move(structure);
  finding.figure = largest(signal.series);
  finding.level = kRounding * signal.level;
  if (signal.series.not_finite() > 0) {
    finding.evidence = fmt::format("could not be measured after t = {:g}", signal.series.first_not_finite());
    return finding;
  }
  const TrendVerdict trend = classify_trend(signal.series, {.level = finding.level, .reference = reference});
  finding.evidence = trend.evidence;
  if (trend.trend != Trend::unknown) finding.trend = trend.trend;
  return finding;
}

void conclude(Finding& finding, bool is_claimed, bool is_kept) {
  finding.verdict = !is_claimed ? Verdict::not_claimed : is_kept ? Verdict::kept : Verdict::broken;
}

Finding constraint(const RunEvidence& run, const WatchedSignal& signal, bool by_method, bool by_projection,
                   const char* what) {
  Finding finding = measured(run, signal, signal.name, 0.0);
  if (signal.series.not_finite() > 0) return finding;
  const bool always = by_method || (by_projection && is_projected_always(run));
  double limit = finding.level;
  if (always) {
    finding.claim = fmt::format("{} = 0 after every step, by the {}", what, by_method ? "method" : "projection");
  } else if (by_projection && run.policy.above && run.policy.every == 1) {
    limit = std::max(limit, *run.policy.above);
    finding.claim = fmt::format("|{}| below {:g} after every step, by the projection", what, *run.policy.above);
  } else {
    finding.claim = by_projection ? fmt::format("none: {} is returned to now and then only", what)
                                  : fmt::format("none: neither the method nor a projection keeps {}", what);
    conclude(finding, false, false);
    return finding;
  }
  conclude(finding, true, finding.figure <= limit);
  return finding;
}

Finding energy(const RunEvidence& run, const WatchedSignal& signal) {
  Finding finding = measured(run, signal, "energy", {});
  if (signal.series.not_finite() > 0) return finding;
  const TrendVerdict trend = classify_trend(signal.series, {.level = finding.level, .reference = {}});
  const bool is_projected = returns_to_invariant(run, "energy") && is_projected_always(run);
  if (is_projected || (run.facts.keeps_energy && run.is_hamiltonian)) {
    finding.claim = fmt::format("kept to rounding, by the {}", is_projected ? "projection" : "method");
    conclude(finding, true, finding.figure <= finding.level || stays(trend, finding.level));
    return finding;
  }
  const bool is_undisturbed = run.policy.projection == Projection::none || !run.has_constraints ||
                              run.policy.projection == Projection::symmetric;
  const bool is_structured = run.facts.symplectic || run.facts.symmetric;
  const bool is_claimed =
      is_structured && is_undisturbed && run.has_even_steps && run.is_hamiltonian && run.charts == 0;
  if (is_claimed) {
    finding.claim =
        fmt::format("its error stays bounded: the method is {}", run.facts.symplectic ? "symplectic" : "symmetric");
  } else {
    finding.claim = !is_structured        ? "none: the method is neither symplectic nor symmetric"
                    : !is_undisturbed     ? "none: the projection after a step is not symplectic"
                    : !run.is_hamiltonian ? "none: forces, or states beside the motion, are not Hamiltonian"
                    : !run.has_even_steps
                        ? "none: steps are chosen by their errors, not reversibly"
                        : "none: the chart has changed, and each chart has a modified energy of its own";
  }
  if (is_claimed && !finding.trend) return finding;
  conclude(finding, is_claimed, stays(trend, finding.level));
  // What follows the motion of a system that has not come back yet looks like a drift. Only that of an instability does
  // not wait for it.
  if (finding.verdict == Verdict::broken && trend.trend != Trend::exponential && turns(signal.series) < kManyTurns) {
    finding.verdict = Verdict::unknown;
    finding.evidence += "; the run is too short to tell a drift from the motion itself";
  }
  return finding;
}

Finding symplecticity(const RunEvidence& run, const WatchedSignal& signal) {
  Finding finding = measured(run, signal, "symplecticity", {});
  if (signal.series.not_finite() > 0) return finding;
  const bool is_projected = run.policy.projection != Projection::none && run.has_constraints;
  const bool is_claimed = run.facts.symplectic && !is_projected && run.is_hamiltonian && run.policy.invariants.empty();
  if (is_claimed) {
    finding.claim = "dq_1.dp_2 - dp_1.dq_2 of tangent vectors is kept: the method is symplectic";
  } else {
    finding.claim = !run.facts.symplectic ? "none: the method is not symplectic"
                    : !run.is_hamiltonian ? "none: forces, or states beside the motion, are not Hamiltonian"
                                          : "none: the projection after a step is not symplectic";
  }
  conclude(finding, is_claimed, finding.figure <= finding.level);
  return finding;
}

Finding reversibility(const RunEvidence& run) {
  Finding finding;
  finding.structure = "reversibility";
  finding.figure = run.reversal->defect;
  finding.level = kReversal * run.unit;
  const auto& [defect, count, failed] = *run.reversal;
  if (count == failed) {
    finding.evidence = "no step could be made backwards";
    return finding;
  }
  finding.evidence =
      fmt::format("{} steps were made back again, and missed their beginning by {:.2g} of its size at most",
                  count - failed, defect);
  if (failed > 0) finding.evidence += fmt::format("; {} could not be", failed);
  const bool is_projected = run.policy.projection != Projection::none && run.has_constraints &&
                            run.policy.projection != Projection::symmetric;
  const bool is_claimed = run.facts.symmetric && !is_projected && run.policy.invariants.empty();
  finding.claim = is_claimed             ? "a step back undoes a step: the method is symmetric"
                  : !run.facts.symmetric ? "none: the method is not symmetric"
                                         : "none: the projection after a step is not symmetric";
  conclude(finding, is_claimed, defect <= finding.level && failed == 0);
  return finding;
}

Finding invariant(const RunEvidence& run, const WatchedSignal& signal) {
  Finding finding = measured(run, signal, signal.name, {});
  if (signal.series.not_finite() > 0) return finding;
  const std::string name = signal.name.substr(signal.name.find('.') + 1);
  const bool is_claimed = returns_to_invariant(run, name) && is_projected_always(run);
  finding.claim =
      is_claimed ? "kept to rounding, by the projection" : "none: whether a method keeps it depends on what it is";
  conclude(finding, is_claimed, finding.figure <= finding.level);
  return finding;
}

ErrorFinding solution_error(const RunEvidence& run, const WatchedSignal& signal) {
  ErrorFinding finding;
  finding.by = run.error_by;
  finding.final = run.error_factor * std::abs(signal.series.last_value());
  finding.largest = run.error_factor * largest(signal.series);
  const TrendVerdict trend = classify_trend(signal.series, {.level = signal.level, .reference = 0.0});
  finding.trend = trend.trend;
  finding.evidence = trend.evidence;
  finding.growth = fit_growth(signal.series, {.level = signal.level, .reference = 0.0});
  return finding;
}

}  // namespace

const char* describe(Verdict verdict) {
  switch (verdict) {
    case Verdict::kept:
      return "kept";
    case Verdict::broken:
      return "broken";
    case Verdict::not_claimed:
      return "not claimed";
    case Verdict::unknown:
      return "unknown";
  }
  return "";
}

bool Certificate::holds() const {
  return std::none_of(findings.begin(), findings.end(),
                      [](const Finding& finding) { return finding.verdict == Verdict::broken; });
}

Certificate certify(const RunEvidence& run) {
  Certificate certificate;
  auto& findings = certificate.findings;
  if (const auto* signal = find(run, "position"))
    findings.push_back(constraint(run, *signal, run.facts.keeps_position, run.policy.to_position(), "g"));
  if (const auto* signal = find(run, "momentum"))
    findings.push_back(constraint(run, *signal, run.facts.keeps_momentum, run.policy.to_momentum(), "G H_p"));
  if (const auto* signal = find(run, "energy")) findings.push_back(energy(run, *signal));
  if (const auto* signal = find(run, "wedge")) findings.push_back(symplecticity(run, *signal));
  if (run.reversal) findings.push_back(reversibility(run));
  for (const auto& signal : run.signals)
    if (signal.name.find('.') != std::string::npos) findings.push_back(invariant(run, signal));
  if (const auto* signal = find(run, "error"); signal && !run.error_by.empty())
    certificate.error = solution_error(run, *signal);
  return certificate;
}

}  // namespace cotangent
