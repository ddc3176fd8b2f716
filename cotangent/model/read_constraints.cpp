#include <fmt/core.h>

#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "cotangent/expr/algorithm.hpp"
#include "cotangent/model/resolve.hpp"
#include "cotangent/model/sections.hpp"

namespace cotangent {
namespace {

constexpr std::array<std::string_view, 2> kKeys{"each", "equation"};

struct FamilyText {
  const Excerpt* each = nullptr;  // null for a single equation
  const Excerpt* equation = nullptr;
};

// "equation", or { each = "loops", equation = "equation" }.
FamilyText family_text(const DocumentEntry& entry) {
  const auto& value = entry.value;
  const std::string what = fmt::format("the constraint '{}'", entry.name());
  if (value.is_string()) return {nullptr, &value.string};
  if (!value.is_table()) wrong_type(value, what, "an equation or { each = \"...\", equation = \"...\" }");
  check_keys(value, kKeys, {}, what);
  const DocumentEntry* equation = value.find("equation");
  if (!equation)
    throw ModelError(entry.key.whole(), what + " has no 'equation'",
                     "a family is written { each = \"i in 2..N\", equation = \"...\" }");
  const DocumentEntry* each = value.find("each");
  return {each ? &expect_string(each->value, "'each'") : nullptr, &expect_string(equation->value, "'equation'")};
}

}  // namespace

void declare_constraints(Reading& reading) {
  const DocumentValue* section = reading.section("constraints");
  if (!section) return;
  for (const auto& entry : section->entries) {
    check_name(entry, "constraint");
    reading.scope.declare(entry.name(), {.kind = NameKind::constraint, .where = entry.key.whole()});
    if (const Named* named = reading.scope.find("lambda_" + entry.name()))
      throw ModelError(named->where,
                       fmt::format("the name 'lambda_{}' is taken: it is the multiplier of the constraint "
                                   "declared at {}",
                                   entry.name(), to_string(entry.key.whole())));
  }
}

void read_constraints(Reading& reading) {
  const DocumentValue* section = reading.section("constraints");
  if (!section) return;
  for (const auto& entry : section->entries) {
    const auto [each, equation] = family_text(entry);
    Constraint constraint;
    constraint.name = entry.name();
    std::optional<FamilyLoops> family;
    if (each) {
      family.emplace(reading.scope, parse_loops(*each));
      constraint.loops = family->loops();
      constraint.labels = family->indices();
    }
    const Syntax syntax = parse_equation(*equation);
    const Expr g = resolve_equation(reading.scope, syntax, kForConstraint);
    const bool moves = depends_on(g, [](Expr e) {
      return (e.op() == Op::symbol || e.op() == Op::entry) && e.symbol().kind == SymbolKind::coordinate;
    });
    if (!moves)
      throw ModelError(syntax.locate(syntax.root()),
                       fmt::format("the constraint '{}' does not depend on any coordinate", entry.name()));
    constraint.components = {g};
    constraint.lambda = reading.model.graph->declare("lambda_" + entry.name(), SymbolKind::multiplier, each ? 1 : 0);
    reading.model.constraints.push_back(std::move(constraint));
  }
}

}  // namespace cotangent
