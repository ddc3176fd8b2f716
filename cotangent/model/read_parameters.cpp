#include <fmt/core.h>

#include <utility>

#include "cotangent/model/resolve.hpp"
#include "cotangent/model/resolver.hpp"
#include "cotangent/model/sections.hpp"
#include "cotangent/model/shape.hpp"

namespace cotangent {
namespace {

// One entry of a table that --set replaces.
struct EntryOverride {
  Syntax entry;
  Syntax value;
};

// What the file and --set say of one parameter.
struct ParameterText {
  const DocumentValue* value = nullptr;
  DocumentValue lists = {};  // of a string "[[1, 2], [3, 4]]"
  std::vector<EntryOverride> entries = {};
};

// The last --set of a name holds, and after it those of single entries.
ParameterText parameter_text(Reading& reading, const DocumentEntry& entry) {
  ParameterText result{.value = &entry.value};
  for (auto& override : reading.overrides) {
    const std::string& name = override.name.text();
    if (name == entry.name()) {
      result.value = &override.value;
      result.entries.clear();
    } else if (name.substr(0, name.find('[')) == entry.name()) {
      result.entries.push_back({parse_expression(override.name), parse_expression(override.value.string())});
    } else {
      continue;
    }
    override.used = true;
  }
  if (result.value->is_string()) {
    const Syntax syntax = parse_expression(result.value->string());
    if (syntax.root().kind == SyntaxKind::vector) result.lists = nested_lists(syntax, syntax.root());
  }
  return result;
}

void set_entry(Scope& scope, const EntryOverride& override, Parameter& table) {
  const auto& [entry, value] = override;
  const auto& root = entry.root();
  if (table.shape.empty())
    throw ModelError(entry.locate(root), fmt::format("the parameter '{}' is not a table", table.name));
  if (root.kind != SyntaxKind::entry || root.children.size() != table.shape.size())
    throw ModelError(entry.locate(root),
                     fmt::format("an entry of the table '{}' has {}", table.name, plural(table.shape.size(), "index")));
  EntryIndices indices;
  for (std::size_t k = 0; k < table.shape.size(); ++k)
    indices.push_back(resolve_integer(scope, entry, entry.node(root.children[k]), 1, table.shape[k],
                                      fmt::format("index of '{}'", table.name)));
  table.table[*place_of(indices, table.shape)] = resolve_number(scope, value, value.root(), kFor.parameter);
}

void fill(Scope& scope, const ParameterText& text, Parameter& parameter) {
  const DocumentValue& value = text.lists.is_list() ? text.lists : *text.value;
  if (value.is_list()) {
    read_table(scope, value, parameter);
  } else {
    parameter.value = read_constant(scope, value, fmt::format("the parameter '{}'", parameter.name));
  }
  for (const auto& override : text.entries) set_entry(scope, override, parameter);
}

}  // namespace

void read_parameters(Reading& reading) {
  const auto entries = reading.entries("parameters");
  auto& scope = reading.scope;
  auto& parameters = reading.model.parameters;

  std::vector<ParameterText> texts;
  std::vector<Dependent> dependents;
  for (const auto& entry : entries) {
    check_name(entry, "parameter");
    texts.push_back(parameter_text(reading, entry));
    Dependent& dependent = dependents.emplace_back(Dependent{.name = entry.name(), .where = entry.key.whole()});
    append_mentioned_names(*texts.back().value, dependent.mentions);
    for (const auto& override : texts.back().entries) append_mentioned_names(override.value, dependent.mentions);
    parameters.push_back({.symbol = 0, .name = entry.name()});
  }

  // The model lists parameters as the file does; their values are found in the order in which they are
  // needed. The scope keeps their places, so the list must not grow any more.
  for (const std::size_t k : dependency_order(dependents, "parameter")) {
    Parameter& parameter = parameters[k];
    fill(scope, texts[k], parameter);
    parameter.symbol =
        scope.graph().declare(parameter.name, SymbolKind::parameter, static_cast<int>(parameter.shape.size()));
    scope.declare_parameter(parameter, entries[k].key.whole());
  }
}

}  // namespace cotangent
