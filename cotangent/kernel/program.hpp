#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cotangent/base/scalar.hpp"
#include "cotangent/expr/expr.hpp"
#include "cotangent/kernel/functions.hpp"

namespace cotangent {

/// Expressions as a straight line of instructions, each computing one value: what the interpreter executes and the
/// compiler emits, instruction by instruction, so that both give the same bits. All choices of rounding are made here:
///
///   a + (-1) b           a - b; signs travel outwards through products, quotients and odd functions
///   a b + c, a b - c     one fused multiply-add, where the product is used nowhere else. In a sum of two products
///                        the second one is fused; in a difference of two products neither (unless it has a power
///                        of two as a factor, which rounds nothing): a b - c d vanishes where both are equal
///   x^n, x^(n + 1/2)     repeated squaring and a square root, for |n| <= 64; 1/x^|n| for negative n
///   x / 2^n              x 2^-n
///   ceil(x), round(x)    -floor(-x); f = floor(|x|), one more where |x| - f is 1/2 or more, with the sign of x
///   mod(a, b)            a - b floor(a/b)
///   select(c, a, b)      both are computed, then one is chosen; no branches
///
/// Every value is computed once and used by something.
class Program {
 public:
  enum class Code : std::uint8_t {
    load,      ///< load[index]
    counter,   ///< counter[index]
    constant,  ///< constants()[index]
    add,
    sub,
    mul,
    div,
    neg,
    fma,   ///< a b + c
    fms,   ///< a b - c
    fnma,  ///< c - a b
    sqrt,
    abs,
    sign,  ///< 1, -1, or 0 (also for NaN)
    floor,
    min,  ///< b < a ? b : a
    max,  ///< a < b ? b : a
    lt,   ///< 1 where true, else 0
    le,
    eq,
    ne,
    select,  ///< a != 0 ? b : c
    call,    ///< function(a) or function(a, b)
  };

  using Value = std::uint32_t;  ///< the position of the instruction that computes it

  struct Instruction {
    Code code;
    Function function = {};       ///< of a call
    std::uint32_t index = 0;      ///< of a load, counter or constant
    std::array<Value, 3> args{};  ///< a, b, c

    int arity() const;
    std::span<const Value> arguments() const { return {args.data(), static_cast<std::size_t>(arity())}; }
    auto operator<=>(const Instruction&) const = default;
  };

  struct Output {
    Value value;
    bool negative = false;  ///< stands for -value; only where the builder was told that the user can subtract
    bool operator==(const Output&) const = default;
  };

  /// What to compute.
  struct Target {
    Expr expr;
    bool can_subtract = false;  ///< the user adds the value to something, so that -v needs no instruction
  };

  /// What a symbol stands for: load[index] or counter[index].
  struct Leaf {
    Expr symbol;
    Code code;
    std::uint32_t index;
  };

  /// An output of a program, with other leaves: loads[l] in place of load l, counters[c] in place of counter c.
  struct Leaves {
    std::vector<std::uint32_t> loads, counters;
  };
  struct Selection {
    std::size_t output;
    const Leaves* leaves;
  };

  Program() = default;

  /// @throws std::invalid_argument if an expression contains a symbol that is no leaf, an array entry or a sum.
  Program(std::span<const Leaf> leaves, std::span<const Target> targets);

  /// Instructions as they are.
  Program(std::vector<Instruction> instructions, std::vector<Quad> constants)
      : instructions_(std::move(instructions)), constants_(std::move(constants)) {}

  /// The program of some outputs (or of one output several times, with different leaves). What has become equal is
  /// computed once, but no value is rounded differently: what is fused is decided by the whole program.
  Program select(std::span<const Selection> selections) const;

  /// Numbers the loads (or counters) anew, 0, 1, ... in order of first use. @return the old index of each.
  std::vector<std::uint32_t> renumber(Code load_or_counter);

  const std::vector<Instruction>& instructions() const { return instructions_; }
  const std::vector<Quad>& constants() const { return constants_; }
  const std::vector<Output>& outputs() const { return outputs_; }

  bool operator==(const Program&) const = default;

 private:
  friend class ProgramBuilder;

  std::vector<Instruction> instructions_;
  std::vector<Quad> constants_;
  std::vector<Output> outputs_;
};

/// One instruction per line, for tests and for people: "%3 = fma %0 %1 %2".
std::string to_string(const Program& program);

}  // namespace cotangent
