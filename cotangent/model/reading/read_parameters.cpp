#include <fmt/core.h>

#include <utility>

#include "cotangent/base/limits.hpp"
#include "cotangent/model/language/resolver.hpp"
#include "cotangent/model/language/shape.hpp"
#include "cotangent/model/reading/sections.hpp"

namespace cotangent {
namespace {

// Fills the shape and the entries of a table from nested lists of numbers and expressions: all lists of one level are
// of one length, none is empty and there are at most Graph::kMaxArity levels.
class TableFiller {
 public:
  TableFiller(Scope& scope, Parameter& table)
      : scope_(scope), table_(table), what_(fmt::format("the table '{}'", table.name)) {}

  void fill(const DocumentValue& root) {
    table_.shape.clear();
    for (const DocumentValue* item = &root; item->is_list(); item = &item->items()[0]) {
      if (item->items().empty()) throw ModelError(item->where, what_ + " has an empty list");
      if (table_.shape.size() == Graph::kMaxArity)
        throw ModelError(root.where, fmt::format("{} has more than {} indices", what_, int{Graph::kMaxArity}));
      table_.shape.push_back(static_cast<std::int64_t>(item->items().size()));
      if (entry_count(table_.shape) > kLimits.entries)
        throw ModelError(root.where, fmt::format("{} is too large; the limit is {} entries", what_, kLimits.entries));
    }
    table_.table.assign(static_cast<std::size_t>(entry_count(table_.shape)), 0);
    visit(root, 0, 0, 1);
  }

 private:
  // The entries below an item: from `at` on, those of its own index at a distance of `stride`.
  void visit(const DocumentValue& item, std::size_t level, std::size_t at, std::size_t stride) {
    if (level == table_.shape.size()) {
      if (item.is_list()) throw ModelError(item.where, what_ + " has a list here and a number elsewhere");
      table_.table[at] = read_constant(scope_, item, fmt::format("an entry of '{}'", table_.name));
      return;
    }
    const auto expected = static_cast<std::size_t>(table_.shape[level]);
    if (!item.is_list()) throw ModelError(item.where, what_ + " has a number here and a list elsewhere");
    if (item.items().size() != expected)
      throw ModelError(item.where, fmt::format("{} is not rectangular: {} values here, {} in the first list", what_,
                                               item.items().size(), expected));
    for (std::size_t k = 0; k < expected; ++k) visit(item.items()[k], level + 1, at + stride * k, stride * expected);
  }

  Scope& scope_;
  Parameter& table_;
  std::string what_;
};

// The lists that "[[1, 2], [3, 4]]" stands for, of strings.
DocumentValue nested_lists(const Syntax& syntax, const SyntaxNode& node) {
  if (node.kind != SyntaxKind::vector) return DocumentValue(syntax.excerpt().part(node.span));
  std::vector<DocumentValue> items;
  for (const SyntaxId child : node.children) items.push_back(nested_lists(syntax, syntax.node(child)));
  return {std::move(items), syntax.locate(node)};
}

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
    TableFiller(scope, parameter).fill(value);
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

  // Initial values may become tables, see read_initial.cpp.
  parameters.reserve(entries.size() + reading.model.tables.size() + reading.entries("initial").size() +
                     reading.overrides.size());
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
  // needed. The scope keeps their places, so the list must not grow beyond what is reserved.
  for (const std::size_t k : dependency_order(dependents, "parameter")) {
    Parameter& parameter = parameters[k];
    fill(scope, texts[k], parameter);
    parameter.symbol =
        scope.graph().declare(parameter.name, SymbolKind::parameter, static_cast<int>(parameter.shape.size()));
    scope.declare_parameter(parameter, entries[k].key.whole());
  }
}

}  // namespace cotangent
