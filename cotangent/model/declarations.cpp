#include "cotangent/model/declarations.hpp"

#include <fmt/core.h>

#include <utility>

#include "cotangent/base/limits.hpp"
#include "cotangent/model/resolve.hpp"

namespace cotangent {
namespace {

// "x", "x[N]" or "r[N, 3]".
Declaration read_declaration(Reading& reading, const Excerpt& text, std::string_view kind, std::int64_t offset) {
  const Syntax syntax = parse_expression(text);
  const auto& root = syntax.root();
  if (root.kind != SyntaxKind::name && root.kind != SyntaxKind::entry)
    throw ModelError(syntax.locate(root), fmt::format("'{}' does not declare a {}", text.text(), kind),
                     fmt::format("a {} is written \"x\", \"x[N]\" or \"r[N, 3]\"", kind));
  Declaration result{syntax.text(root.name), {}, syntax.locate(root), offset};
  if (root.children.size() > Graph::kMaxArity)
    throw ModelError(result.where, fmt::format("'{}' has {} indices; the limit is {}", result.name,
                                               root.children.size(), int{Graph::kMaxArity}));
  std::int64_t entries_left = kLimits.entries - offset;
  for (const SyntaxId child : root.children) {
    const auto& node = syntax.node(child);
    const Quad size = resolve_number(reading.scope, syntax, node, kFor.index);
    result.shape.push_back(
        to_integer(size, 1, kLimits.entries, fmt::format("size of '{}'", result.name), syntax.locate(node)));
    entries_left /= result.shape.back();
  }
  if (entries_left == 0)
    throw ModelError(result.where, fmt::format("too many {}s; the limit is {} entries", kind, kLimits.entries));
  return result;
}

}  // namespace

void read_declarations(Reading& reading, const DocumentEntry& entry, std::string_view kind,
                       const std::function<void(Declaration)>& add) {
  const auto& list = entry.value;
  if (!list.is_list()) wrong_type(list, fmt::format("'{}'", entry.name()), "a list of strings");
  std::int64_t offset = 0;
  for (const auto& item : list.items()) {
    Declaration declaration = read_declaration(reading, expect_string(item, fmt::format("a {}", kind)), kind, offset);
    std::int64_t size = 1;
    for (const std::int64_t extent : declaration.shape) size *= extent;
    add(std::move(declaration));
    offset += size;
  }
}

}  // namespace cotangent
