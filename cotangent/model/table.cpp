#include "cotangent/model/table.hpp"

#include <fmt/core.h>

#include "cotangent/base/limits.hpp"
#include "cotangent/model/resolve.hpp"
#include "cotangent/model/sections.hpp"

namespace cotangent {
namespace {

// Nested lists of TOML.
struct DocumentLists {
  using Item = const DocumentValue*;
  Scope& scope;
  std::string what;

  static bool is_list(Item item) { return item->is_list(); }
  static std::size_t size(Item item) { return item->items().size(); }
  static Item child(Item item, std::size_t k) { return &item->items()[k]; }
  static Location where(Item item) { return item->where; }

  Quad number(Item item) const {
    if (!item->is_string()) return plain_number(*item, what);
    const Syntax syntax = parse_expression(item->string());
    return resolve_number(scope, syntax, syntax.root(), kFor.parameter);
  }
};

// Nested brackets of an expression.
struct SyntaxLists {
  using Item = const SyntaxNode*;
  Scope& scope;
  const Syntax& syntax;

  static bool is_list(Item item) { return item->kind == SyntaxKind::vector; }
  static std::size_t size(Item item) { return item->children.size(); }
  Item child(Item item, std::size_t k) const { return &syntax.node(item->children[k]); }
  Location where(Item item) const { return syntax.locate(*item); }
  Quad number(Item item) const { return resolve_number(scope, syntax, *item, kFor.parameter); }
};

template <class Lists>
class TableFiller {
 public:
  using Item = typename Lists::Item;

  TableFiller(const Lists& lists, Parameter& table) : lists_(lists), table_(table) {}

  void fill(Item root) {
    table_.shape.clear();
    std::int64_t entries = 1;
    for (Item item = root; lists_.is_list(item); item = lists_.child(item, 0)) {
      if (lists_.size(item) == 0) throw ModelError(lists_.where(item), fmt::format("{} has an empty list", what()));
      if (table_.shape.size() == Graph::kMaxArity)
        throw ModelError(lists_.where(root), fmt::format("{} has more than {} indices", what(), int{Graph::kMaxArity}));
      strides_.push_back(entries);
      table_.shape.push_back(static_cast<std::int64_t>(lists_.size(item)));
      entries *= table_.shape.back();
      if (entries > kLimits.entries)
        throw ModelError(lists_.where(root),
                         fmt::format("{} is too large; the limit is {} entries", what(), kLimits.entries));
    }
    table_.table.assign(static_cast<std::size_t>(entries), 0);
    visit(root, 0, 0);
  }

 private:
  std::string what() const { return fmt::format("the table '{}'", table_.name); }

  void visit(Item item, std::size_t level, std::int64_t at) {
    if (level == table_.shape.size()) {
      if (lists_.is_list(item))
        throw ModelError(lists_.where(item), fmt::format("{} has a list here and a number elsewhere", what()));
      table_.table[static_cast<std::size_t>(at)] = lists_.number(item);
      return;
    }
    const auto expected = static_cast<std::size_t>(table_.shape[level]);
    if (!lists_.is_list(item))
      throw ModelError(lists_.where(item), fmt::format("{} has a number here and a list elsewhere", what()));
    if (lists_.size(item) != expected)
      throw ModelError(lists_.where(item), fmt::format("{} is not rectangular: {} values here, {} in the first list",
                                                       what(), lists_.size(item), expected));
    for (std::size_t k = 0; k < expected; ++k)
      visit(lists_.child(item, k), level + 1, at + strides_[level] * static_cast<std::int64_t>(k));
  }

  const Lists& lists_;
  Parameter& table_;
  std::vector<std::int64_t> strides_;
};

}  // namespace

void read_table(Scope& scope, const DocumentValue& list, Parameter& table) {
  TableFiller(DocumentLists{scope, fmt::format("an entry of '{}'", table.name)}, table).fill(&list);
}

void read_table(Scope& scope, const Syntax& text, Parameter& table) {
  TableFiller(SyntaxLists{scope, text}, table).fill(&text.root());
}

void append_mentioned_names(const DocumentValue& list, std::vector<std::string>& names) {
  if (list.is_string()) append_mentioned_names(parse_expression(list.string()), names);
  if (!list.is_list()) return;
  for (const auto& item : list.items()) append_mentioned_names(item, names);
}

}  // namespace cotangent
