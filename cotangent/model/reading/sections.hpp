#pragma once

#include <array>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cotangent/model/language/scope.hpp"
#include "cotangent/model/language/syntax.hpp"
#include "cotangent/model/model.hpp"
#include "cotangent/model/reader.hpp"
#include "cotangent/model/reading/document.hpp"

/// The sections of a model file, one function each, in the order in which they are read. Private to the
/// reader.
namespace cotangent {

/// One --set.
struct Override {
  Excerpt name;
  DocumentValue value;  ///< a string
  bool used = false;
};

/// A model while it is read.
struct Reading {
  std::shared_ptr<const SourceText> source;
  DocumentValue document;
  std::vector<Override> overrides;
  Model model;
  Scope scope{*model.graph};
  std::vector<std::pair<State, State>> second_order = {};  ///< u and v_u, of equations for u''
  std::vector<std::size_t> waiting = {};  ///< definitions that contain multipliers, by their number in [definitions]

  /// A section as a table, or a null pointer if it is absent. @throws ModelError if it is not a table.
  const DocumentValue* section(std::string_view name) const;

  /// The entries of a section; none if it is absent. @throws ModelError if it is not a table.
  std::span<const DocumentEntry> entries(std::string_view name) const;
};

void read_parameters(Reading& reading);  ///< [parameters], with overrides
void read_variables(Reading& reading);   ///< system.coordinates, system.states
/// v_u for every state u with an equation "u''" = ..., behind all states: a system has the variables u and v_u.
void declare_rates_of_change(Reading& reading);
void declare_minimal(Reading& reading);      ///< minimal.coordinates
void declare_constraints(Reading& reading);  ///< the names in [constraints]
void declare_outputs(Reading& reading);      ///< the names in [observables] and [invariants]
void read_definitions(Reading& reading);     ///< [definitions] without multipliers
void read_dynamics(Reading& reading);        ///< system.hamiltonian or system.lagrangian, system.dissipation
void read_constraints(Reading& reading);     ///< [constraints]
/// [definitions] with multipliers, which are known now.
void read_definitions_with_multipliers(Reading& reading);
void read_dirac(Reading& reading);      ///< [primary_constraints] and [gauge]
void read_forces(Reading& reading);     ///< [forces]
void read_equations(Reading& reading);  ///< [equations]
void read_minimal(Reading& reading);    ///< [minimal]
/// `hamiltonian` as a name for H(q, p, t), for what is read from now on.
void declare_hamiltonian(Reading& reading);
void read_outputs(Reading& reading);                            ///< [observables], [invariants]
void read_exact(Reading& reading);                              ///< [exact]
void read_picture(Reading& reading);                            ///< [picture]
void read_initial(Reading& reading, InitialCoverage required);  ///< [initial], with overrides
void read_run(Reading& reading, std::span<const RunKey> keys);  ///< [run], with the keys that are known

/// Keys of a model file, and of [system]; keys that later versions will have. The schema for editors has the same.
inline constexpr std::array<std::string_view, 16> kSections{
    "title", "parameters", "system",      "constraints", "definitions", "forces",  "equations", "primary_constraints",
    "gauge", "minimal",    "observables", "invariants",  "exact",       "picture", "initial",   "run"};
inline constexpr std::array<std::string_view, 2> kLaterSections{"algebraic_equations", "events"};
inline constexpr std::array<std::string_view, 6> kSystemKeys{
    "coordinates", "states", "hamiltonian", "hamiltonian_alternative", "lagrangian", "dissipation"};
inline constexpr std::array<std::string_view, 1> kLaterSystemKeys{"algebraic"};

/// @throws ModelError unless every key is one of `known`; keys of `later` are refused as not supported yet.
void check_keys(const DocumentValue& table, std::span<const std::string_view> known,
                std::span<const std::string_view> later, std::string_view place);

/// @throws ModelError unless the key of a declaration is a name of the language.
void check_name(const DocumentEntry& entry, std::string_view what);

/// The text of a string. @throws ModelError if it is not one; `what` begins the message.
const Excerpt& expect_string(const DocumentValue& value, std::string_view what);

/// "what must be ..., not a table"
[[noreturn]] void wrong_type(const DocumentValue& value, std::string_view what, std::string_view expected);

/// "what not supported by this version yet"
[[noreturn]] void not_yet(const Location& where, std::string_view what);

/// A number as it stands, a string as an expression; a vector only where it is allowed.
Value read_value(Scope& scope, const DocumentValue& value, const Purpose& purpose, std::string_view what);
/// A list of numbers and expressions, as a vector.
Value read_vector(Scope& scope, const DocumentValue& list, const Purpose& purpose, std::string_view what);
Expr read_number(Scope& scope, const DocumentValue& value, const Purpose& purpose, std::string_view what);

/// The finite number that is written there. @throws ModelError if it is none.
Quad plain_number(const DocumentValue& value, std::string_view what);
/// The same, or that of an expression of parameters.
Quad read_constant(Scope& scope, const DocumentValue& value, std::string_view what);

/// A value, or { each = "loops", value = "..." }.
struct FamilyText {
  const Excerpt* each = nullptr;  ///< null without loops
  const DocumentValue* value = nullptr;
};

/// @param value_key "value" or "equation".
FamilyText family_text(const DocumentEntry& entry, std::string_view what, std::string_view value_key);

/// Loops, labels and components of named values; `resolve` makes the value inside the loops.
NamedValues read_family(Scope& scope, const std::string& name, const FamilyText& text,
                        const std::function<Value()>& resolve);

/// Reads a list such as coordinates = ["x", "r[N, 3]"]. Each item is added before the next one is read, which then
/// knows its name; its symbol is not declared yet, its entries stand behind those of the items before it.
/// @param kind "coordinate": for messages.
/// @throws ModelError if it is no such list, or too long.
void read_declarations(Reading& reading, const DocumentEntry& entry, std::string_view kind,
                       const std::function<void(const State& item, const Location& where)>& add);

/// The names that an expression mentions, or those of a list.
void append_mentioned_names(const DocumentValue& list, std::vector<std::string>& names);

/// An order of the nodes 0, 1, ... in which each comes after all that it points to; otherwise as they stand.
struct Order {
  std::vector<std::size_t> nodes;
  std::vector<std::size_t> cycle;  ///< nodes that each point to the next; then there is no order
};
Order topological_order(std::span<const std::vector<std::size_t>> edges);

/// Names with the names that their expressions mention.
struct Dependent {
  std::string name;
  Location where;
  std::vector<std::string> mentions = {};
};

/// An order in which everything comes after what it mentions. @throws ModelError for a cycle; `kind` is
/// named.
std::vector<std::size_t> dependency_order(std::span<const Dependent> items, std::string_view kind);

}  // namespace cotangent
