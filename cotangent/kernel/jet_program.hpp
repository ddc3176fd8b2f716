#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "cotangent/kernel/program.hpp"

namespace cotangent {

/// A program whose values are power series in the time, x = x_0 + x_1 t + x_2 t^2 + ...: how coefficient k of each
/// value follows from coefficients 0 .. k of its arguments. Coefficients of order k > 0 are linear in the newest ones:
///
///   y = a + b          y_k = a_k + b_k
///   y = a b            y_k = a_0 b_k + a_k b_0 + S,            S = sum_{0<j<k} a_j b_{k-j}
///   y = a / b          y_k = (a_k - b_k y_0 - S) / b_0,        S = sum_{0<j<k} b_j y_{k-j}
///   y = sqrt(a)        y_k = (a_k - S) / (2 y_0),              S = sum_{0<j<k} y_j y_{k-j}
///   y' = d u'          y_k = d_0 u_k + S,                      S = sum_{0<j<k} j u_j d_{k-j} / k
///
/// The last one is every other function f(u), with a series for its slope d = f'(u), which often is made of y itself:
/// sin and cos are the slopes of each other, that of tan is 1 + y^2. S is the only part that takes more than a
/// few operations; it does not depend on the newest coefficients.
///
/// Values that do not change with the time (constants, columns, comparisons, whole numbers) are still: they have no
/// further coefficients. Functions in pieces stay on the piece of coefficient 0; `switches` tell where it ends.
///
/// Reference: [griewank-walther08, ch. 13]; [jorba-zou05].
class JetProgram {
 public:
  using Value = Program::Value;

  /// What coefficients of order k > 0 are made of.
  enum class Rule : std::uint8_t {
    still,     ///< they are zero
    load,      ///<
    sum,       ///< a + b, with signs; either may be missing
    scaled,    ///< a_0 b + c, with signs; a is still, c may be missing
    product,   ///< a b + c, with signs; c may be missing
    over,      ///< a / b_0, b is still
    quotient,  ///< a / b; a may be missing
    root,
    chain,   ///< y' = d u' + e w', for arguments u, w and slopes d, e
    choose,  ///< a_0 != 0 ? b : c
    fold,    ///< |a|
    least,
    most,
  };

  static constexpr Value kNone = 0xffffffff;

  struct Step {
    Program::Instruction of;  ///< what computes coefficient 0, with values as arguments
    Rule rule = Rule::still;
    std::array<Value, 3> args{kNone, kNone, kNone};  ///< of the rule
    std::array<bool, 3> negative{};                  ///< of a sum: a, b; of a product: the product, and c
    std::array<Value, 2> slopes{kNone, kNone};
    bool has_history = false;  ///< all coefficients are needed later
    bool has_rest = false;     ///< it has an S
  };

  /// Where a piece ends: where a - b changes its sign (or a alone); for `whole` where a leaves [n, n+1].
  struct Switch {
    Value a, b = kNone;
    Value owner;  ///< the step that has pieces
  };

  JetProgram() = default;
  /// @param is_constant of each load whether it is the same at all times.
  JetProgram(const Program& program, const std::vector<bool>& is_constant);

  const std::vector<Step>& steps() const { return steps_; }
  const std::vector<Quad>& constants() const { return constants_; }
  const std::vector<Program::Output>& outputs() const { return outputs_; }
  const std::vector<Switch>& switches() const { return switches_; }

 private:
  using Code = Program::Code;

  Value add(Step step);
  Value constant(Quad value);
  Value operation(Code code, Value a, Value b = 0, Value c = 0);
  Value call(Function function, Value a, Value b = 0);
  Value power(Value x, std::int64_t n);
  bool is_still(Value v) const { return steps_[v].rule == Rule::still; }
  bool is_constant(Value v, Quad& value) const;
  void set_rule(Step& step) const;
  void add_slopes(Value y);
  void keep_histories();

  std::vector<Step> steps_;
  std::vector<Quad> constants_;
  std::vector<Program::Output> outputs_;
  std::vector<Switch> switches_;
  std::vector<bool> is_constant_load_;
  std::vector<std::pair<Program::Instruction, Value>> known_calls_;
};

}  // namespace cotangent
