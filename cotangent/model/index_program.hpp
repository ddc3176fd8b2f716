#pragma once

#include <array>
#include <span>
#include <unordered_map>
#include <vector>

#include "cotangent/expr/expr.hpp"
#include "cotangent/model/index_range.hpp"

namespace cotangent {

/// An expression of loop indices and parameters as straight-line code: checking an index list of a million rows
/// evaluates it a million times.
class IndexProgram {
 public:
  /// @param position of a loop index in the points that the program is applied to.
  IndexProgram(Expr e, const std::unordered_map<SymbolId, std::size_t>& position, const ParameterMap& parameters);

  /// Whether the expression contains sums, which are not compiled but added up anew at every point.
  bool has_sums() const { return has_sums_; }

  /// The value at a point; not a number where a table is left.
  double operator()(std::span<const double> point);

 private:
  struct Instruction {
    enum class Kind : std::uint8_t { constant, index, entry, apply };
    Kind kind;
    Op op = Op::constant;
    std::array<std::size_t, Graph::kMaxArity> args{};
    std::size_t arity = 0;
    std::size_t index = 0;
    double constant = 0;
    const Parameter* table = nullptr;
  };

  double entry(const Instruction& instruction) const;
  double evaluated(std::span<const double> point) const;

  Expr e_;
  bool has_sums_ = false;
  std::unordered_map<SymbolId, std::size_t> position_;  // for sums, as the next one
  std::unordered_map<SymbolId, const Parameter*> parameters_;
  std::vector<Instruction> code_;
  std::vector<double> value_;
};

}  // namespace cotangent
