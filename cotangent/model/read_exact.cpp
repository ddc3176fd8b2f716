#include <array>
#include <utility>

#include "cotangent/model/assignments.hpp"
#include "cotangent/model/coverage.hpp"

namespace cotangent {
namespace {

constexpr std::array kTargets{NameKind::coordinate, NameKind::momentum, NameKind::state};
constexpr AssignmentRules kExact{"exact solution", "exact", "coordinates, momenta and states", kTargets, kFor.exact};

}  // namespace

void read_exact(Reading& reading) {
  auto exact = read_assignments(reading, read_statements(reading, kExact), kExact);
  const AssignedEntries assigned(exact, reading.scope.parameters());
  for (const auto& c : reading.model.coordinates) {
    check_not_repeated(exact, assigned, c.q, c.name, c.shape, kExact);
    check_not_repeated(exact, assigned, c.p, "p_" + c.name, c.shape, kExact);
  }
  for (const auto& state : reading.model.states)
    check_not_repeated(exact, assigned, state.symbol, state.name, state.shape, kExact);
  reading.model.exact = std::move(exact);
}

}  // namespace cotangent
