#include "cotangent/base/instantiate.hpp"
#include "cotangent/output/json.hpp"
#include "cotangent/output/run_report.hpp"
#include "cotangent/output/shapes.hpp"

namespace cotangent {
namespace {

using Members = std::vector<std::pair<std::string, Json>>;

// A value that is there under a condition.
template <class X>
std::optional<Json> when(bool condition, const X& x) {
  return condition ? std::optional<Json>(x) : std::nullopt;
}

template <class T>
Json state(const RunReport<T>& report) {
  Members members;
  const auto add = [&](const char* prefix, const auto& variables, const std::vector<T>& values) {
    for (const auto& variable : variables) {
      std::vector<T> numbers;
      for (const std::int64_t entry : entries_in_reading_order(variable.shape, variable.offset))
        numbers.push_back(values[static_cast<std::size_t>(entry)]);
      members.emplace_back(prefix + variable.name, Json::nested<T>(numbers, variable.shape));
    }
  };
  add("", report.model.coordinates, report.z.q);
  add("p_", report.model.coordinates, report.z.p);
  add("v_", report.model.coordinates, report.velocities);
  add("", report.model.states, report.z.s);
  return Json::object(members);
}

// A number for each name, or lists; nothing where there are numbers that are not determined.
template <class T, class Stated>
std::optional<Json> named(const Stated& stated, const std::vector<NamedRows>& all, const std::vector<T>& values) {
  if (values.empty() && !all.empty()) return std::nullopt;
  Members members;
  for (std::size_t k = 0; k < all.size(); ++k) {
    const std::span<const T> rows(values.data() + all[k].first, static_cast<std::size_t>(all[k].count));
    members.emplace_back(all[k].name, Json::nested<T>(rows, list_shape(stated[k], all[k])));
  }
  return Json::object(members);
}

// An object with a member for each monitor; those of a group, which stand together, are in one of its own.
template <class F>
Json of_monitors(const Summary& summary, const F& value) {
  Members members;
  const auto& monitors = summary.monitors;
  for (std::size_t k = 0; k < monitors.size();) {
    const std::string group = monitors[k].group;
    Members inner;
    for (; k < monitors.size() && monitors[k].group == group; ++k)
      inner.emplace_back(monitors[k].name, value(monitors[k]));
    if (group.empty()) {
      members.insert(members.end(), inner.begin(), inner.end());
    } else {
      members.emplace_back(group, Json::object(inner));
    }
  }
  return Json::object(members);
}

Json growth(const MonitorResult& monitor) {
  const Growth& growth = *monitor.growth;
  return Json::object(
      {{"exponent", growth.exponent}, {"uncertainty", growth.error}, {"from", growth.from}, {"until", growth.until}});
}

Json periodograms(const std::vector<NamedPeriodogram>& all) {
  Members members;
  for (const auto& [name, periodogram] : all)
    members.emplace_back(name,
                         Json::object({{"resolution", periodogram.resolution},
                                       {"peaks", Json::long_list(Json::each(periodogram.peaks, [](const auto& peak) {
                                          return Json::object({{"frequency", peak.frequency},
                                                               {"amplitude", peak.amplitude},
                                                               {"power", peak.power},
                                                               {"width", peak.width}});
                                        }))}}));
  return Json::object(members);
}

Json failure(const Failure& failure) {
  const bool is_beyond = failure.during == Phase::tolerance;
  const bool is_recording = failure.during == Phase::recording;
  const bool is_unsolved = !is_beyond && !is_recording;
  return Json::object({{"during", describe(failure.during)},
                       {"time", failure.time},
                       {"step", failure.step},
                       {"reason", reason(failure)},
                       {"error", when(is_beyond, failure.error)},
                       {"residual", when(is_unsolved, failure.residual)},
                       {"tolerance", when(is_unsolved, failure.tolerance)},
                       {"constraint", when(is_unsolved && !failure.constraint.empty(), failure.constraint)},
                       {"cause", when(!is_recording && !failure.message.empty(), failure.message)},
                       {"advice", when(!is_recording, advice(failure))}});
}

Json finding(const Finding& finding) {
  std::optional<double> drift, drift_error;
  if (finding.drift) drift = finding.drift->slope, drift_error = finding.drift->error;
  return Json::object({{"structure", finding.structure},
                       {"claimed", finding.is_claimed},
                       {"claim", finding.claim},
                       {"verdict", describe(finding.verdict)},
                       {"figure", finding.figure},
                       {"rounding", finding.level},
                       {"defect", finding.defect},
                       {"drift", drift},
                       {"drift_error", drift_error},
                       {"evidence", finding.evidence}});
}

Json error_finding(const ErrorFinding& error) {
  Members members{{"by", error.by}, {"final", error.final}, {"largest", error.largest}};
  for (const auto& [name, final, largest, size] : error.parts)
    members.emplace_back(name, Json::object({{"final", final}, {"largest", largest}, {"size", size}}));
  members.emplace_back("relative",
                       Json::object({{"final", error.relative_final()}, {"largest", error.relative_largest()}}));
  members.emplace_back("lost_at", error.lost_at);
  members.emplace_back("evidence", error.evidence);
  return Json::object(members);
}

Json certificate(const Certificate& certificate) {
  return Json::object({{"holds", certificate.holds()},
                       {"complete", certificate.is_complete()},
                       {"samples", certificate.samples},
                       {"structures", Json::long_list(Json::each(certificate.findings, finding))},
                       {"error", certificate.error ? std::optional(error_finding(*certificate.error)) : std::nullopt}});
}

}  // namespace

template <class T>
Json summary_json(const RunReport<T>& report, WithPoint point) {
  const Summary& summary = report.summary;
  const Counts& counts = summary.counts;
  Members all{
      {"status", describe(summary.outcome)},
      {"model", report.model.name},
      {"title", report.model.title},
      {"method", report.method},
      {"formulation", report.formulation},
      {"projection", report.projection},
      {"kept_invariants", when(!report.kept_invariants.empty(),
                               Json::long_list({report.kept_invariants.begin(), report.kept_invariants.end()}))},
      {"backend", report.backend},
      {"precision", report.precision},
      {"time", summary.time},
      {"steps", summary.steps},
      {"step", summary.step}};
  const auto add = [&](const char* key, const Json& value) { all.emplace_back(key, value); };
  if (summary.choice) {
    add("controller", summary.choice->controller);
    add("tolerance", summary.choice->tolerance);
    add("smallest_step", summary.choice->smallest);
    add("largest_step", summary.choice->largest);
    add("largest_step_error", summary.choice->largest_error);
  }
  add("wall_seconds", summary.wall_seconds);
  add("setup_seconds", report.setup_seconds);
  if (point == WithPoint::yes) {
    add("state", state(report));
    add("multipliers", named(report.model.constraints, report.elements.rows, report.multipliers));
    add("observables", named(report.model.observables, report.elements.observable_rows, report.observables));
  }
  add("work", report.work);
  add("initial_energy", summary.energy_at_start);
  add("max", of_monitors(summary, [](const auto& monitor) { return monitor.largest; }));
  add("final", of_monitors(summary, [](const auto& monitor) { return monitor.final; }));
  if (summary.has_growth()) add("growth", of_monitors(summary, growth));
  if (!report.periodograms.empty()) add("periodogram", periodograms(report.periodograms));
  if (report.section) add("section", Json::object({{"count", report.section->count}, {"file", report.section->file}}));
  add("counts", Json::object({{"rhs", counts.rhs},
                              {"newton", counts.newton},
                              {"projections", counts.projections},
                              {"charts", counts.charts},
                              {"rejected", counts.rejected}}));
  if (counts.projections > 0) {
    const auto moved = [&](const Moved& by) {
      return Json::object({{"q", by.q}, {"p", by.p}, {"s", when(report.elements.states > 0, by.s)}});
    };
    add("projection_displacement",
        Json::object({{"largest", moved(summary.moved_most)}, {"total", moved(summary.moved_in_all)}}));
  }
  if (const auto& scaling = summary.scaling; scaling.points > 0)
    add("scaling", Json::object({{"points", scaling.points},
                                 {"fallbacks", scaling.fallbacks},
                                 {"first_fallback", when(scaling.fallbacks > 0, scaling.first_fallback)},
                                 {"largest_condition", scaling.condition}}));
  if (const auto& relaxation = summary.relaxation; relaxation.points > 0)
    add("relaxation", Json::object({{"points", relaxation.points},
                                    {"fallbacks", relaxation.fallbacks},
                                    {"first_fallback", when(relaxation.fallbacks > 0, relaxation.first_fallback)},
                                    {"largest_change", relaxation.change}}));
  if (const auto& change = report.initial_change)
    add("initial_change", Json::object({{"position", change->position}, {"momentum", change->momentum}}));
  add("warnings", Json::long_list(Json::each(summary.warnings, [](const Warning& warning) {
        return Json::object({{"time", warning.time}, {"kind", warning.kind}, {"text", warning.text}});
      })));
  if (report.certificate) add("certificate", certificate(*report.certificate));
  if (summary.failure) add("failure", failure(*summary.failure));
  if (!report.notes.empty()) add("notes", Json::long_list({report.notes.begin(), report.notes.end()}));
  return Json::object(all);
}

template <class T>
std::string json_summary(const RunReport<T>& report) {
  return summary_json(report, WithPoint::yes).text() + "\n";
}

#define COTANGENT_FUNCTIONS(T)                                \
  template Json summary_json(const RunReport<T>&, WithPoint); \
  template std::string json_summary(const RunReport<T>&);
COTANGENT_FOR_PRECISIONS(COTANGENT_FUNCTIONS)

}  // namespace cotangent
