#include "cotangent/simulation/certificate.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "cotangent/analysis/envelope.hpp"

namespace cotangent {
namespace {

// Rounding errors of many operations, in units of the level of one, and what many steps add to that, in units of a
// random walk: see tests/simulation/rounding_levels_test.cpp.
constexpr double kRounding = 100, kWalk = 3;
constexpr double kWedge = 30;
constexpr double kReversal = 300;

// Terms of H that have grown by so much are those of a motion that is not bounded; an error that is a small part of
// them is then no sign of a bad step.
constexpr double kUnbounded = 100, kSmallPart = 0.05;

// Those of a run that explodes, with an error that is no small part, become larger than this.
constexpr double kExploded = 1e4;

// Terms that are so small a part of later ones say nothing about the size of H.
constexpr double kNothing = 1e-6;

// The error of the energy of a symplectic method is a function of the point. Where modes exchange energy it follows
// them: its mean and its amplitude move, by about as much as it oscillates anyway. A drift of the mean is one only if
// it is so many times the oscillation.
constexpr double kBeyondBeats = 10;

// Rounding errors in the wedge product beyond this leave nothing to be judged.
constexpr double kBlurred = 0.01;

// A signal that turns less often has not shown yet what it does in the long run.
constexpr int kManyTurns = 12;

const WatchedSignal* find(const RunEvidence& run, std::string_view name) {
  for (const auto& signal : run.signals)
    if (signal.name == name) return &signal;
  return nullptr;
}

bool is_projected_always(const RunEvidence& run) { return run.policy.every == 1 && !run.policy.above; }

bool returns_to_invariant(const RunEvidence& run, const std::string& name) {
  const auto& names = run.policy.invariants;
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Whether points are moved after steps.
bool is_moved(const RunEvidence& run) {
  const bool to_constraints = run.has_constraints && (run.policy.to_position() || run.policy.to_momentum());
  return to_constraints || !run.policy.invariants.empty();
}

// Steps that were chosen as the run went are as they are: their lengths have no derivatives here.
const char* held_steps(const RunEvidence& run) { return run.is_adaptive ? ", with the steps that were made" : ""; }

// A signal in comparison with rounding errors at the time.
struct Comparison {
  double ratio = 0;  // the largest of |y| and the level that rounding errors permit
  double level = 0;  // that level, there
};

// The largest of |y| / level, with a level that is known for the number of steps that were made and at the time.
template <class Level>
Comparison compare(const Series& series, const Level& level_at) {
  Comparison result;
  // A run may begin at rest, where levels are small: what is reached in its first half is its usual size.
  const double middle = (series.first_time() + series.last_time()) / 2;
  double steps = 0;
  for (const SeriesBin& bin : series.bins()) {
    steps += static_cast<double>(bin.count);
    const double y = std::max(std::abs(series.first_value() + bin.min), std::abs(series.first_value() + bin.max));
    const double level = level_at(steps, std::max(bin.t_last, middle));
    const double ratio = y > 0 ? y / level : 0;
    if (result.level > 0 && ratio < result.ratio) continue;
    result.ratio = ratio;
    result.level = level;
  }
  return result;
}

Comparison compare_with_rounding(const WatchedSignal& signal) {
  return compare(signal.series, [&](double steps, double t) {
    return (signal.walks ? kRounding + kWalk * std::sqrt(steps) : kWedge) * signal.level.at(t);
  });
}

// The largest part that the error of the energy is of what is added up in H.
double largest_part(const WatchedSignal& energy) {
  return compare(energy.series, [&](double /*steps*/, double t) { return energy.terms.at(t); }).ratio;
}

struct Measured {
  Finding finding;
  TrendVerdict trend;
  bool is_rounding = false;  // all of it
};

Measured measured(const WatchedSignal& signal, std::string structure, std::optional<double> reference) {
  Measured result;
  Finding& finding = result.finding;
  const Comparison rounding = compare_with_rounding(signal);
  finding.structure = std::move(structure);
  finding.figure = signal.series.largest();
  finding.level = rounding.level;
  result.is_rounding = rounding.ratio <= 1;
  // Where a level grows with the motion all of the signal may be below it, and yet more than it was at first.
  if (result.is_rounding) finding.level = std::max(finding.level, finding.figure);
  result.trend =
      classify_trend(signal.series, {.level = finding.level, .reference = reference, .fewest_turns = kManyTurns});
  finding.evidence = result.trend.evidence;
  if (result.trend.trend != Trend::unknown) finding.trend = result.trend.trend;
  return result;
}

// Whether a drift is more than what slow motions make of the error of a symplectic method: of the mean, as a power, and
// many times the oscillation; or anything that is no small part of what is added up in H.
bool is_beyond_beats(const TrendVerdict& trend, double part) {
  if (part > kSmallPart) return true;
  return trend.trend != Trend::exponential && std::abs(trend.move) > kBeyondBeats * trend.oscillation;
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

// What was kept until it could not be measured any more need not have been kept later.
Finding as_far_as_measured(Finding finding, const WatchedSignal& signal) {
  if (signal.series.not_finite() > 0 && finding.verdict == Verdict::kept) finding.verdict = Verdict::unknown;
  return finding;
}

Finding constraint(const RunEvidence& run, const WatchedSignal& signal, bool by_method, bool by_projection,
                   const char* what) {
  auto [finding, trend, is_rounding] = measured(signal, signal.name, 0.0);
  const bool always = by_method || (by_projection && is_projected_always(run));
  bool is_kept = is_rounding;
  if (always) {
    finding.claim = fmt::format("{} = 0 after every step, by the {}", what, by_method ? "method" : "projection");
  } else if (by_projection && run.policy.above && run.policy.every == 1) {
    is_kept = is_kept || finding.figure <= *run.policy.above;
    finding.claim = fmt::format("|{}| below {:g} after every step, by the projection", what, *run.policy.above);
  } else {
    finding.claim = by_projection ? fmt::format("none: {} is returned to now and then only", what)
                                  : fmt::format("none: neither the method nor a projection keeps {}", what);
    conclude(finding, false, false);
    return finding;
  }
  conclude(finding, true, is_kept);
  return finding;
}

// Why the error of the energy is not claimed to stay bounded; nothing if it is.
const char* unbounded_because(const RunEvidence& run) {
  if (!run.facts.symplectic && !run.facts.symmetric) return "none: the method is neither symplectic nor symmetric";
  if (is_moved(run)) return "none: a projection after a step is not symplectic";
  if (!run.is_hamiltonian) return "none: forces, or states beside the motion, are not Hamiltonian";
  if (!run.is_autonomous) return "none: H or a constraint depends on the time";
  if (!run.has_even_steps)
    return run.has_lost_density ? "none: steps could not follow their density, and were not chosen reversibly"
                                : "none: steps are chosen by their errors, not reversibly";
  if (run.charts > 0) return "none: the chart has changed, and each chart has a modified energy of its own";
  return nullptr;
}

// What is added up in H at the start; soon after it where there is next to nothing to add up, as at rest.
double early_terms(const WatchedSignal& energy) {
  const double begin = energy.series.first_time();
  const double soon = energy.terms.at(begin + (energy.series.last_time() - begin) / 32);
  return energy.terms.first() > kNothing * soon ? energy.terms.first() : soon;
}

Finding energy(const RunEvidence& run, const WatchedSignal& signal) {
  auto [finding, trend, is_rounding] = measured(signal, "energy", {});
  const bool is_projected = returns_to_invariant(run, "energy") && is_projected_always(run);
  if (is_projected || (run.facts.keeps_energy && run.is_hamiltonian && run.is_autonomous && !is_moved(run))) {
    finding.claim = fmt::format("kept to rounding, by the {}", is_projected ? "projection" : "method");
    conclude(finding, true, is_rounding);
    return finding;
  }
  if (const char* why = unbounded_because(run)) {
    finding.claim = why;
    conclude(finding, false, false);
    return finding;
  }
  const bool is_kept = is_rounding || stays(trend, finding.level);
  // Steps that follow a density are no symplectic map, but a reversible one.
  const bool is_claimed = run.facts.symplectic && !run.is_adaptive;
  finding.claim = is_claimed ? "its error stays bounded: the method is symplectic"
                  : run.is_adaptive
                      ? "its error is expected to stay bounded: the method is symmetric, with reversible steps"
                      : "its error is expected to stay bounded: the method is symmetric";
  conclude(finding, is_claimed || is_kept, is_kept);
  // However short a run is: this is an explosion.
  const double growth = signal.terms.last() / early_terms(signal);
  const double part = largest_part(signal);
  // What leaves a point of rest grows as well, but ends somewhere.
  const double middle = (signal.series.first_time() + signal.series.last_time()) / 2;
  const bool goes_on = finding.trend || signal.terms.last() > kUnbounded * signal.terms.at(middle);
  const bool explodes = growth > kExploded && part > kSmallPart && goes_on;
  if (is_claimed && !is_kept && explodes) {
    finding.verdict = Verdict::broken;
    finding.evidence += std::isfinite(growth)
                            ? fmt::format("; what is added up in H has become {:.1g} times what it was", growth)
                            : "; what is added up in H has become infinite";
    return finding;
  }
  if (!finding.trend && !is_kept) {
    finding.verdict = Verdict::unknown;
    return finding;
  }
  if (finding.verdict == Verdict::broken && growth > kUnbounded && part <= kSmallPart) {
    finding.verdict = Verdict::unknown;
    finding.evidence += fmt::format("; but so does what is added up in H: it is {:.1g} of that", part);
    return finding;
  }
  // What follows the motion of a system that has not come back yet looks like a drift, or that of a system that begins
  // at rest like an instability. A real one does not wait, and becomes large.
  const bool is_unstable = trend.trend == Trend::exponential && part > kSmallPart;
  // What a planet that is thrown out adds up in H may have been large at first, near its sun.
  const double now = std::abs(signal.series.last_value()) / signal.terms.latest();
  const bool is_thrown = trend.trend == Trend::decaying && (part > kSmallPart || now > 1);
  if (finding.verdict != Verdict::broken) return finding;
  if (is_thrown) {
    finding.evidence += fmt::format("; it is {:.2g} of what is added up in H, and stays", std::max(part, now));
  } else if (trend.trend == Trend::decaying || (trend.turns < kManyTurns && !is_unstable)) {
    finding.verdict = Verdict::unknown;
    finding.evidence += "; the run is too short to tell a drift from the motion itself";
  } else if (!is_beyond_beats(trend, part)) {
    finding.verdict = Verdict::unknown;
    finding.evidence +=
        "; the run may be shorter than a beat: where modes exchange energy slowly the oscillation of the error and its "
        "mean follow them";
  }
  return finding;
}

Finding symplecticity(const RunEvidence& run, const WatchedSignal& signal) {
  auto [finding, trend, is_rounding] = measured(signal, "symplecticity", {});
  if (signal.series.not_finite() > 0) {
    finding.trend.reset();
    finding.evidence = fmt::format("could not be measured after t = {:g}", signal.series.first_not_finite());
    return finding;
  }
  if (!(finding.level <= kBlurred)) {
    finding.trend.reset();
    finding.evidence = "tangent vectors have become so long that rounding errors leave nothing to be judged";
    return finding;
  }
  const bool is_claimed = run.facts.symplectic && !is_moved(run) && run.is_hamiltonian && !run.is_adaptive;
  // Neither off the manifold nor on it: in variables of its own, which are those of `impetus`.
  const bool in_impetus = run.has_constraints && !run.facts.symplectic_off && !run.facts.keeps_position;
  finding.claim =
      is_claimed && in_impetus
          ? "dq_1.dp*_2 - dp*_1.dq_2 of tangent vectors is kept, with the impetus p* = p + G'l: the "
            "method is symplectic in q and p*"
      : is_claimed            ? "dq_1.dp_2 - dp_1.dq_2 of tangent vectors is kept: the method is symplectic"
      : !run.facts.symplectic ? "none: the method is not symplectic"
      : run.is_adaptive
          ? "none: lengths of steps depend on the point; the figure is for lengths that are held as they are"
      : !run.is_hamiltonian ? "none: forces, or states beside the motion, are not Hamiltonian"
                            : "none: a projection after a step is not symplectic";
  conclude(finding, is_claimed, is_rounding);
  return finding;
}

Finding reversibility(const RunEvidence& run) {
  Finding finding;
  finding.structure = "reversibility";
  finding.figure = run.reversal->defect;
  finding.level = kReversal * run.reversal->level;
  const auto& [defect, level, count, failed, blurred, elsewhere] = *run.reversal;
  if (count > failed && count == failed + blurred) {
    finding.evidence = "rounding errors leave nothing to be judged of steps back";
    return finding;
  }
  if (count == failed) {
    finding.evidence = "no step could be made backwards";
    return finding;
  }
  finding.evidence =
      fmt::format("{} steps were made back again, and missed their beginning by {:.2g} of its size at most",
                  count - failed - blurred - elsewhere, defect);
  if (elsewhere > 0) finding.evidence += fmt::format("; {} went back in another chart, and do not count", elsewhere);
  if (failed > 0) finding.evidence += fmt::format("; {} could not be", failed);
  const bool is_claimed = run.facts.symmetric && !is_moved(run);
  finding.claim = is_claimed ? fmt::format("a step back undoes a step: the method is symmetric{}", held_steps(run))
                  : !run.facts.symmetric ? "none: the method is not symmetric"
                                         : "none: a projection after a step is not symmetric";
  conclude(finding, is_claimed, defect <= finding.level);
  // A step back that could not be made says nothing about where it would have led.
  if (failed > 0 && finding.verdict == Verdict::kept) finding.verdict = Verdict::unknown;
  return finding;
}

Finding invariant(const RunEvidence& run, const WatchedSignal& signal) {
  auto [finding, trend, is_rounding] = measured(signal, signal.name, {});
  const std::string name = signal.name.substr(signal.name.find('.') + 1);
  const bool is_true = std::find(run.changing.begin(), run.changing.end(), name) == run.changing.end();
  const bool is_claimed = is_true && returns_to_invariant(run, name) && is_projected_always(run);
  finding.claim = !is_true && returns_to_invariant(run, name)
                      ? "none: the equations do not keep it, and returning to it leads away from the motion"
                  : !is_true   ? "none: the equations do not keep it"
                  : is_claimed ? "kept to rounding, by the projection"
                               : "none: whether a method keeps it depends on what it is";
  conclude(finding, is_claimed, is_rounding);
  return finding;
}

// Declared invariants that are none, and are returned to.
std::vector<std::string> forced_invariants(const RunEvidence& run) {
  std::vector<std::string> names;
  for (const std::string& name : run.changing)
    if (returns_to_invariant(run, name)) names.push_back(name);
  return names;
}

ErrorFinding no_estimate(const RunEvidence& run, const std::string& because) {
  ErrorFinding finding;
  finding.by = run.error_by;
  finding.final = finding.largest = finding.growth.exponent = finding.growth.error =
      std::numeric_limits<double>::quiet_NaN();
  finding.evidence = "no estimate: " + because;
  return finding;
}

// A regular motion shears: in n steps neighbours separate by about n times what they do in one, or n^2 where what
// shears them grows as well. Beyond that they separate exponentially, and so do errors.
bool separates_exponentially(const RunEvidence& run) {
  return run.separation > 2 * std::log(static_cast<double>(run.steps));
}

// What a finer run of the same method has lost as well is no measure of the error at the end.
void mark_lost(ErrorFinding& finding, double at, const RunEvidence& run) {
  finding.lost_at = at;
  if (run.is_error_shared) finding.final = std::numeric_limits<double>::quiet_NaN();
}

ErrorFinding solution_error(const RunEvidence& run, const WatchedSignal& signal) {
  const Comparison rounding = compare_with_rounding(signal);
  const double size = signal.level.at(signal.series.last_time()) / run.unit;
  const double level = rounding.ratio <= 1 ? std::max(rounding.level, signal.series.largest()) : rounding.level;
  const bool is_chaotic = separates_exponentially(run);
  const SolutionError error = judge_solution_error(
      signal.series,
      {.level = level, .size = signal.level, .size_unit = run.unit * run.error_factor, .is_chaotic = is_chaotic});
  ErrorFinding finding;
  finding.by = run.error_by;
  finding.trend = error.trend;
  finding.growth = error.growth;
  // Estimates are that times a factor near 1.
  finding.evidence = (run.error_factor == 1 ? "" : "of the difference of both runs, ") + error.evidence;
  if (error.lost_at && is_chaotic) {
    const double duration = signal.series.last_time() - signal.series.first_time();
    finding.evidence += fmt::format("; neighbours separate exponentially, at a mean rate of {:.2g}, and so do errors",
                                    run.separation / duration);
  }
  finding.final = run.error_factor * std::abs(signal.series.last_value());
  finding.largest = run.error_factor * signal.series.largest();
  if (error.lost_at) {
    // Two solutions that have nothing to do with each other are no further apart.
    for (double* figure : {&finding.final, &finding.largest}) *figure = std::min(*figure, 2 * size);
    mark_lost(finding, *error.lost_at, run);
  }
  if (signal.series.not_finite() > 0) {
    finding.final = finding.largest = std::numeric_limits<double>::quiet_NaN();
    finding.evidence = fmt::format("it is not known after t = {:g}, where the finer run has ended; before, {}",
                                   signal.series.first_not_finite(), error.evidence);
  }
  return finding;
}

// A planet that passes its sun with a step that is too long is thrown out there: its energy has jumped, and stays.
bool is_thrown_out(const Finding& energy) {
  return energy.verdict == Verdict::broken && energy.trend == Trend::decaying;
}

// What two motions are apart after that is no growth of an error, however small a part it is of how far they are out.
void lose(ErrorFinding& finding, const Series& energy, const RunEvidence& run) {
  const auto bins = energy.bins();
  const std::vector<double> running = running_maximum(bins, -energy.first_value());
  const double at = bins[first_reaching(running, running.back() / 2)].t_last;
  mark_lost(finding, at, run);
  finding.trend = Trend::unknown;
  finding.growth.exponent = finding.growth.error = std::numeric_limits<double>::quiet_NaN();
  finding.evidence =
      fmt::format("the solution is lost at t = {:.3g}, where its energy has jumped; {}", at, finding.evidence);
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
  return is_complete && has_steps && forced.empty() &&
         std::none_of(findings.begin(), findings.end(),
                      [](const Finding& finding) { return finding.verdict == Verdict::broken; });
}

Certificate certify(const RunEvidence& run) {
  Certificate certificate;
  certificate.is_complete = run.is_complete;
  certificate.has_steps = run.steps > 0;
  auto& findings = certificate.findings;
  if (const auto* signal = find(run, "position"))
    findings.push_back(
        as_far_as_measured(constraint(run, *signal, run.facts.keeps_position, run.policy.to_position(), "g"), *signal));
  if (const auto* signal = find(run, "momentum"))
    findings.push_back(as_far_as_measured(
        constraint(run, *signal, run.facts.keeps_momentum, run.policy.to_momentum(), "G H_p"), *signal));
  if (const auto* signal = find(run, "energy")) findings.push_back(as_far_as_measured(energy(run, *signal), *signal));
  if (const auto* signal = find(run, "wedge")) findings.push_back(symplecticity(run, *signal));
  if (run.reversal) findings.push_back(reversibility(run));
  for (const auto& signal : run.signals)
    if (signal.name.find('.') != std::string::npos)
      findings.push_back(as_far_as_measured(invariant(run, signal), signal));
  // Where no step was made nothing was kept.
  for (Finding& finding : findings) {
    if (certificate.has_steps || finding.verdict != Verdict::kept) continue;
    finding.verdict = Verdict::unknown;
    finding.evidence = "no step was made";
  }
  certificate.forced = forced_invariants(run);
  if (const auto* signal = find(run, "error"); signal && !run.error_by.empty()) {
    if (!run.is_refined) {
      certificate.error = no_estimate(run, "steps of the second run became as long as those of the first");
    } else if (run.is_error_shared && !certificate.forced.empty()) {
      certificate.error = no_estimate(
          run, fmt::format("the equations do not keep {}, and shorter steps that are returned to it share that error",
                           fmt::join(certificate.forced, ", ")));
    } else {
      certificate.error = solution_error(run, *signal);
    }
  }
  const auto thrown_out = std::find_if(findings.begin(), findings.end(), [](const Finding& finding) {
    return finding.structure == "energy" && is_thrown_out(finding);
  });
  if (certificate.error && thrown_out != findings.end()) lose(*certificate.error, find(run, "energy")->series, run);
  return certificate;
}

}  // namespace cotangent
