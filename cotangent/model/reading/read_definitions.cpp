#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include "cotangent/model/language/lexer.hpp"
#include "cotangent/model/language/resolver.hpp"
#include "cotangent/model/reading/sections.hpp"

namespace cotangent {
namespace {

// The key of a definition: name, "name(a, b)", or "name[i]" of one that refers to itself.
struct Signature {
  std::string name;
  std::vector<std::string> arguments = {};
  bool is_function = false, is_recursion = false;
};

// "s[i]" = "... s[i-1] ..."
bool refers_to_itself(const DocumentEntry& entry, const Syntax& key) {
  if (!entry.value.is_string()) return false;
  std::vector<std::string> mentions;
  append_mentioned_names(parse_expression(entry.value.string()), mentions);
  return std::ranges::count(mentions, key.text(key.root().name)) > 0;
}

Signature signature(const DocumentEntry& entry) {
  if (is_name(entry.name())) return {.name = entry.name()};
  const Syntax key = parse_expression(entry.key);
  const auto& root = key.root();
  const bool is_recursion = root.kind == SyntaxKind::entry && root.children.size() == 1 && refers_to_itself(entry, key);
  if (root.kind == SyntaxKind::entry && !is_recursion)
    throw ModelError(entry.key.whole(), fmt::format("'{}' cannot name a definition", entry.name()),
                     fmt::format("an indexed definition is written {} = {{ each = \"i in 1..N\", value = \"...\" }}",
                                 key.text(root.name)));
  if (!is_recursion && (root.kind != SyntaxKind::call || root.children.empty()))
    throw ModelError(entry.key.whole(), fmt::format("'{}' cannot name a definition", entry.name()),
                     "a definition is called \"name\" or \"name(a, b)\"");
  Signature result{.name = key.text(root.name), .is_function = !is_recursion, .is_recursion = is_recursion};
  for (const SyntaxId child : root.children) {
    const auto& node = key.node(child);
    const std::string argument = key.text(node.span);
    if (node.kind != SyntaxKind::name || is_word_of_language(argument) || argument == "t")
      throw ModelError(key.locate(node), fmt::format("'{}' cannot name an argument", argument));
    if (std::count(result.arguments.begin(), result.arguments.end(), argument) > 0)
      throw ModelError(key.locate(node), fmt::format("the argument '{}' stands twice", argument));
    result.arguments.push_back(argument);
  }
  return result;
}

class DefinitionReader {
 public:
  DefinitionReader(Reading& reading, const DocumentEntry& entry)
      : scope_(reading.scope), entry_(entry), signature_(signature(entry)) {
    if (signature_.is_function && !entry.value.is_string()) wrong_type(entry.value, what(), "an expression");
  }

  const std::string& name() const { return signature_.name; }
  // Whether its body is resolved where it is used.
  bool is_expanded() const { return signature_.is_function || signature_.is_recursion; }

  Dependent dependent() const {
    Dependent result{.name = name(), .where = entry_.key.whole()};
    auto& mentions = result.mentions;
    const auto [each, value] = family_text(entry_, what(), "value");
    append_mentioned_names(*value, mentions);
    if (each) append_mentioned_names(parse_loops(*each), mentions);
    std::erase_if(mentions, [&](const auto& mentioned) {
      return std::ranges::count(signature_.arguments, mentioned) > 0 ||
             (signature_.is_recursion && mentioned == name());
    });
    return result;
  }

  Named read() {
    Named result{.kind = NameKind::definition, .where = entry_.key.whole()};
    scope_.set_definition(name());
    if (signature_.is_function) {
      result.function = std::make_shared<FunctionDefinition>(signature_.arguments, read_body());
    } else if (signature_.is_recursion) {
      result.recursion = std::make_shared<RecursiveDefinition>(signature_.arguments[0], read_body());
    } else {
      const FamilyText text = family_text(entry_, what(), "value");
      auto family = read_family(scope_, name(), text, [&] {
        return entry_.value.is_list() ? read_vector(scope_, entry_.value, kFor.anything, what())
                                      : read_value(scope_, *text.value, kFor.anything, what());
      });
      if (family.loops.empty()) {
        result.value = Value(family.components, family.is_vector);
      } else {
        result.family = std::make_shared<NamedValues>(std::move(family));
      }
    }
    scope_.set_definition({});
    return result;
  }

 private:
  std::string what() const { return fmt::format("the definition '{}'", name()); }

  // A body is resolved where it is used; what is misspelt in it is found here.
  Syntax read_body() const {
    const Syntax body = parse_expression(entry_.value.string());
    std::vector<std::string> known = signature_.arguments;
    if (signature_.is_recursion) known.push_back(name());
    for (const auto& node : body.nodes())
      for (const auto& loop : node.loops)
        for (const Span span : loop.names) known.push_back(body.text(span));
    for (const auto& node : body.nodes()) {
      if (node.kind != SyntaxKind::name && node.kind != SyntaxKind::entry) continue;
      const std::string name = body.text(node.name);
      if (std::ranges::count(known, name) > 0) continue;
      if (!scope_.find(name)) {
        const auto usable = scope_.usable_names(kFor.anything);
        known.insert(known.end(), usable.begin(), usable.end());
        throw ModelError(body.locate(node.name), fmt::format("unknown name '{}'", name), scope_.meant_by(name, known));
      }
      scope_.use(name);
    }
    return body;
  }

  Scope& scope_;
  const DocumentEntry& entry_;
  Signature signature_;
};

}  // namespace

void read_definitions(Reading& reading) {
  auto& scope = reading.scope;
  std::vector<DefinitionReader> readers;
  std::vector<Dependent> dependents;
  for (const auto& entry : reading.entries("definitions")) {
    readers.emplace_back(reading, entry);
    dependents.push_back(readers.back().dependent());
  }
  // With a multiplier in it, or in a definition that it uses, a definition has to wait for the constraints.
  std::set<std::string> with_multipliers;
  const auto contains_multiplier = [&](const std::string& name) {
    const Named* named = scope.find(name);
    return with_multipliers.contains(name) || (named && named->kind == NameKind::multiplier);
  };
  for (const std::size_t k : dependency_order(dependents, "definition")) {
    const auto& [name, where, mentions] = dependents[k];
    const bool waits = std::any_of(mentions.begin(), mentions.end(), contains_multiplier);
    if (waits) with_multipliers.insert(name);
    if (waits && !readers[k].is_expanded()) {
      reading.waiting.push_back(k);
      scope.declare(name, {.kind = NameKind::definition, .pending = true, .where = where});
    } else {
      scope.declare(name, readers[k].read());
    }
  }
}

void read_definitions_with_multipliers(Reading& reading) {
  const auto entries = reading.entries("definitions");
  for (const std::size_t k : reading.waiting) {
    DefinitionReader reader(reading, entries[k]);
    reading.scope.redeclare(reader.name(), reader.read());
  }
}

}  // namespace cotangent
