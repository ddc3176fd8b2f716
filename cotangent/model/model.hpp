#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "cotangent/base/shelf.hpp"
#include "cotangent/expr/expr.hpp"
#include "cotangent/model/dynamics.hpp"
#include "cotangent/model/initial_table.hpp"
#include "cotangent/model/named_values.hpp"
#include "cotangent/model/picture.hpp"
#include "cotangent/model/source/source_places.hpp"

namespace cotangent {

/// A parameter: a number, or a table of numbers (an index list is a table of integers). Expressions mention a number
/// by its symbol and an entry of a table as an entry of the symbol.
struct Parameter {
  SymbolId symbol;
  std::string name;
  Quad value = 0;                        ///< of a number
  std::vector<std::int64_t> shape = {};  ///< of a table; empty for a number
  std::vector<Quad> table = {};          ///< its entries, the first index running fastest
};

/// A coordinate, scalar (shape empty) or array. Entries are stored with the first index running fastest and
/// the coordinates one after the other: entry (i, j) of r[N,3] is q[offset + (i-1) + N (j-1)].
struct Coordinate {
  std::string name;
  std::vector<std::int64_t> shape;
  SymbolId q, p, v;  ///< the symbols name, p_name, v_name
  std::int64_t offset = 0;

  std::int64_t size() const;
};

/// A variable beside the coordinates, with an equation u' = ... of its own: friction, contact, control. Entries are
/// stored as those of coordinates are.
struct State {
  std::string name;
  std::vector<std::int64_t> shape;
  SymbolId symbol;
  std::int64_t offset = 0;

  std::int64_t size() const;
};

/// g = lhs - rhs.
struct Constraint : NamedValues {
  /// The multiplier lambda_name: of rank 0 if there are neither loops nor components; otherwise of rank 1, its index
  /// 1, 2, ... the number of the value.
  SymbolId lambda = 0;
};

/// target[indices] = value in every instance of the loops.
struct Assignment {
  SymbolId target;
  std::vector<Loop> loops;
  std::vector<Expr> indices;  ///< as many as the target has; empty for a scalar
  Expr value;
  Location where = {};  ///< the text of the value; no source if nobody wrote it
};

/// Minimal coordinates s, as many as there are degrees of freedom, and what the coordinates are in terms of them:
///
///   q = phi(s, t),   such that g(phi(s, t), t) = 0
struct Minimal {
  std::vector<State> coordinates;  ///< s; declared, and stored, as states are
  std::vector<Assignment> phi;     ///< target: the symbol q of a coordinate, every entry once. In s, t.
  std::vector<Assignment> guess;   ///< target: an s, none or every entry once: where to look for it. In q, t.
  Location where = {};             ///< of [minimal]

  /// Number of scalar minimal coordinates.
  std::int64_t dimension() const;
};

/// A value of [run], as it was written; its keys are the names of the command line's options.
using RunValue = std::variant<bool, std::int64_t, double, std::string>;

/// Where a key of [run] and its value were written, a string without its quotes.
struct RunPlace {
  Location key, value;
};

struct BlackBox;

/// What a user states, in symbols, and where it was written. Knows nothing of steps.
///
///   q' = H_p,  p' = -H_q - D_v + forces - G' lambda,  g(q, t) = 0,  u' = rates,
///
/// where H is the Legendre transform of L if that is given, v = H_p, and D is the dissipation (Rayleigh's function).
struct Model {
  std::shared_ptr<Graph> graph = std::make_shared<Graph>();
  /// What runs of this model, or of copies of it, have in common: see RunMachine.
  std::shared_ptr<const Shelf> shelf = std::make_shared<const Shelf>();
  std::shared_ptr<const SourceText> source;  ///< the text that it was read from
  std::vector<std::string> set;              ///< "NAME=VALUE", what replaced values of the text
  std::vector<InitialTable> tables;          ///< what replaced initial values
  std::string name;                          ///< the file's stem, or what the user chose
  std::string title;
  Expr t;  ///< the time, as expressions mention it
  std::vector<Parameter> parameters;
  std::vector<Coordinate> coordinates;
  std::vector<State> states;
  Dynamics dynamics = Dynamics::hamiltonian;
  Expr energy;                ///< H(q, p, t) or L(q, v, t)
  bool shows_energy = false;  ///< an observable or an invariant uses `hamiltonian`
  Expr alternative;  ///< another H that gives the same motion on the constraint manifold; not valid() if there is none
  /// H and g, where they are functions of the user's; then `energy` and the contents of `constraints` mean nothing.
  std::shared_ptr<const BlackBox> functions;
  Expr dissipation;  ///< D(q, v, t, u); not valid() if there is none
  Location energy_where = {}, alternative_where = {}, dissipation_where = {};
  std::vector<Constraint> constraints;
  /// What Dirac's algorithm begins with, phi(q, p, t) = 0, and gauge conditions.
  std::vector<NamedValues> primary_constraints, gauge;
  std::vector<Assignment> forces;  ///< target: the symbol q of a coordinate. In q, p, v, t, u, lambda. No entry twice.
  std::vector<Assignment> rates;   ///< target: a state, every entry once. In q, p, v, t, u, lambda.
  std::optional<Minimal> minimal;
  std::vector<NamedValues> observables;  ///< in q, p, v, t, u, lambda
  std::vector<NamedValues> invariants;   ///< in q, p, v, t, u
  /// A solution as functions of t. Targets are the symbols q and p of coordinates, and states: some entries of them,
  /// none twice.
  std::vector<Assignment> exact;
  /// Targets are the symbols q, p, v of coordinates and states. Every entry of every q and state is given, and of p or
  /// v (never both for one coordinate). Values may use initial values of coordinates and states, never in a circle.
  /// Where two assign one entry, the later one holds. They stand in an order in which each comes after what it uses.
  std::vector<Assignment> initial;
  std::optional<Picture> picture;
  std::optional<ModelError> incomplete;  ///< the first variable that [initial] gives no value, where it may
  Quad start = 0;                        ///< the time of the initial values
  std::map<std::string, RunValue> run;
  std::map<std::string, RunPlace> run_places;  ///< of every key of run, for messages
  std::vector<std::string> notes;              ///< things the user should know (a parameter hides a constant, ...)
  SourcePlaces places;                         ///< where operations were written, for messages

  /// Number of scalar coordinates n.
  std::int64_t dimension() const;
};

/// The same model with a graph of its own, which may grow while other threads use the model.
Model branch(const Model& model);

/// The name of an entry of q as the user knows it: "x" or "r[2,3]".
std::string entry_name(const Model& model, std::int64_t entry);

/// The same for an entry of the states.
std::string state_entry_name(const Model& model, std::int64_t entry);

}  // namespace cotangent
