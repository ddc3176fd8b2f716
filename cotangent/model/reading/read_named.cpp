#include <fmt/core.h>

#include <utility>

#include "cotangent/model/language/resolver.hpp"
#include "cotangent/model/reading/sections.hpp"

namespace cotangent {
namespace {

// An equation, or a family of equations. @param variables each component depends on one of these, or is refused.
NamedValues read_equation(Reading& reading, const DocumentEntry& entry, const std::string& what, const Purpose& purpose,
                          NameKinds variables, std::string_view variable) {
  if (!entry.value.is_string() && !entry.value.is_table())
    wrong_type(entry.value, what, "an equation or { each = \"...\", equation = \"...\" }");
  const FamilyText text = family_text(entry, what, "equation");
  const Syntax equation = parse_equation(expect_string(*text.value, "'equation'"));
  NamedValues result = read_family(reading.scope, entry.name(), text,
                                   [&] { return Resolver(reading.scope, equation, purpose).equation(); });
  result.where = equation.locate(equation.root());
  for (std::size_t c = 0; c < result.components.size(); ++c) {
    if ((reading.scope.kinds_in(result.components[c]) & variables) != 0) continue;
    const std::string component = result.is_vector ? fmt::format("component {} of ", c + 1) : "";
    throw ModelError(result.where, fmt::format("{}{} does not depend on any {}", component, what, variable));
  }
  return result;
}

void read_section(Reading& reading, std::string_view section, const Purpose& purpose,
                  std::vector<NamedValues>& values) {
  for (const auto& entry : reading.entries(section)) {
    const std::string what = fmt::format("'{}' in [{}]", entry.name(), section);
    const FamilyText text = family_text(entry, what, "value");
    values.push_back(read_family(reading.scope, entry.name(), text, [&] {
      return text.value->is_list() ? read_vector(reading.scope, *text.value, purpose, what)
                                   : read_value(reading.scope, *text.value, purpose, what);
    }));
    values.back().where = text.value->text_place();
  }
}

}  // namespace

void declare_constraints(Reading& reading) {
  for (const auto& entry : reading.entries("constraints")) {
    check_name(entry, "constraint");
    const std::string multiplier = "lambda_" + entry.name();
    const Location where = entry.key.whole();
    reading.scope.declare(entry.name(), {.kind = NameKind::constraint, .where = where});
    if (const Named* named = reading.scope.find(multiplier))
      throw ModelError(named->where,
                       fmt::format("the name '{}' is taken: it is the multiplier of the constraint declared at {}",
                                   multiplier, to_string(where)));
    reading.scope.declare(multiplier, {.kind = NameKind::multiplier, .where = where});
  }
}

void read_constraints(Reading& reading) {
  for (const auto& entry : reading.entries("constraints")) {
    Constraint constraint{read_equation(reading, entry, fmt::format("the constraint '{}'", entry.name()),
                                        kFor.constraint, Purposes::q, "coordinate")};
    const bool numbered = !constraint.loops.empty() || constraint.is_vector;
    const std::string multiplier = "lambda_" + entry.name();
    constraint.lambda = reading.model.graph->declare(multiplier, SymbolKind::multiplier, numbered ? 1 : 0);
    reading.scope.redeclare(multiplier, {.kind = NameKind::multiplier,
                                         .array = constraint.lambda,
                                         .family = std::make_shared<NamedValues>(constraint),
                                         .where = entry.key.whole()});
    reading.model.constraints.push_back(std::move(constraint));
  }
}

void read_dirac(Reading& reading) {
  const auto read = [&](const char* section, const Purpose& purpose, std::vector<NamedValues>& all) {
    for (const auto& entry : reading.entries(section)) {
      const std::string what = fmt::format("'{}' in [{}]", entry.name(), section);
      check_name(entry, "constraint");
      all.push_back(read_equation(reading, entry, what, purpose, Purposes::q | Purposes::p | Purposes::lambda,
                                  "coordinate or momentum"));
    }
  };
  read("primary_constraints", kFor.primary_constraint, reading.model.primary_constraints);
  read("gauge", kFor.gauge, reading.model.gauge);
}

void declare_outputs(Reading& reading) {
  for (const auto& [section, kind] :
       {std::pair{"observables", NameKind::observable}, std::pair{"invariants", NameKind::invariant}}) {
    for (const auto& entry : reading.entries(section)) {
      check_name(entry, describe(kind));
      reading.scope.declare(entry.name(), {.kind = kind, .where = entry.key.whole()});
    }
  }
}

void read_outputs(Reading& reading) {
  read_section(reading, "observables", kFor.observable, reading.model.observables);
  read_section(reading, "invariants", kFor.invariant, reading.model.invariants);
  const Named* hamiltonian = reading.scope.find("hamiltonian");
  reading.model.shows_energy = hamiltonian && !hamiltonian->where.source && reading.scope.is_used("hamiltonian");
}

}  // namespace cotangent
