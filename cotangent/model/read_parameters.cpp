#include <fmt/core.h>

#include <optional>
#include <utility>

#include "cotangent/model/resolve.hpp"
#include "cotangent/model/resolver.hpp"
#include "cotangent/model/sections.hpp"
#include "cotangent/model/table.hpp"

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
  std::optional<Syntax> syntax = {};  // of a string
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
  if (result.value->is_string()) result.syntax = parse_expression(result.value->string());
  return result;
}

Dependent dependent(const DocumentEntry& entry, const ParameterText& text) {
  Dependent result{.name = entry.name(), .where = entry.key.whole()};
  if (text.syntax) append_mentioned_names(*text.syntax, result.mentions);
  if (text.value->is_list()) append_mentioned_names(*text.value, result.mentions);
  for (const auto& override : text.entries) append_mentioned_names(override.value, result.mentions);
  return result;
}

void set_entry(Scope& scope, const EntryOverride& override, Parameter& table) {
  const auto& root = override.entry.root();
  const Location where = override.entry.locate(root);
  if (table.shape.empty()) throw ModelError(where, fmt::format("the parameter '{}' is not a table", table.name));
  if (root.kind != SyntaxKind::entry || root.children.size() != table.shape.size())
    throw ModelError(where,
                     fmt::format("an entry of the table '{}' has {}", table.name, plural(table.shape.size(), "index")));
  std::int64_t at = 0, stride = 1;
  for (std::size_t k = 0; k < table.shape.size(); ++k) {
    const auto& node = override.entry.node(root.children[k]);
    const Quad index = resolve_number(scope, override.entry, node, kFor.index);
    at += stride *
          (to_integer(index, 1, table.shape[k], fmt::format("index of '{}'", table.name), override.entry.locate(node)) -
           1);
    stride *= table.shape[k];
  }
  table.table[static_cast<std::size_t>(at)] =
      resolve_number(scope, override.value, override.value.root(), kFor.parameter);
}

void fill(Scope& scope, const ParameterText& text, Parameter& parameter) {
  if (text.value->is_list()) {
    read_table(scope, *text.value, parameter);
  } else if (!text.syntax) {
    parameter.value = plain_number(*text.value, fmt::format("the parameter '{}'", parameter.name));
  } else if (text.syntax->root().kind == SyntaxKind::vector) {
    read_table(scope, *text.syntax, parameter);
  } else {
    parameter.value = resolve_number(scope, *text.syntax, text.syntax->root(), kFor.parameter);
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
    dependents.push_back(dependent(entry, texts.back()));
    parameters.push_back({.symbol = 0, .name = entry.name()});
  }

  // The model lists parameters as the file does; their values are found in the order in which they are
  // needed. The scope keeps their places, so the list must not grow any more.
  for (const std::size_t k : dependency_order(dependents, "parameter")) {
    Parameter& parameter = parameters[k];
    fill(scope, texts[k], parameter);
    parameter.symbol =
        scope.graph().declare(parameter.name, SymbolKind::parameter, static_cast<int>(parameter.shape.size()));
    Named named{.kind = NameKind::parameter,
                .array = parameter.symbol,
                .shape = parameter.shape,
                .parameter = &parameter,
                .where = entries[k].key.whole()};
    if (parameter.shape.empty()) named.value = scope.graph().symbol_expr(parameter.symbol);
    scope.declare(parameter.name, std::move(named));
  }
}

}  // namespace cotangent
