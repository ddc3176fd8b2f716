#include <span>

#include "cotangent/output/json_writer.hpp"
#include "understanding.hpp"

using namespace cotangent;

namespace {

// Entry (i, j, ...) at i - 1 + N_1 (j - 1 + ...), as nested lists.
void write_table(JsonWriter& json, const Parameter& parameter, std::size_t depth, std::size_t place,
                 std::size_t stride) {
  if (depth == parameter.shape.size()) {
    json.value(parameter.table[place]);
    return;
  }
  const auto extent = static_cast<std::size_t>(parameter.shape[depth]);
  json.begin_list();
  for (std::size_t i = 0; i < extent; ++i) write_table(json, parameter, depth + 1, place + i * stride, stride * extent);
  json.end_list();
}

template <class Variables>
void write_shapes(JsonWriter& json, const char* key, const Variables& variables) {
  json.key(key).begin_object();
  for (const auto& variable : variables) {
    json.key(variable.name).begin_list();
    for (const std::int64_t extent : variable.shape) json.value(extent);
    json.end_list();
  }
  json.end_object();
}

void write_counts(JsonWriter& json, const char* key, const std::vector<NamedRows>& all) {
  json.key(key).begin_object();
  for (const auto& rows : all) json.key(rows.name).value(rows.count);
  json.end_object();
}

void write_conserved(JsonWriter& json, const Understanding& u) {
  json.key("conserved").begin_long_list();
  const auto write = [&](const std::string& name, const std::string& expression) {
    json.begin_object().key("name").value(name);
    if (!expression.empty()) json.key("expression").value(expression);
    json.end_object();
  };
  if (u.energy_is_kept) write("energy", "");
  for (const auto& momentum : u.symmetries.momenta) write(momentum.name, momentum.expression);
  json.end_list();
  json.key("momenta_sought").value(u.symmetries.were_sought);
}

}  // namespace

std::string understanding_json(const Understanding& u) {
  const Model& model = u.model;
  const Elements& elements = *u.elements;
  JsonWriter json;
  json.begin_object();
  json.key("model").value(model.name);
  json.key("title").value(model.title);
  json.key("kind").value(model.dynamics == Dynamics::lagrangian ? "lagrangian" : "hamiltonian");
  json.key("separable").value(u.separable);
  if (u.alternative) json.key("alternative").begin_object().key("energy_difference").value(*u.alternative).end_object();
  json.key("parameters").begin_object();
  for (const auto& parameter : model.parameters) {
    json.key(parameter.name);
    parameter.shape.empty() ? void(json.value(parameter.value)) : write_table(json, parameter, 0, 0, 1);
  }
  json.end_object();
  write_shapes(json, "coordinates", model.coordinates);
  json.key("dimension").value(elements.n);
  write_shapes(json, "states", model.states);
  write_counts(json, "constraints", elements.rows);
  json.key("constraint_count").value(elements.m);
  json.key("redundant").begin_long_list();
  for (const auto& constraint : u.redundant) {
    json.begin_object().key("constraint").value(constraint.name).key("follows_from").begin_list();
    for (const auto& name : constraint.follows_from) json.value(name);
    json.end_list().end_object();
  }
  json.end_list();
  if (model.minimal) write_shapes(json, "minimal_coordinates", model.minimal->coordinates);
  json.key("degrees_of_freedom").value(degrees_of_freedom(u));
  json.key("forces").begin_list();
  for (const auto& name : u.forced) json.value(name);
  json.end_list();
  json.key("dissipation").value(model.dissipation.valid());
  json.key("time_dependent").value(u.is_driven);
  write_counts(json, "observables", elements.observable_rows);
  write_counts(json, "invariants", elements.invariant_rows);
  json.key("exact").begin_list();
  for (const auto& name : exact_names(model)) json.value(name);
  json.end_list();
  write_conserved(json, u);
  json.key("initial").begin_object();
  json.key("position").value(u.position);
  json.key("momentum").value(u.momentum);
  json.key("position_change").value(u.position_change);
  json.key("momentum_change").value(u.momentum_change);
  json.end_object();
  json.key("notes").begin_long_list();
  for (const auto& note : u.notes) json.value(note);
  json.end_list();
  json.end_object();
  return json.text() + "\n";
}
