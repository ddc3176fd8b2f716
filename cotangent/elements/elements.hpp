#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cotangent/base/index_map.hpp"
#include "cotangent/expr/expr.hpp"
#include "cotangent/model/dynamics.hpp"

namespace cotangent {

/// Where an argument of an element function comes from.
enum class Space : std::uint8_t {
  q,
  p,
  v,       ///< velocities
  s,       ///< states beside the coordinates
  lambda,  ///< multipliers
  t,       ///< the time, a vector of one number
  w,       ///< group variables: inner sums
};

/// One element function f(x_1, ..., x_S; d_1, ..., d_D) applied to an index list: instance k adds
///
///   f(x_s = space_s[at_s(k)]; d_c = value of column c at k)   to   out[row(k)].
///
/// All symbolic work is done on f, whose size does not depend on the number of instances.
struct Family {
  struct Slot {
    Expr symbol;
    Space space = Space::q;
    IndexMap at = IndexMap::fixed(0);
  };
  /// An entry of a table of the model, for each instance.
  struct TableEntry {
    Expr symbol;
    int table = 0;  ///< number in Elements::tables
    IndexMap at = IndexMap::fixed(0);
  };
  /// A number that depends on the instance only: an expression in the loop indices and in entries of tables.
  struct Column {
    Expr symbol;
    Expr value;
    std::vector<TableEntry> entries = {};
  };
  struct Index {
    Expr symbol;
    IndexMap at = IndexMap::fixed(0);
  };

  std::int64_t count = 0;
  std::vector<Slot> slots;
  std::vector<Column> columns;
  std::vector<Index> indices;  ///< the loop indices, for the columns
  Expr f;
  IndexMap row = IndexMap::fixed(0);

  bool uses(Space space) const;

  /// The same family, with expressions of a graph that is built upon that of the elements.
  Family within(Graph& graph) const;
};

/// The rows that a constraint, an observable or an invariant of the model owns.
struct NamedRows {
  std::string name;
  std::int64_t first = 0;
  std::int64_t count = 0;         ///< instances times components
  std::vector<IndexMap> indices;  ///< as the user knows them, for each instance; none if there are no loops
  std::int64_t components = 1;
  bool is_vector = false;  ///< the component is a further index

  bool is_indexed() const { return is_vector || !indices.empty(); }

  /// "rod", "rod[17]" or "joint[2,1]".
  std::string row_name(std::int64_t row) const;
};

struct BlackBox;

/// What is known of H and g where they are not made of families but given as functions.
struct DeclaredStructure {
  /// (row, column) where G = dg/dq may differ from zero.
  std::vector<std::pair<std::int64_t, std::int64_t>> constraint_places;
  /// (i, j), i != j, where H_pp may; both ways.
  std::vector<std::pair<std::int64_t, std::int64_t>> momentum_pairs;
  bool is_coupled = false;  ///< all constraints are coupled with each other: G or H_pp is full
  bool is_separable = false;
  bool is_autonomous = true;
  std::shared_ptr<const BlackBox> functions;
};

struct Elements;

/// Minimal coordinates s of a system, q = phi(s, t), as elements of their own.
struct MinimalElements {
  std::shared_ptr<const Elements> phi;    ///< its "constraints" are the rows phi_j(s, t), its q are s
  std::shared_ptr<const Elements> guess;  ///< its "observables" are guesses of s, functions of (q, t); may be null
};

/// Minimal coordinates that may be asked for. Extraction waits until then: angles of a chain, sum(j in 1..i, ...) for
/// each i, have a number of terms that is quadratic in its length, and a long chain is not to be refused for them.
struct MinimalMap {
  std::int64_t size = 0;  ///< number of minimal coordinates
  std::function<MinimalElements()> extract;
};

/// A model as element functions over index lists (partial separability, [griewank-toint82]):
///
///   H(q, p, t) or L(q, v, t) = sum over the families `energy`,  g(q, t) likewise with a row for each constraint,
///
/// and so on for the other functions of a model. All may use group variables w, inner sums inside nonlinear functions
/// (group partial separability, [conn-gould-toint92]): w = sum over the families `groups`, which come in an order such
/// that a family uses only group variables whose families come before it.
///
/// The graph is frozen. Whoever builds upon these functions does so in a graph of his own, Graph(elements.graph): what
/// he gets depends on the elements and on what he asks for, not on what was asked for before, nor on other threads.
struct Elements {
  std::shared_ptr<const Graph> graph;
  Dynamics dynamics = Dynamics::hamiltonian;  ///< what `energy` is
  std::int64_t n = 0;                         ///< coordinates
  std::int64_t m = 0;                         ///< constraints
  std::int64_t states = 0;                    ///< beside the coordinates
  std::int64_t group_count = 0;               ///< group variables
  std::vector<Family> groups;
  std::vector<Family> energy;
  std::vector<Family> constraints;
  std::vector<Family> dissipation;
  std::vector<Family> forces;       ///< one row for each coordinate
  std::vector<Family> rates;        ///< one row for each state
  std::vector<Family> observables;  ///< one row for each number of each observable
  std::vector<Family> invariants;
  std::vector<NamedRows> rows, observable_rows, invariant_rows;
  std::vector<std::vector<Quad>> tables;      ///< of the model
  std::optional<DeclaredStructure> declared;  ///< of an energy and constraints that have no families
  std::optional<MinimalMap> minimal;

  /// Families at the end of `energy` that were added to make L_vv regular, see add_constraint_rates.
  std::int64_t added_energy = 0;

  /// Whether these families depend on an argument, also through group variables.
  bool depends_on(const std::vector<Family>& families, Space space) const;

  bool has_forces() const { return !forces.empty() || !dissipation.empty(); }

  /// Whether forces or rates depend on the multipliers.
  bool uses_multipliers() const;

  /// Neither the energy nor the constraints depend on the time.
  bool is_autonomous() const;

  /// Coordinates that no constraint uses, in order.
  std::vector<std::int64_t> free_coordinates() const;

  /// The name of row r of g as the user knows it: "rod" or "rod[17]".
  std::string row_name(std::int64_t r) const;
};

}  // namespace cotangent
