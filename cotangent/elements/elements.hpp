#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cotangent/base/index_map.hpp"
#include "cotangent/expr/expr.hpp"
#include "cotangent/model/model.hpp"

namespace cotangent {

/// Where an argument of an element function comes from.
enum class Space : std::uint8_t {
  q,
  p,
  w,  ///< group variables: inner sums
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
  /// A number that depends on the instance only: an expression in the loop indices.
  struct Column {
    Expr symbol;
    Expr value;
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
};

/// The rows of g that one constraint of the model owns.
struct ConstraintRows {
  std::string name;
  std::int64_t first = 0;
  std::int64_t count = 0;
  bool is_family = false;         ///< written with `each`: rows are indexed
  std::vector<IndexMap> indices;  ///< the loop indices of each row
};

/// A model as element functions over index lists (partial separability, [griewank-toint82]):
///
///   H(q, p) = sum over the families `energy`,  g(q) likewise with a row for each constraint,
///
/// where both may use group variables w, inner sums inside nonlinear functions (group partial separability,
/// [conn-gould-toint92]): w = sum over the families `groups`, which come in an order such that a family uses only
/// group variables whose families come before it.
struct Elements {
  std::shared_ptr<Graph> graph;
  std::int64_t n = 0;            ///< coordinates
  std::int64_t m = 0;            ///< constraints
  std::int64_t group_count = 0;  ///< group variables
  std::vector<Family> groups;
  std::vector<Family> energy;
  std::vector<Family> constraints;
  std::vector<ConstraintRows> rows;

  /// Coordinates that no constraint uses, in order.
  std::vector<std::int64_t> free_coordinates() const;

  /// The name of row r as the user knows it: "rod" or "rod[17]".
  std::string row_name(std::int64_t r) const;
};

/// Splits a model into elements; parameters are replaced by their values.
/// @throws std::invalid_argument for index lists that leave their array.
Elements extract_elements(const Model& model);

}  // namespace cotangent
