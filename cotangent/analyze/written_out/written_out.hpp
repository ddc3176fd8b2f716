#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cotangent/model/model.hpp"

namespace cotangent {

/// A model without sums, arrays and families: each expression as a function of scalar symbols, r[2,3] a symbol of that
/// name. Parameters stay symbols, with their values beside them; those that are 0, entries of tables, and those in
/// exponents, indices and conditions are numbers at once. For small models: what is written out is as long as all its
/// sums together.
class WrittenOut {
 public:
  /// A scalar coordinate with its momentum and velocity.
  struct Coordinate {
    std::string name;
    Expr q, p, v;
  };
  struct Parameter {
    Expr symbol;
    Quad value;
  };
  /// One of NamedValues: "rod[2]" and its expression.
  struct Named {
    std::string name;
    Expr value;
  };

  explicit WrittenOut(const Model& model);

  Graph& graph() const { return *model_.graph; }
  /// The model with a graph that may grow.
  const Model& model() const { return model_; }
  const std::vector<Coordinate>& coordinates() const { return coordinates_; }
  Expr t() const { return model_.t; }

  /// Parameters that occurred in what has been written out.
  const std::vector<Parameter>& parameters() const { return parameters_; }

  /// @param e an expression of the model that is written out, or of its graph.
  Expr operator()(Expr e);

  /// The instances of a family, in its order.
  std::vector<Named> all(const NamedValues& values);

  /// The multipliers of a family of constraints: "lambda_rod[2]".
  std::vector<Expr> multipliers(const Constraint& constraint);

  /// Calls f(target, value) for every entry that the assignments give a value, in their order.
  template <class F>
  void each(const std::vector<Assignment>& assignments, const F& f) {
    for (const Assignment& a : assignments)
      each_instance(a.loops, 0, [&] {
        std::vector<std::int64_t> indices;
        for (const Expr index : a.indices) indices.push_back(integer(index));
        f(scalar(a.target, indices), (*this)(a.value));
      });
  }

 private:
  Expr expand(Expr e);
  Expr expand_operation(Expr e);
  Expr scalar(SymbolId symbol, const std::vector<std::int64_t>& indices);
  Quad number(Expr e) const;
  std::int64_t integer(Expr e) const;
  bool is_known(Expr e) const;
  void set_index(SymbolId index, std::int64_t value);

  template <class F>
  void each_instance(const std::vector<Loop>& loops, std::size_t depth, const F& f) {
    if (depth == loops.size()) return f();
    const Loop& loop = loops[depth];
    const std::int64_t hi = integer(loop.hi);
    for (std::int64_t i = integer(loop.lo); i <= hi; ++i) {
      set_index(loop.index, i);
      each_instance(loops, depth + 1, f);
    }
  }

  Model model_;
  std::vector<Coordinate> coordinates_;
  std::vector<Parameter> parameters_;
  std::map<std::pair<SymbolId, std::vector<std::int64_t>>, Expr> scalars_;
  std::unordered_map<SymbolId, std::int64_t> indices_;
  std::unordered_map<NodeId, Expr> done_;  // for the indices of now
};

}  // namespace cotangent
