#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

#include "cotangent/expr/expr.hpp"

namespace cotangent {

enum class NameKind : std::uint8_t {
  parameter,
  coordinate,
  momentum,
  velocity,
  state,
  multiplier,  ///< lambda of a constraint
  minimal,     ///< a coordinate of [minimal]
  time,
  constant,    ///< pi, e
  definition,  ///< a name for an expression
  // Known, so that no other section takes the name; without a value in expressions:
  constraint,
  observable,
  invariant,
};

/// "parameter", "coordinate", ...
std::string_view describe(NameKind kind);

/// "a parameter", "an observable".
std::string with_article(std::string_view noun);

/// The kind of name that a symbol of an expression goes by.
NameKind kind_of(const Symbol& symbol);

/// A set of kinds: one bit for each.
using NameKinds = std::uint32_t;
constexpr NameKinds kinds_of(std::same_as<NameKind> auto... kinds) {
  return (NameKinds{0} | ... | (NameKinds{1} << static_cast<unsigned>(kinds)));
}

/// What an expression is for, and which kinds of name it may use. Parameters, constants and definitions may be used
/// everywhere.
struct Purpose {
  std::string_view place;  ///< "a constraint": for messages
  NameKinds kinds = 0;
  std::string_view advice = {};   ///< why, or what to do instead, when a name is refused
  bool evaluated = false;         ///< sums are added up while the model is read, and must not be too long
  bool parameter_values = false;  ///< parameters stand for their numbers, not for their symbols

  bool allows(NameKind kind) const { return allows_all(kinds_of(kind)); }
  bool allows_all(NameKinds some) const {
    return (some & ~(kinds | kinds_of(NameKind::parameter, NameKind::constant, NameKind::definition))) == 0;
  }

  /// What to write instead of a name that is not allowed; may be empty.
  std::string advice_for(NameKind kind, const std::string& name) const;
};

/// The table of docs/model-files.md.
struct Purposes {
  static constexpr NameKinds q = kinds_of(NameKind::coordinate), p = kinds_of(NameKind::momentum),
                             v = kinds_of(NameKind::velocity), u = kinds_of(NameKind::state),
                             lambda = kinds_of(NameKind::multiplier), t = kinds_of(NameKind::time),
                             s = kinds_of(NameKind::minimal);

  Purpose parameter{.place = "a parameter", .evaluated = true, .parameter_values = true};
  Purpose index{.place = "an index or a size", .evaluated = true, .parameter_values = true};
  Purpose hamiltonian{"the hamiltonian", q | p | t, "a hamiltonian is a function of coordinates, momenta and t"};
  Purpose lagrangian{"the lagrangian", q | v | t, "a lagrangian is a function of coordinates, velocities and t"};
  Purpose dissipation{"the dissipation", q | v | u | t,
                      "the dissipation is a function of coordinates, velocities, states and t"};
  Purpose constraint{"a constraint", q | t, "constraints are holonomic: equations between coordinates and t"};
  Purpose primary_constraint{"a primary constraint", q | p | t,
                             "constraints in phase space are equations between coordinates, momenta and t"};
  Purpose gauge{"a gauge condition", q | p | lambda | t,
                "gauge conditions are equations between coordinates, momenta, multipliers and t"};
  Purpose force{"a force", q | p | v | u | lambda | t};
  Purpose equation{"an equation", q | p | v | u | lambda | t};
  Purpose observable{"an observable", q | p | v | u | lambda | t};
  Purpose picture{"a picture", q | p | v | u | lambda | t};
  Purpose invariant{"an invariant", q | p | v | u | t};
  Purpose initial{
      .place = "an initial value",
      .kinds = q | u | t,
      .advice = "an initial value may use parameters, indices and the initial values of coordinates and states",
      .evaluated = true};
  Purpose minimal{"[minimal]", s | t, "there coordinates are functions of the minimal coordinates and t"};
  Purpose guess{"a guess", q | t, "a guess is a function of the coordinates of [system] and t"};
  Purpose exact{"an exact solution", t, "an exact solution is a function of t and parameters"};
  Purpose anything{"an expression",
                   q | p | v | u | lambda | s | t};  ///< definitions: checked again where they are used
};
inline constexpr Purposes kFor;

}  // namespace cotangent
