#include "cotangent/output/json_writer.hpp"
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
  const auto write = [&](const char* prefix, const std::vector<T>& values) {
    for (const auto& c : report.model.coordinates) {
      json.key(prefix + c.name);
      write_array(json, values, c.shape, 0, c.offset, 1);
    }
  };
  write("", report.z.q);
  write("p_", report.z.p);
  write("v_", report.velocities);
  json.end_object();
}

// A number for a single constraint, a list in the order of its loops for a family.
template <class T>
void write_multipliers(JsonWriter& json, const RunReport<T>& report) {
  if (report.multipliers.empty()) return;
  json.key("multipliers").begin_object();
  for (const auto& rows : report.elements.rows) {
    json.key(rows.name);
    if (rows.is_family) json.begin_list();
    for (std::int64_t r = rows.first; r < rows.first + rows.count; ++r)
      json.value(report.multipliers[static_cast<std::size_t>(r)]);
    if (rows.is_family) json.end_list();
  }
  json.end_object();
}

void write_monitors(JsonWriter& json, const Summary& summary) {
  json.key("max").begin_object();
  for (const auto& monitor : summary.monitors) json.key(monitor.name).value(monitor.largest);
  json.end_object();
  json.key("final").begin_object();
  for (const auto& monitor : summary.monitors) json.key(monitor.name).value(monitor.final);
  json.end_object();
}

void write_failure(JsonWriter& json, const Failure& failure) {
  json.key("failure").begin_object();
  json.key("during").value(describe(failure.during));
  json.key("time").value(failure.time);
  json.key("step").value(failure.step);
  if (failure.during == Phase::recording) {
    json.key("reason").value(failure.message);
  } else {
    json.key("reason").value(describe(failure.status));
    json.key("residual").value(failure.residual);
    json.key("tolerance").value(failure.tolerance);
    if (!failure.constraint.empty()) json.key("constraint").value(failure.constraint);
    json.key("advice").value(advice(failure.status));
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
  json.key("wall_seconds").value(summary.wall_seconds);
  json.key("setup_seconds").value(report.setup_seconds);
  write_state(json, report);
  write_multipliers(json, report);
  write_monitors(json, summary);
  json.key("counts").begin_object();
  json.key("rhs").value(summary.counts.rhs);
  json.key("newton").value(summary.counts.newton);
  json.key("projections").value(summary.counts.projections);
  // Fixed steps reject none, and there are no methods with charts.
  json.key("charts").value(0);
  json.key("rejected").value(0);
  json.end_object();
  if (report.initial_change) {
    json.key("initial_change").begin_object();
    json.key("position").value(report.initial_change->position);
    json.key("momentum").value(report.initial_change->momentum);
    json.end_object();
  }
  if (summary.failure) write_failure(json, *summary.failure);
  if (!report.notes.empty()) {
    json.key("notes").begin_long_list();
    for (const auto& note : report.notes) json.value(note);
    json.end_list();
  }
  json.end_object();
  return json.text() + "\n";
}

template std::string json_summary(const RunReport<double>&);
template std::string json_summary(const RunReport<long double>&);
template std::string json_summary(const RunReport<Quad>&);

}  // namespace cotangent
