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

// The key of a definition: name, or "name(a, b)".
struct Signature {
  std::string name;
  std::vector<std::string> arguments = {};
  bool is_function = false;
};

Signature signature(const DocumentEntry& entry) {
  if (is_name(entry.name())) return {.name = entry.name()};
  const Syntax key = parse_expression(entry.key);
  const auto& root = key.root();
  if (root.kind == SyntaxKind::entry)
    throw ModelError(entry.key.whole(), fmt::format("'{}' cannot name a definition", entry.name()),
                     fmt::format("an indexed definition is written {} = {{ each = \"i in 1..N\", value = \"...\" }}",
                                 key.text(root.name)));
  if (root.kind != SyntaxKind::call || root.children.empty())
    throw ModelError(entry.key.whole(), fmt::format("'{}' cannot name a definition", entry.name()),
                     "a definition is called \"name\" or \"name(a, b)\"");
  Signature result{.name = key.text(root.name), .is_function = true};
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
  bool is_function() const { return signature_.is_function; }

  Dependent dependent() const {
    Dependent result{.name = name(), .where = entry_.key.whole()};
    auto& mentions = result.mentions;
    const auto [each, value] = family_text(entry_, what(), "value");
    append_mentioned_names(*value, mentions);
    if (each) append_mentioned_names(parse_loops(*each), mentions);
    std::erase_if(mentions, [&](const auto& name) { return std::ranges::count(signature_.arguments, name) > 0; });
    return result;
  }

  Named read() {
    Named result{.kind = NameKind::definition, .where = entry_.key.whole()};
    scope_.set_definition(name());
    if (signature_.is_function) {
      result.function = read_function();
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
  std::shared_ptr<const FunctionDefinition> read_function() const {
    const Syntax body = parse_expression(entry_.value.string());
    std::vector<std::string> known = signature_.arguments;
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
    return std::make_shared<FunctionDefinition>(signature_.arguments, body);
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
    if (waits && !readers[k].is_function()) {
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
