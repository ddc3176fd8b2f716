#pragma once

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

/// Which kinds of name an expression may use, by what it is for.
struct Purpose {
  std::string_view place;  ///< "a constraint": for messages
  bool coordinates = false;
  bool momenta = false;
  bool velocities = false;
  bool states = false;
  bool multipliers = false;
  bool minimal = false;  ///< minimal coordinates
  bool time = false;
  bool at_start = false;          ///< t is 0
  bool parameter_values = false;  ///< parameters stand for their numbers, not for their symbols
  bool evaluated = false;         ///< sums are added up while the model is read, and must not be too long
  std::string_view advice = {};   ///< why, or what to do instead, when a name is refused

  bool allows(NameKind kind) const;

  /// What to write instead of a name that is not allowed; may be empty.
  std::string advice_for(NameKind kind, const std::string& name) const;
};

inline constexpr Purpose kForParameter{.place = "a parameter", .parameter_values = true, .evaluated = true};
inline constexpr Purpose kForIndex{.place = "an index or a size", .parameter_values = true, .evaluated = true};
inline constexpr Purpose kForHamiltonian{.place = "the hamiltonian",
                                         .coordinates = true,
                                         .momenta = true,
                                         .time = true,
                                         .advice = "a hamiltonian is a function of coordinates, momenta and t"};
inline constexpr Purpose kForLagrangian{.place = "the lagrangian",
                                        .coordinates = true,
                                        .velocities = true,
                                        .time = true,
                                        .advice = "a lagrangian is a function of coordinates, velocities and t"};
inline constexpr Purpose kForDissipation{
    .place = "the dissipation",
    .coordinates = true,
    .velocities = true,
    .states = true,
    .time = true,
    .advice = "the dissipation is a function of coordinates, velocities, states and t"};
inline constexpr Purpose kForConstraint{.place = "a constraint",
                                        .coordinates = true,
                                        .time = true,
                                        .advice = "constraints are holonomic: equations between coordinates and t"};
inline constexpr Purpose kForForce{.place = "a force",
                                   .coordinates = true,
                                   .momenta = true,
                                   .velocities = true,
                                   .states = true,
                                   .multipliers = true,
                                   .time = true};
inline constexpr Purpose kForEquation{.place = "an equation",
                                      .coordinates = true,
                                      .momenta = true,
                                      .velocities = true,
                                      .states = true,
                                      .multipliers = true,
                                      .time = true};
inline constexpr Purpose kForObservable{.place = "an observable",
                                        .coordinates = true,
                                        .momenta = true,
                                        .velocities = true,
                                        .states = true,
                                        .multipliers = true,
                                        .time = true};
inline constexpr Purpose kForInvariant{
    .place = "an invariant", .coordinates = true, .momenta = true, .velocities = true, .states = true, .time = true};
inline constexpr Purpose kForInitial{
    .place = "an initial value",
    .coordinates = true,
    .states = true,
    .time = true,
    .at_start = true,
    .evaluated = true,
    .advice = "an initial value may use parameters, indices and the initial values of coordinates and states"};
inline constexpr Purpose kForMinimal{.place = "[minimal]",
                                     .minimal = true,
                                     .time = true,
                                     .advice = "there coordinates are functions of the minimal coordinates and t"};
inline constexpr Purpose kForGuess{.place = "a guess",
                                   .coordinates = true,
                                   .time = true,
                                   .advice = "a guess is a function of the coordinates of [system] and t"};
inline constexpr Purpose kForExact{
    .place = "an exact solution", .time = true, .advice = "an exact solution is a function of t and parameters"};
/// For definitions, which are checked again where they are used.
inline constexpr Purpose kForAnything{.place = "an expression",
                                      .coordinates = true,
                                      .momenta = true,
                                      .velocities = true,
                                      .states = true,
                                      .multipliers = true,
                                      .minimal = true,
                                      .time = true};

}  // namespace cotangent
