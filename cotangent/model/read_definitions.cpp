#include <fmt/core.h>

#include <optional>

#include "cotangent/model/resolve.hpp"
#include "cotangent/model/sections.hpp"

namespace cotangent {

void read_definitions(Reading& reading) {
  const DocumentValue* section = reading.section("definitions");
  if (!section) return;
  const auto& entries = section->entries;
  auto& scope = reading.scope;

  std::vector<std::optional<Syntax>> syntax(entries.size());
  std::vector<Dependent> dependents;
  for (std::size_t k = 0; k < entries.size(); ++k) {
    const auto& [key, value] = entries[k];
    if (key.text().find_first_of("([") != std::string::npos) not_yet(key.whole(), "definitions with arguments are");
    check_name(entries[k], "definition");
    if (value.is_table() || value.is_list()) not_yet(value.where, "definitions that are tables or lists are");
    if (value.is_string()) syntax[k] = parse_expression(value.string);
    dependents.push_back({key.text(), key.whole(), syntax[k] ? &*syntax[k] : nullptr});
  }

  for (const std::size_t k : dependency_order(dependents, "definition")) {
    const auto& [key, value] = entries[k];
    scope.set_definition(key.text());
    const Expr expression = syntax[k] ? resolve_expression(scope, *syntax[k], kForAnything)
                                      : read_value(scope, value, kForAnything, fmt::format("'{}'", key.text()));
    scope.declare(key.text(), {.kind = NameKind::definition, .value = expression, .where = key.whole()});
  }
  scope.set_definition({});
}

}  // namespace cotangent
