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

/// A coordinate, scalar (shape empty) or array. Entries are stored with the first index running fastest and the
/// coordinates one after the other: entry (i, j) of r[N,3] is q[offset + (i-1) + N (j-1)].
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

/// Initial values of one array (or part of it): target[indices of the loops] = value, an expression in the loop
/// indices and parameters.
struct InitialValue {
  SymbolId target;  ///< the symbol q, p or v of a coordinate
  std::vector<Loop> loops;
  Expr value;
};

/// A key of [run], as it was written; the options of the command line have the same names.
using RunValue = std::variant<bool, std::int64_t, double, std::string>;

/// What a user states, in symbols: H, constraints, initial data. Knows neither text nor numbers of steps.
struct Model {
  std::shared_ptr<Graph> graph = std::make_shared<Graph>();
  std::string name;   ///< the file's stem, or what the user chose
  std::string title;
  std::vector<Parameter> parameters;
  std::vector<Coordinate> coordinates;
  Expr hamiltonian;
  std::vector<Constraint> constraints;
  std::vector<InitialValue> initial;
  std::map<std::string, RunValue> run;
  std::vector<std::string> notes;  ///< things the user should know (a parameter hides a constant, ...)

  /// Number of scalar coordinates n.
  std::int64_t dimension() const;
};

}  // namespace cotangent
