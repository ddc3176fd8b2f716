#include "cotangent/model/sections.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <utility>

#include "cotangent/model/resolve.hpp"
#include "cotangent/model/suggest.hpp"

namespace cotangent {

const DocumentValue* Reading::section(std::string_view name) const {
  const DocumentEntry* entry = document.find(name);
  if (!entry) return nullptr;
  if (!entry->value.is_table()) wrong_type(entry->value, fmt::format("'{}'", name), fmt::format("a table [{}]", name));
  return &entry->value;
}

void check_keys(const DocumentValue& table, std::span<const std::string_view> known,
                std::span<const std::string_view> later, std::string_view place) {
  const auto contains = [](std::span<const std::string_view> keys, std::string_view key) {
    return std::find(keys.begin(), keys.end(), key) != keys.end();
  };
  for (const auto& entry : table.entries) {
    if (contains(known, entry.name())) continue;
    const auto where = entry.key.whole();
    if (contains(later, entry.name())) not_yet(where, fmt::format("'{}' in {} is", entry.name(), place));
    std::vector<std::string> candidates(known.begin(), known.end());
    candidates.insert(candidates.end(), later.begin(), later.end());
    throw ModelError(where, fmt::format("unknown key '{}' in {}", entry.name(), place),
                     did_you_mean(entry.name(), candidates));
  }
}

void check_name(const DocumentEntry& entry, std::string_view what) {
  if (is_name(entry.name())) return;
  throw ModelError(entry.key.whole(), fmt::format("'{}' cannot name a {}", entry.name(), what),
                   "a name is made of letters, digits and _, and begins with a letter or _");
}

const Excerpt& expect_string(const DocumentValue& value, std::string_view what) {
  if (!value.is_string()) wrong_type(value, what, "a string");
  return value.string;
}

void wrong_type(const DocumentValue& value, std::string_view what, std::string_view expected) {
  throw ModelError(value.where, fmt::format("{} must be {}, not {}", what, expected, describe(value.kind)));
}

void not_yet(const Location& where, std::string_view what) {
  throw ModelError(where, fmt::format("{} not supported by this version yet", what));
}

Expr read_value(Scope& scope, const DocumentValue& value, const Purpose& purpose, std::string_view what) {
  if (value.is_string()) return resolve_expression(scope, parse_expression(value.string), purpose);
  if (!value.is_number()) wrong_type(value, what, "a number or an expression");
  if (!isfinite(value.real)) throw ModelError(value.where, fmt::format("{} must be finite", what));
  return scope.graph().constant(value.real);
}

namespace {

enum class Visit : std::uint8_t { unseen, open, done };

[[noreturn]] void report_cycle(std::span<const Dependent> items, const std::vector<std::size_t>& path,
                               std::size_t again, std::string_view kind) {
  std::string text;
  const auto begin = std::find(path.begin(), path.end(), again);
  for (auto it = begin; it != path.end(); ++it) text += items[*it].name + " -> ";
  throw ModelError(items[again].where, fmt::format("the {} '{}' depends on itself: {}{}", kind, items[again].name, text,
                                                   items[again].name));
}

}  // namespace

std::vector<std::size_t> dependency_order(std::span<const Dependent> items, std::string_view kind) {
  std::map<std::string, std::size_t> position;
  for (std::size_t k = 0; k < items.size(); ++k) position[items[k].name] = k;

  std::vector<std::vector<std::size_t>> mentions(items.size());
  for (std::size_t k = 0; k < items.size(); ++k) {
    if (!items[k].syntax) continue;
    for (const auto& node : items[k].syntax->nodes())
      if (const auto it = position.find(items[k].syntax->text(node.name)); it != position.end())
        mentions[k].push_back(it->second);
  }

  // Depth first with a stack of its own: a chain of definitions may be long.
  std::vector<Visit> visit(items.size(), Visit::unseen);
  std::vector<std::size_t> order, path, next(items.size(), 0);
  for (std::size_t start = 0; start < items.size(); ++start) {
    if (visit[start] != Visit::unseen) continue;
    path.push_back(start);
    visit[start] = Visit::open;
    while (!path.empty()) {
      const std::size_t k = path.back();
      if (next[k] == mentions[k].size()) {
        visit[k] = Visit::done;
        order.push_back(k);
        path.pop_back();
        continue;
      }
      const std::size_t other = mentions[k][next[k]++];
      if (visit[other] == Visit::open) report_cycle(items, path, other, kind);
      if (visit[other] == Visit::unseen) {
        visit[other] = Visit::open;
        path.push_back(other);
      }
    }
  }
  return order;
}

}  // namespace cotangent
