#include <span>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/output/json_writer.hpp"
#include "cotangent/output/named_rows_shape.hpp"
#include "cotangent/output/run_report.hpp"

namespace cotangent {
namespace {

// Entry (i, j, ...) of an array as nested lists; a scalar as a number.
template <class T>
void write_array(JsonWriter& json, const std::vector<T>& values, const std::vector<std::int64_t>& shape,
                 std::size_t depth, std::int64_t place, std::int64_t stride) {
  if (depth == shape.size()) {
    json.value(values[static_cast<std::size_t>(place)]);
    return;
  }
  json.begin_list();
  for (std::int64_t i = 0; i < shape[depth]; ++i)
    write_array(json, values, shape, depth + 1, place + i * stride, stride * shape[depth]);
  json.end_list();
}

template <class T>
void write_state(JsonWriter& json, const RunReport<T>& report) {
  json.key("state").begin_object();
  const auto write = [&](const char* prefix, const auto& variables, const std::vector<T>& values) {
    for (const auto& variable : variables) {
      json.key(prefix + variable.name);
      write_array(json, values, variable.shape, 0, variable.offset, 1);
    }
  };
  write("", report.model.coordinates, report.z.q);
  write("p_", report.model.coordinates, report.z.p);
  write("v_", report.model.coordinates, report.velocities);
  write("", report.model.states, report.z.s);
  json.end_object();
}

// Rows one after the other as nested lists of a shape; `next` is the first row that is not written yet.
template <class T>
void write_rows(JsonWriter& json, const std::vector<T>& values, std::span<const std::int64_t> shape,
                std::size_t& next) {
  if (shape.empty()) {
    json.value(values[next++]);
    return;
  }
  json.begin_list();
  for (std::int64_t i = 0; i < shape[0]; ++i) write_rows(json, values, shape.subspan(1), next);
  json.end_list();
}

// A number for each name, or lists.
template <class T, class Stated>
void write_named(JsonWriter& json, const char* key, const Stated& stated, const std::vector<NamedRows>& all,
                 const std::vector<T>& values) {
  // They may be there, but not determined.
  if (values.empty() && !all.empty()) return;
  json.key(key).begin_object();
  for (std::size_t k = 0; k < all.size(); ++k) {
    auto next = static_cast<std::size_t>(all[k].first);
    json.key(all[k].name);
    write_rows(json, values, std::span<const std::int64_t>(list_shape(stated[k], all[k])), next);
  }
  json.end_object();
}

// @param write the value of one.
template <class F>
void write_monitors(JsonWriter& json, const Summary& summary, const char* key, const F& write) {
  json.key(key).begin_object();
  std::string group;
  for (const auto& monitor : summary.monitors) {  // those of a group stand together
    if (monitor.group != group && !group.empty()) json.end_object();
    if (monitor.group != group && !monitor.group.empty()) json.key(monitor.group).begin_object();
    group = monitor.group;
    json.key(monitor.name);
    write(monitor);
  }
  if (!group.empty()) json.end_object();
  json.end_object();
}

void write_moved(JsonWriter& json, const char* key, const Moved& moved, bool has_states) {
  json.key(key).begin_object();
  json.key("q").value(moved.q);
  json.key("p").value(moved.p);
  if (has_states) json.key("s").value(moved.s);
  json.end_object();
}

void write_growth(JsonWriter& json, const Growth& growth) {
  json.begin_object();
  json.key("exponent").value(growth.exponent);
  json.key("uncertainty").value(growth.error);
  json.key("from").value(growth.from);
  json.key("until").value(growth.until);
  json.end_object();
}

void write_periodograms(JsonWriter& json, const std::vector<NamedPeriodogram>& periodograms) {
  json.key("periodogram").begin_object();
  for (const auto& [name, periodogram] : periodograms) {
    json.key(name).begin_object();
    json.key("resolution").value(periodogram.resolution);
    json.key("peaks").begin_long_list();
    for (const SpectralPeak& peak : periodogram.peaks) {
      json.begin_object();
      json.key("frequency").value(peak.frequency);
      json.key("amplitude").value(peak.amplitude);
      json.key("power").value(peak.power);
      json.key("width").value(peak.width);
      json.end_object();
    }
    json.end_list();
    json.end_object();
  }
  json.end_object();
}

void write_failure(JsonWriter& json, const Failure& failure) {
  json.key("failure").begin_object();
  json.key("during").value(describe(failure.during));
  json.key("time").value(failure.time);
  json.key("step").value(failure.step);
  if (failure.during == Phase::recording) {
    json.key("reason").value(failure.message);
  } else if (failure.during == Phase::tolerance) {
    json.key("reason").value(kBeyondTolerance);
    json.key("error").value(failure.error);
    json.key("advice").value(kToleranceAdvice);
  } else {
    json.key("reason").value(describe(failure.status));
    json.key("residual").value(failure.residual);
    json.key("tolerance").value(failure.tolerance);
    if (!failure.constraint.empty()) json.key("constraint").value(failure.constraint);
    json.key("advice").value(advice(failure.status));
  }
  json.end_object();
}

void write_finding(JsonWriter& json, const Finding& finding) {
  json.begin_object();
  json.key("structure").value(finding.structure);
  json.key("claimed").value(finding.is_claimed);
  json.key("claim").value(finding.claim);
  json.key("verdict").value(describe(finding.verdict));
  json.key("figure").value(finding.figure);
  json.key("rounding").value(finding.level);
  if (finding.defect) json.key("defect").value(*finding.defect);
  if (finding.drift) {
    json.key("drift").value(finding.drift->slope);
    json.key("drift_error").value(finding.drift->error);
  }
  json.key("evidence").value(finding.evidence);
  json.end_object();
}

void write_certificate(JsonWriter& json, const Certificate& certificate) {
  json.key("certificate").begin_object();
  json.key("holds").value(certificate.holds());
  json.key("complete").value(certificate.is_complete());
  json.key("samples").value(certificate.samples);
  json.key("structures").begin_long_list();
  for (const auto& finding : certificate.findings) write_finding(json, finding);
  json.end_list();
  if (certificate.error) {
    const ErrorFinding& error = *certificate.error;
    json.key("error").begin_object();
    json.key("by").value(error.by);
    json.key("final").value(error.final);
    json.key("largest").value(error.largest);
    if (error.lost_at) json.key("lost_at").value(*error.lost_at);
    json.key("evidence").value(error.evidence);
    json.end_object();
  }
  json.end_object();
}

}  // namespace

template <class T>
std::string json_summary(const RunReport<T>& report) {
  const Summary& summary = report.summary;
  JsonWriter json;
  json.begin_object();
  json.key("status").value(describe(summary.outcome));
  json.key("model").value(report.model.name);
  json.key("title").value(report.model.title);
  json.key("method").value(report.method);
  json.key("formulation").value(report.formulation);
  json.key("projection").value(report.projection);
  json.key("backend").value(report.backend);
  json.key("precision").value(report.precision);
  json.key("time").value(summary.time);
  json.key("steps").value(summary.steps);
  json.key("step").value(summary.step);
  if (summary.choice) {
    json.key("controller").value(summary.choice->controller);
    json.key("tolerance").value(summary.choice->tolerance);
    json.key("smallest_step").value(summary.choice->smallest);
    json.key("largest_step").value(summary.choice->largest);
  }
  json.key("wall_seconds").value(summary.wall_seconds);
  json.key("setup_seconds").value(report.setup_seconds);
  write_state(json, report);
  write_named(json, "multipliers", report.model.constraints, report.elements.rows, report.multipliers);
  write_named(json, "observables", report.model.observables, report.elements.observable_rows, report.observables);
  if (report.work) json.key("work").value(*report.work);
  write_monitors(json, summary, "max", [&](const auto& monitor) { json.value(monitor.largest); });
  write_monitors(json, summary, "final", [&](const auto& monitor) { json.value(monitor.final); });
  if (summary.has_growth())
    write_monitors(json, summary, "growth", [&](const auto& monitor) { write_growth(json, *monitor.growth); });
  if (!report.periodograms.empty()) write_periodograms(json, report.periodograms);
  if (report.section) {
    json.key("section").begin_object();
    json.key("count").value(report.section->count);
    if (report.section->file) json.key("file").value(*report.section->file);
    json.end_object();
  }
  json.key("counts").begin_object();
  json.key("rhs").value(summary.counts.rhs);
  json.key("newton").value(summary.counts.newton);
  json.key("projections").value(summary.counts.projections);
  json.key("charts").value(summary.counts.charts);
  json.key("rejected").value(summary.counts.rejected);
  json.end_object();
  if (summary.counts.projections > 0) {
    const bool has_states = report.elements.states > 0;
    json.key("projection_displacement").begin_object();
    write_moved(json, "largest", summary.moved_most, has_states);
    write_moved(json, "total", summary.moved_in_all, has_states);
    json.end_object();
  }
  if (report.initial_change) {
    json.key("initial_change").begin_object();
    json.key("position").value(report.initial_change->position);
    json.key("momentum").value(report.initial_change->momentum);
    json.end_object();
  }
  if (!summary.warnings.empty()) {
    json.key("warnings").begin_long_list();
    for (const auto& warning : summary.warnings) {
      json.begin_object();
      json.key("time").value(warning.time);
      json.key("kind").value(warning.kind);
      json.key("text").value(warning.text);
      json.end_object();
    }
    json.end_list();
  }
  if (report.certificate) write_certificate(json, *report.certificate);
  if (summary.failure) write_failure(json, *summary.failure);
  if (!report.notes.empty()) {
    json.key("notes").begin_long_list();
    for (const auto& note : report.notes) json.value(note);
    json.end_list();
  }
  json.end_object();
  return json.text() + "\n";
}

#define COTANGENT_FUNCTIONS(T) template std::string json_summary(const RunReport<T>&);
COTANGENT_FOR_PRECISIONS(COTANGENT_FUNCTIONS)

}  // namespace cotangent
