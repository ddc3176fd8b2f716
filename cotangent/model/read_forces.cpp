#include <fmt/core.h>

#include <array>
#include <utility>

#include "cotangent/model/assignments.hpp"
#include "cotangent/model/coverage.hpp"

namespace cotangent {
namespace {

constexpr std::array kForceTargets{NameKind::coordinate};
constexpr AssignmentRules kForces{"force", "forces", "coordinates", kForceTargets, kFor.force};

constexpr std::array kEquationTargets{NameKind::state};
constexpr AssignmentRules kEquations{"equation", "equations", "states", kEquationTargets, kFor.equation};

void check_keys_without_primes(const Reading& reading) {
  for (const auto& entry : reading.entries("equations"))
    if (entry.name().ends_with("'")) not_yet(entry.key.whole(), "equations with second derivatives are");
}

}  // namespace

void read_forces(Reading& reading) {
  auto forces = read_assignments(reading, read_statements(reading, kForces), kForces);
  const AssignedEntries assigned(forces, reading.scope.parameters());
  for (const auto& c : reading.model.coordinates) check_not_repeated(forces, assigned, c.q, c.name, c.shape, kForces);
  reading.model.forces = std::move(forces);
}

void read_equations(Reading& reading) {
  check_keys_without_primes(reading);
  auto rates = read_assignments(reading, read_statements(reading, kEquations), kEquations);
  const AssignedEntries assigned(rates, reading.scope.parameters());
  for (const auto& state : reading.model.states) {
    check_not_repeated(rates, assigned, state.symbol, state.name, state.shape, kEquations);
    const auto missing = assigned.first_missing(state.symbol, state.shape);
    if (!missing) continue;
    const bool any = assigned.any_of(state.symbol);
    throw ModelError(reading.scope.find(state.name)->where,
                     fmt::format("the state '{}' has no equation", any ? entry_text(state.name, *missing) : state.name),
                     fmt::format("add {} = \"...\" to [equations]; it means {}' = ...", state.name, state.name));
  }
  reading.model.rates = std::move(rates);
}

}  // namespace cotangent
