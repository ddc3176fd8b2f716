#include <fmt/core.h>

#include <array>
#include <string_view>
#include <utility>

#include "cotangent/model/resolve.hpp"
#include "cotangent/model/sections.hpp"

namespace cotangent {
namespace {

constexpr std::array<std::string_view, 2> kKeys{"coordinates", "hamiltonian"};
constexpr std::array<std::string_view, 5> kLaterKeys{"lagrangian", "states", "algebraic", "dissipation",
                                                     "hamiltonian_alternative"};

const DocumentValue& system_key(const Reading& reading, std::string_view key, std::string_view advice) {
  const DocumentValue* system = reading.section("system");
  if (!system) throw ModelError({reading.source, {0, 0}}, "the model has no [system]", std::string(advice));
  check_keys(*system, kKeys, kLaterKeys, "[system]");
  const DocumentEntry* entry = system->find(key);
  if (!entry) throw ModelError(system->where, fmt::format("[system] has no '{}'", key), std::string(advice));
  return entry->value;
}

// "x", "x[N]" or "r[N, 3]".
Coordinate read_coordinate(Reading& reading, const Excerpt& text, std::int64_t entries_left) {
  const Syntax syntax = parse_expression(text);
  const auto& root = syntax.root();
  const bool is_array = root.kind == SyntaxKind::entry;
  if (root.kind != SyntaxKind::name && !is_array)
    throw ModelError(syntax.locate(root), fmt::format("'{}' does not declare a coordinate", text.text()),
                     "a coordinate is written \"x\", \"x[N]\" or \"r[N, 3]\"");
  const std::string name = syntax.text(root.name);
  if (root.children.size() > Graph::kMaxArity)
    throw ModelError(syntax.locate(root), fmt::format("'{}' has {} indices; the limit is {}", name,
                                                      root.children.size(), int{Graph::kMaxArity}));

  std::vector<std::int64_t> shape;
  for (const SyntaxId child : root.children) {
    const Quad size = resolve_number(reading.scope, syntax, syntax.node(child), kForIndex);
    shape.push_back(
        to_integer(size, 1, kMaxEntries, fmt::format("size of '{}'", name), syntax.locate(syntax.node(child))));
    entries_left /= shape.back();
  }
  if (entries_left == 0)
    throw ModelError(syntax.locate(root), fmt::format("too many coordinates; the limit is {} entries", kMaxEntries));
  return reading.scope.declare_coordinate(name, std::move(shape), syntax.locate(root));
}

}  // namespace

void read_coordinates(Reading& reading) {
  const auto& list = system_key(reading, "coordinates", "write coordinates = [\"x\", \"y\"]");
  if (!list.is_list()) wrong_type(list, "'coordinates'", "a list of strings");
  if (list.items.empty()) throw ModelError(list.where, "a system needs at least one coordinate");

  std::int64_t offset = 0;
  for (const auto& item : list.items) {
    auto coordinate = read_coordinate(reading, expect_string(item, "a coordinate"), kMaxEntries - offset);
    coordinate.offset = offset;
    offset += coordinate.size();
    reading.model.coordinates.push_back(std::move(coordinate));
  }
}

void read_hamiltonian(Reading& reading) {
  const auto& value = system_key(reading, "hamiltonian", "write hamiltonian = \"p_x^2/2 + ...\"");
  const Excerpt& text = expect_string(value, "'hamiltonian'");
  reading.model.energy = resolve_expression(reading.scope, parse_expression(text), kForHamiltonian);
}

}  // namespace cotangent
