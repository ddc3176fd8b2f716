#include "cotangent/model/reading/sections.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>

#include "cotangent/base/suggest.hpp"
#include "cotangent/model/language/lexer.hpp"
#include "cotangent/model/language/resolver.hpp"

namespace cotangent {

const DocumentValue* Reading::section(std::string_view name) const {
  const DocumentEntry* entry = document.find(name);
  if (!entry) return nullptr;
  if (!entry->value.is_table()) wrong_type(entry->value, fmt::format("'{}'", name), fmt::format("a table [{}]", name));
  return &entry->value;
}

std::span<const DocumentEntry> Reading::entries(std::string_view name) const {
  const DocumentValue* table = section(name);
  if (!table) return {};
  return table->entries();
}

void check_keys(const DocumentValue& table, std::span<const std::string_view> known,
                std::span<const std::string_view> later, std::string_view place) {
  for (const auto& entry : table.entries()) {
    if (std::ranges::count(known, entry.name()) > 0) continue;
    const auto where = entry.key.whole();
    if (std::ranges::count(later, entry.name()) > 0) not_yet(where, fmt::format("'{}' in {} is", entry.name(), place));
    std::vector<std::string> candidates(known.begin(), known.end());
    candidates.insert(candidates.end(), later.begin(), later.end());
    throw ModelError(where, fmt::format("unknown key '{}' in {}", entry.name(), place),
                     did_you_mean(entry.name(), candidates));
  }
}

void check_name(const DocumentEntry& entry, std::string_view what) {
  if (is_name(entry.name())) return;
  throw ModelError(entry.key.whole(), fmt::format("'{}' cannot name {}", entry.name(), with_article(what)),
                   "a name is made of letters, digits and _, and begins with a letter or _");
}

const Excerpt& expect_string(const DocumentValue& value, std::string_view what) {
  if (!value.is_string()) wrong_type(value, what, "a string");
  return value.string();
}

void wrong_type(const DocumentValue& value, std::string_view what, std::string_view expected) {
  throw ModelError(value.where, fmt::format("{} must be {}, not {}", what, expected, describe(value.kind())));
}

void not_yet(const Location& where, std::string_view what) {
  throw ModelError(where, fmt::format("{} not supported by this version yet", what));
}

Value read_value(Scope& scope, const DocumentValue& value, const Purpose& purpose, std::string_view what) {
  if (!value.is_string()) return read_number(scope, value, purpose, what);
  return Resolver(scope, parse_expression(value.string()), purpose).value();
}

Value read_vector(Scope& scope, const DocumentValue& list, const Purpose& purpose, std::string_view what) {
  std::vector<Expr> components;
  for (const auto& item : list.items()) components.push_back(read_number(scope, item, purpose, what));
  if (components.empty()) throw ModelError(list.where, fmt::format("{} is an empty list", what));
  return Value(std::move(components));
}

Expr read_number(Scope& scope, const DocumentValue& value, const Purpose& purpose, std::string_view what) {
  if (value.is_string()) return Resolver(scope, parse_expression(value.string()), purpose).number();
  return scope.graph().constant(plain_number(value, what));
}

Quad plain_number(const DocumentValue& value, std::string_view what) {
  if (!value.is_number()) wrong_type(value, what, "a number or an expression");
  if (!isfinite(value.real())) throw ModelError(value.where, fmt::format("{} must be finite", what));
  return value.real();
}

Quad read_constant(Scope& scope, const DocumentValue& value, std::string_view what) {
  if (!value.is_string()) return plain_number(value, what);
  const Syntax syntax = parse_expression(value.string());
  return resolve_number(scope, syntax, syntax.root(), kFor.parameter);
}

FamilyText family_text(const DocumentEntry& entry, std::string_view what, std::string_view value_key) {
  const auto& value = entry.value;
  if (!value.is_table()) return {nullptr, &value};
  const std::string_view other_key = value_key == "value" ? "equation" : "value";
  if (const DocumentEntry* other = value.find(other_key))
    throw ModelError(other->key.whole(), fmt::format("unknown key '{}' in {}", other_key, what),
                     fmt::format("the key is '{}'", value_key));
  check_keys(value, std::array<std::string_view, 2>{"each", value_key}, {}, what);
  const DocumentEntry* inside = value.find(value_key);
  if (!inside)
    throw ModelError(entry.key.whole(), fmt::format("{} has no '{}'", what, value_key),
                     fmt::format("a family is written {{ each = \"i in 2..N\", {} = \"...\" }}", value_key));
  const DocumentEntry* each = value.find("each");
  return {each ? &expect_string(each->value, "'each'") : nullptr, &inside->value};
}

NamedValues read_family(Scope& scope, const std::string& name, const FamilyText& text,
                        const std::function<Value()>& resolve) {
  NamedValues result;
  result.name = name;
  std::optional<FamilyLoops> family;
  if (text.each) {
    family.emplace(scope, parse_loops(*text.each));
    result.loops = family->loops;
    result.labels = family->labels;
  }
  const Value value = resolve();
  result.components = value.components();
  result.is_vector = value.is_vector();
  return result;
}

void append_mentioned_names(const DocumentValue& list, std::vector<std::string>& names) {
  if (list.is_string()) append_mentioned_names(parse_expression(list.string()), names);
  if (!list.is_list()) return;
  for (const auto& item : list.items()) append_mentioned_names(item, names);
}

Order topological_order(std::span<const std::vector<std::size_t>> edges) {
  enum class Visit : std::uint8_t { unseen, open, done };
  // Depth first with a stack of its own: a chain of definitions may be long.
  std::vector<Visit> visit(edges.size(), Visit::unseen);
  std::vector<std::size_t> order, path, next(edges.size(), 0);
  for (std::size_t start = 0; start < edges.size(); ++start) {
    if (visit[start] != Visit::unseen) continue;
    path.push_back(start);
    visit[start] = Visit::open;
    while (!path.empty()) {
      const std::size_t k = path.back();
      if (next[k] == edges[k].size()) {
        visit[k] = Visit::done;
        order.push_back(k);
        path.pop_back();
        continue;
      }
      const std::size_t other = edges[k][next[k]++];
      if (visit[other] == Visit::open) return {{}, {std::find(path.begin(), path.end(), other), path.end()}};
      if (visit[other] == Visit::unseen) {
        visit[other] = Visit::open;
        path.push_back(other);
      }
    }
  }
  return {order, {}};
}

std::vector<std::size_t> dependency_order(std::span<const Dependent> items, std::string_view kind) {
  std::map<std::string, std::size_t> position;
  for (std::size_t k = 0; k < items.size(); ++k) position[items[k].name] = k;

  std::vector<std::vector<std::size_t>> mentions(items.size());
  for (std::size_t k = 0; k < items.size(); ++k)
    for (const auto& name : items[k].mentions)
      if (const auto it = position.find(name); it != position.end()) mentions[k].push_back(it->second);

  const auto [order, cycle] = topological_order(mentions);
  if (cycle.empty()) return order;
  const auto& first = items[cycle[0]];
  std::string text;
  for (const std::size_t k : cycle) text += items[k].name + " -> ";
  throw ModelError(first.where, fmt::format("the {} '{}' depends on itself: {}{}", kind, first.name, text, first.name));
}

}  // namespace cotangent
