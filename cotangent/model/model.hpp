#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "cotangent/expr/expr.hpp"

namespace cotangent {

/// One loop of a family: index in lo..hi; the bounds may use indices of loops before it.
struct Loop {
  SymbolId index;
  Expr lo, hi;
};

/// A parameter with its value; expressions mention it by its symbol.
struct Parameter {
  SymbolId symbol;
  std::string name;
  Quad value;
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

/// g = lhs - rhs for every instance of the loops (one instance if there are none).
struct Constraint {
  std::string name;
  std::vector<Loop> loops;
  Expr g;
};

/// Initial values of a scalar or of entries of an array: target[indices] = value in every instance of the
/// loops. Indices and value are expressions in the loop indices; the value may contain parameters too.
struct InitialValue {
  SymbolId target;  ///< the symbol q, p or v of a coordinate
  std::vector<Loop> loops;
  std::vector<Expr> indices;  ///< as many as the target has; empty for a scalar
  Expr value;
};

/// A key of [run], as it was written; the options of the command line have the same names.
using RunValue = std::variant<bool, std::int64_t, double, std::string>;

/// What a user states, in symbols: H, constraints, initial data. Knows neither text nor numbers of steps.
struct Model {
  std::shared_ptr<Graph> graph = std::make_shared<Graph>();
  std::string name;  ///< the file's stem, or what the user chose
  std::string title;
  Expr t;  ///< the time, as expressions mention it
  std::vector<Parameter> parameters;
  std::vector<Coordinate> coordinates;
  Expr hamiltonian;
  std::vector<Constraint> constraints;
  /// Every entry of every q is given, and of p or v (never both for one coordinate). Where two assign one
  /// entry, the later one holds.
  std::vector<InitialValue> initial;
  std::map<std::string, RunValue> run;
  std::map<std::string, std::string> run_places;  ///< "file:line:column" of the keys of run, for messages
  std::vector<std::string> notes;                 ///< things the user should know (a parameter hides a constant, ...)

  /// Number of scalar coordinates n.
  std::int64_t dimension() const;
};

}  // namespace cotangent
