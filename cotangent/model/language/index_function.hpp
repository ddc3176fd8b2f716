#pragma once

#include <array>
#include <functional>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cotangent/expr/expr.hpp"
#include "cotangent/model/model.hpp"

namespace cotangent {

/// The parameters by their symbols.
using ParameterMap = std::unordered_map<SymbolId, const Parameter*>;

/// The value of a parameter, or the entry of a table. @pre all indices are in range.
Quad parameter_value(const Parameter& parameter, std::span<const std::int64_t> indices);

/// The number that an expression of parameters and constants stands for; maybe not finite.
Quad known_value(Expr e, const ParameterMap& parameters);

/// An expression of loop indices and parameters as a function of the indices. Checking an index list of a million rows
/// evaluates it a million times: it is straight-line code, or a sum where that is enough.
class IndexFunction {
 public:
  /// constant + sum_k coefficient[k] i_k over the loops, all of them integers.
  struct Affine {
    double constant = 0;
    std::vector<double> coefficient;

    double at(std::span<const double> point) const;
    void add(double factor, const Affine& other);
    bool is_constant() const;
  };

  /// @param loops the indices, in the order of the points that the function is applied to.
  /// @param parameters must outlive this.
  IndexFunction(Expr e, std::span<const SymbolId> loops, const ParameterMap& parameters);

  const std::optional<Affine>& affine() const { return affine_; }

  /// Whether the expression contains sums, which are not compiled but added up anew at every point.
  bool has_sums() const { return has_sums_; }

  /// The value at a point, an integer if it is one but for rounding; not a number where a table is left.
  double operator()(std::span<const double> point);

 private:
  struct Instruction {
    Op op;  ///< constant, symbol for an index, entry of a table, or an operation
    std::array<std::size_t, Graph::kMaxArity> args{};
    std::size_t arity = 0;
    std::size_t loop = 0;
    double constant = 0;
    const Parameter* table = nullptr;
  };

  std::optional<Affine> affine_form() const;
  double with_sums(std::span<const double> point) const;
  double computed(std::span<const double> point);
  double entry(const Instruction& instruction) const;

  Expr e_;
  std::vector<SymbolId> loops_;
  const ParameterMap* parameters_;
  bool has_sums_;
  std::vector<Instruction> code_;
  std::vector<double> value_;
  std::optional<Affine> affine_;
};

/// The instances of nested loops, the innermost index running fastest. Bounds may use the indices of loops before them.
class Instances {
 public:
  /// @param parameters must outlive this.
  Instances(std::span<const Loop> loops, const ParameterMap& parameters);

  /// The index of every loop, now.
  std::span<const double> point() const { return point_; }

  /// Of a loop, where the indices before it are those of the point.
  std::pair<std::int64_t, std::int64_t> bounds(std::size_t loop);

  /// Calls visit(k) with k = 0 before the loops and wherever the first k <= depth of them have new indices, until it
  /// says true. @return whether it did.
  bool walk(std::size_t depth, const std::function<bool(std::size_t)>& visit, std::size_t level = 0);

  /// Calls visit() in every instance, until it says true.
  void each(const std::function<bool()>& visit) {
    walk(point_.size(), [&](std::size_t k) { return k == point_.size() && visit(); });
  }

 private:
  std::vector<IndexFunction> lo_, hi_;
  std::vector<double> point_;
};

}  // namespace cotangent
