#include "cotangent/simulation/certificate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace cotangent {
namespace {

// Rounding errors of many operations, in units of the level of one.
constexpr double kRounding = 300;
// And those of many steps, in units of the square root of their number.
constexpr double kWalk = 3;

// Steps back miss their beginning by more than that where rates are large, too.
constexpr double kReversal = 1e5;

// Terms of H that have grown by so much are those of a motion that is not bounded; an error that is a small part of
// them is then no sign of a bad step.
constexpr double kUnbounded = 100, kSmallPart = 0.05;

// Rounding errors in the wedge product beyond this leave nothing to be judged.
constexpr double kBlurred = 0.01;

// Errors grow with powers up to 3; a larger one is that of a short run.
constexpr double kSteepest = 4;

// A power with a larger uncertainty says nothing.
constexpr double kVague = 0.7;

// A signal that is less than this part of its largest value has fallen.
constexpr double kFallen = 0.3;

// An error of this part of the motion leaves nothing of the solution.
constexpr double kLost = 0.5;

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

// Whether points are moved after steps.
bool is_moved(const RunEvidence& run) {
  const bool to_constraints = run.has_constraints && (run.policy.to_position() || run.policy.to_momentum());
  return to_constraints || !run.policy.invariants.empty();
}

// Steps that were chosen as the run went are as they are: their lengths have no derivatives here.
const char* held_steps(const RunEvidence& run) { return run.is_adaptive ? ", with the steps that were made" : ""; }

// What is said of the long run must have been seen more than a few times.
bool needs_time(Trend trend) {
  return trend == Trend::bounded || trend == Trend::decaying || trend == Trend::random_walk;
}

struct Measured {
  Finding finding;
  TrendVerdict trend;
};

Measured measured(const WatchedSignal& signal, std::string structure, std::optional<double> reference) {
  Measured result;
  Finding& finding = result.finding;
  finding.structure = std::move(structure);
  finding.figure = largest(signal.series);
  // Rounding errors of all steps, as a random walk.
  finding.level = (kRounding + kWalk * std::sqrt(static_cast<double>(signal.series.size()))) * signal.level;
  if (signal.series.not_finite() > 0) {
    finding.evidence = fmt::format("could not be measured after t = {:g}", signal.series.first_not_finite());
    return result;
  }
  result.trend = classify_trend(signal.series, {.level = finding.level, .reference = reference});
  finding.evidence = result.trend.evidence;
  if (needs_time(result.trend.trend) && turns(signal.series) < kManyTurns) {
    result.trend.trend = Trend::unknown;
    finding.evidence += "; the run is too short to say more";
  }
  if (result.trend.trend != Trend::unknown) finding.trend = result.trend.trend;
  return result;
}

// Whether a trend is none, or that of rounding errors. A motion to a limit, ever slower, is one as long as it is no
// more than the oscillation.
bool stays(const TrendVerdict& trend, double level) {
  if (trend.largest <= level || trend.is_bounded()) return true;
  if (trend.trend == Trend::decaying) return std::abs(trend.move) <= trend.oscillation;
  return trend.trend == Trend::random_walk && trend.walk <= level;
}

void conclude(Finding& finding, bool is_claimed, bool is_kept) {
  finding.verdict = !is_claimed ? Verdict::not_claimed : is_kept ? Verdict::kept : Verdict::broken;
}

Finding constraint(const RunEvidence& run, const WatchedSignal& signal, bool by_method, bool by_projection,
                   const char* what) {
  auto [finding, trend] = measured(signal, signal.name, 0.0);
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

// Why the error of the energy is not claimed to stay bounded; nothing if it is.
const char* unbounded_because(const RunEvidence& run) {
  if (!run.facts.symplectic && !run.facts.symmetric) return "none: the method is neither symplectic nor symmetric";
  if (is_moved(run)) return "none: a projection after a step is not symplectic";
  if (!run.is_hamiltonian) return "none: forces, or states beside the motion, are not Hamiltonian";
  if (!run.is_autonomous) return "none: H or a constraint depends on the time";
  if (!run.has_even_steps) return "none: steps are chosen by their errors, not reversibly";
  if (run.charts > 0) return "none: the chart has changed, and each chart has a modified energy of its own";
  return nullptr;
}

Finding energy(const RunEvidence& run, const WatchedSignal& signal) {
  auto [finding, trend] = measured(signal, "energy", {});
  if (signal.series.not_finite() > 0) return finding;
  const bool is_projected = returns_to_invariant(run, "energy") && is_projected_always(run);
  if (is_projected || (run.facts.keeps_energy && run.is_hamiltonian && run.is_autonomous && !is_moved(run))) {
    finding.claim = fmt::format("kept to rounding, by the {}", is_projected ? "projection" : "method");
    conclude(finding, true, finding.figure <= finding.level);
    return finding;
  }
  if (const char* why = unbounded_because(run)) {
    finding.claim = why;
    conclude(finding, false, false);
    return finding;
  }
  const bool is_kept = stays(trend, finding.level);
  // Steps that follow a density are no symplectic map, but a reversible one.
  const bool is_claimed = run.facts.symplectic && !run.is_adaptive;
  finding.claim = is_claimed ? "its error stays bounded: the method is symplectic"
                  : run.is_adaptive
                      ? "its error is expected to stay bounded: the method is symmetric, with reversible steps"
                      : "its error is expected to stay bounded: the method is symmetric";
  conclude(finding, is_claimed || is_kept, is_kept);
  if (!finding.trend && !is_kept) {
    finding.verdict = Verdict::unknown;
    return finding;
  }
  if (finding.verdict == Verdict::broken && run.energy_terms > kUnbounded * run.energy_before &&
      finding.figure <= kSmallPart * run.energy_terms) {
    finding.verdict = Verdict::unknown;
    finding.evidence += fmt::format("; but the motion itself is not bounded: it is {:.1g} of what is added up in H",
                                    finding.figure / run.energy_terms);
    return finding;
  }
  // What follows the motion of a system that has not come back yet looks like a drift. Only that of an instability does
  // not wait for it.
  const bool is_drift = trend.trend != Trend::exponential && trend.trend != Trend::decaying;
  if (finding.verdict == Verdict::broken &&
      (trend.trend == Trend::decaying || (is_drift && turns(signal.series) < kManyTurns))) {
    finding.verdict = Verdict::unknown;
    finding.evidence += "; the run is too short to tell a drift from the motion itself";
  }
  return finding;
}

Finding symplecticity(const RunEvidence& run, const WatchedSignal& signal) {
  auto [finding, trend] = measured(signal, "symplecticity", {});
  if (signal.series.not_finite() > 0) return finding;
  if (!(finding.level <= kBlurred)) {
    finding.trend.reset();
    finding.evidence = "tangent vectors have become so long that rounding errors leave nothing to be judged";
    return finding;
  }
  const bool is_claimed = run.facts.symplectic && !is_moved(run) && run.is_hamiltonian && !run.is_adaptive;
  finding.claim =
      is_claimed              ? "dq_1.dp_2 - dp_1.dq_2 of tangent vectors is kept: the method is symplectic"
      : !run.facts.symplectic ? "none: the method is not symplectic"
      : run.is_adaptive
          ? "none: lengths of steps depend on the point; the figure is for lengths that are held as they are"
      : !run.is_hamiltonian ? "none: forces, or states beside the motion, are not Hamiltonian"
                            : "none: a projection after a step is not symplectic";
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
  const bool is_claimed = run.facts.symmetric && !is_moved(run);
  finding.claim = is_claimed ? fmt::format("a step back undoes a step: the method is symmetric{}", held_steps(run))
                  : !run.facts.symmetric ? "none: the method is not symmetric"
                                         : "none: a projection after a step is not symmetric";
  conclude(finding, is_claimed, defect <= finding.level && failed == 0);
  return finding;
}

Finding invariant(const RunEvidence& run, const WatchedSignal& signal) {
  auto [finding, trend] = measured(signal, signal.name, {});
  if (signal.series.not_finite() > 0) return finding;
  const std::string name = signal.name.substr(signal.name.find('.') + 1);
  const bool is_claimed = returns_to_invariant(run, name) && is_projected_always(run);
  finding.claim =
      is_claimed ? "kept to rounding, by the projection" : "none: whether a method keeps it depends on what it is";
  conclude(finding, is_claimed, finding.figure <= finding.level);
  return finding;
}

// The power that an error grows with, as a trend.
Trend trend_of(const Growth& growth) {
  const double k = growth.exponent;
  return k < 0.6 ? Trend::bounded : k < 1.5 ? Trend::linear : k < 2.5 ? Trend::quadratic : Trend::cubic;
}

// Whether a signal from zero has become small again in its last quarter.
bool has_fallen(const Series& series) {
  const double late = series.first_time() + 0.75 * (series.last_time() - series.first_time());
  double last = 0;
  for (const SeriesBin& bin : series.bins())
    if (bin.t_last >= late) last = std::max({last, std::abs(bin.min), std::abs(bin.max)});
  return last < kFallen * largest(series);
}

ErrorFinding solution_error(const RunEvidence& run, const WatchedSignal& signal) {
  ErrorFinding finding;
  finding.by = run.error_by;
  finding.final = run.error_factor * std::abs(signal.series.last_value());
  finding.largest = run.error_factor * largest(signal.series);
  const double level = kRounding * signal.level;
  const TrendVerdict trend = classify_trend(signal.series, {.level = level, .reference = 0.0});
  finding.trend = trend.trend;
  finding.evidence = trend.evidence;
  finding.growth = fit_growth(signal.series, {.level = level, .reference = 0.0});
  const Growth& growth = finding.growth;
  const bool is_lost = run.size > 0 && finding.largest >= kLost * run.size;
  // Before it is lost an error grows, however it oscillates, unless the motion dies out; and trend and power are the
  // same thing.
  const bool is_power = trend.trend != Trend::exponential && trend.trend != Trend::rounding;
  if (is_power && !is_lost && !has_fallen(signal.series) && growth.is_known())
    finding.trend = growth.exponent < kSteepest && growth.error < kVague ? trend_of(growth) : Trend::unknown;
  if (is_lost) {
    finding.evidence += "; it has become as large as the motion itself, and is known no better than that";
    for (double* error : {&finding.final, &finding.largest}) *error = std::min(*error, 2 * run.size);
    // Steps that do not belong to the phase of the finer run may throw it out.
    if (run.is_adaptive) finding.trend = Trend::unknown;
  }
  if (signal.series.not_finite() > 0)
    finding.evidence = fmt::format("it is not known after t = {:g}, where the finer run has ended; before, {}",
                                   signal.series.first_not_finite(), trend.evidence);
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
  return is_complete && std::none_of(findings.begin(), findings.end(),
                                     [](const Finding& finding) { return finding.verdict == Verdict::broken; });
}

Certificate certify(const RunEvidence& run) {
  Certificate certificate;
  certificate.is_complete = run.is_complete;
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
