#include <fmt/core.h>

#include "cotangent/base/limits.hpp"
#include "cotangent/model/resolve.hpp"
#include "cotangent/model/sections.hpp"
#include "cotangent/model/shape.hpp"

namespace cotangent {
namespace {

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

}  // namespace

void read_table(Scope& scope, const DocumentValue& list, Parameter& table) { TableFiller(scope, table).fill(list); }

DocumentValue nested_lists(const Syntax& syntax, const SyntaxNode& node) {
  if (node.kind != SyntaxKind::vector) return DocumentValue(syntax.excerpt().part(node.span));
  std::vector<DocumentValue> items;
  for (const SyntaxId child : node.children) items.push_back(nested_lists(syntax, syntax.node(child)));
  return {std::move(items), syntax.locate(node)};
}

void append_mentioned_names(const DocumentValue& list, std::vector<std::string>& names) {
  if (list.is_string()) append_mentioned_names(parse_expression(list.string()), names);
  if (!list.is_list()) return;
  for (const auto& item : list.items()) append_mentioned_names(item, names);
}

}  // namespace cotangent
