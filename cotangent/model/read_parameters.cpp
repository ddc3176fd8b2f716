#include <fmt/core.h>

#include <optional>
#include <utility>

#include "cotangent/model/resolve.hpp"
#include "cotangent/model/sections.hpp"

namespace cotangent {
namespace {

// What the file or the last --set of that name says.
const DocumentValue& chosen_value(Reading& reading, const DocumentEntry& entry) {
  const DocumentValue* value = &entry.value;
  for (auto& override : reading.overrides) {
    if (override.name.text() != entry.name()) continue;
    override.used = true;
    value = &override.value;
  }
  return *value;
}

Quad plain_number(const DocumentValue& value, const std::string& name) {
  if (value.is_list() || value.is_table()) not_yet(value.where, "parameters that are tables or index lists are");
  if (!value.is_number()) wrong_type(value, fmt::format("the parameter '{}'", name), "a number or an expression");
  if (!isfinite(value.real)) throw ModelError(value.where, fmt::format("the parameter '{}' must be finite", name));
  return value.real;
}

}  // namespace

void read_parameters(Reading& reading) {
  const DocumentValue* section = reading.section("parameters");
  if (!section) return;
  const auto& entries = section->entries;
  auto& scope = reading.scope;

  std::vector<const DocumentValue*> values;
  std::vector<std::optional<Syntax>> syntax(entries.size());
  std::vector<Dependent> dependents;
  for (std::size_t k = 0; k < entries.size(); ++k) {
    check_name(entries[k], "parameter");
    values.push_back(&chosen_value(reading, entries[k]));
    if (values[k]->is_string()) syntax[k] = parse_expression(values[k]->string);
    dependents.push_back({entries[k].name(), entries[k].key.whole(), syntax[k] ? &*syntax[k] : nullptr});
  }

  // The model lists parameters as the file does; their values are found in the order in which they are
  // needed.
  auto& parameters = reading.model.parameters;
  for (const auto& entry : entries)
    parameters.push_back({scope.graph().declare(entry.name(), SymbolKind::parameter), entry.name(), 0});
  for (const std::size_t k : dependency_order(dependents, "parameter")) {
    parameters[k].value = syntax[k] ? resolve_number(scope, *syntax[k], syntax[k]->root(), kForParameter)
                                    : plain_number(*values[k], entries[k].name());
    scope.declare(entries[k].name(), {.kind = NameKind::parameter,
                                      .value = scope.graph().symbol_expr(parameters[k].symbol),
                                      .number = parameters[k].value,
                                      .where = entries[k].key.whole()});
  }
}

}  // namespace cotangent
