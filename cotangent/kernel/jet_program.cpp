#include "cotangent/kernel/jet_program.hpp"

#include <quadmath.h>

#include <algorithm>
#include <cmath>

namespace cotangent {
namespace {

constexpr Quad kLargestPower = 1024;

}  // namespace

JetProgram::Value JetProgram::add(Step step) {
  steps_.push_back(step);
  return static_cast<Value>(steps_.size() - 1);
}

JetProgram::Value JetProgram::constant(Quad value) {
  constants_.push_back(value);
  return add({.of = {.code = Code::constant, .index = static_cast<std::uint32_t>(constants_.size() - 1)}});
}

JetProgram::Value JetProgram::operation(Code code, Value a, Value b, Value c) {
  Step step{.of = {.code = code, .args = {a, b, c}}};
  set_rule(step);
  return add(step);
}

bool JetProgram::is_constant(Value v, Quad& value) const {
  if (steps_[v].of.code != Code::constant) return false;
  value = constants_[steps_[v].of.index];
  return true;
}

// x^n by squaring, also where x_0 = 0.
JetProgram::Value JetProgram::power(Value x, std::int64_t n) {
  if (n == 1) return x;
  const Value half = power(x, n / 2), even = operation(Code::mul, half, half);
  return n % 2 == 0 ? even : operation(Code::mul, even, x);
}

// A function, and what its slope is made of. The same function of the same arguments is there once.
JetProgram::Value JetProgram::call(Function function, Value a, Value b) {
  const Program::Instruction of{.code = Code::call, .function = function, .args = {a, b, 0}};
  for (const auto& [known, value] : known_calls_)
    if (known == of) return value;
  Quad exponent = 0;
  if (function == Function::pow && is_constant(b, exponent) && exponent == floorq(exponent) && exponent != 0 &&
      fabsq(exponent) <= kLargestPower) {
    const Value whole = power(a, static_cast<std::int64_t>(fabsq(exponent)));
    return exponent > 0 ? whole : operation(Code::div, constant(1), whole);
  }
  Step step{.of = of};
  set_rule(step);
  const Value y = add(step);
  known_calls_.emplace_back(of, y);
  if (!is_still(y)) add_slopes(y);
  return y;
}

void JetProgram::add_slopes(Value y) {
  const auto [u, w, unused] = steps_[y].of.args;
  const auto one = [&] { return constant(1); };
  const auto square = [&](Value x) { return operation(Code::mul, x, x); };
  const auto root_of_rest = [&] { return operation(Code::sqrt, operation(Code::sub, one(), square(u))); };
  Value slope = kNone, other = kNone;
  switch (steps_[y].of.function) {
    case Function::sin:
      slope = call(Function::cos, u);
      break;
    case Function::cos: {
      const Value sine = call(Function::sin, u);
      slope = operation(Code::neg, sine);
      break;
    }
    case Function::sinh:
      slope = call(Function::cosh, u);
      break;
    case Function::cosh:
      slope = call(Function::sinh, u);
      break;
    case Function::exp:
      slope = y;
      break;
    case Function::log:
      slope = operation(Code::div, one(), u);
      break;
    case Function::tan:
      slope = operation(Code::add, one(), square(y));
      break;
    case Function::tanh:
      slope = operation(Code::sub, one(), square(y));
      break;
    case Function::asin:
      slope = operation(Code::div, one(), root_of_rest());
      break;
    case Function::acos:
      slope = operation(Code::div, constant(-1), root_of_rest());
      break;
    case Function::atan:
      slope = operation(Code::div, one(), operation(Code::add, one(), square(u)));
      break;
    case Function::erf:
    case Function::erfc: {
      const Quad factor = (steps_[y].of.function == Function::erf ? 2 : -2) / sqrtq(M_PIq);
      const Value bell = call(Function::exp, operation(Code::neg, square(u)));
      slope = operation(Code::mul, constant(factor), bell);
      break;
    }
    case Function::pow:  // y' = (w y / u) u' + (y log u) w'
      if (!is_still(u)) slope = operation(Code::mul, w, operation(Code::div, y, u));
      if (!is_still(w)) other = operation(Code::mul, y, call(Function::log, u));
      break;
    case Function::atan2: {  // y' = (w u' - u w') / (u^2 + w^2)
      const Value size = operation(Code::add, square(u), square(w));
      if (!is_still(u)) slope = operation(Code::div, w, size);
      if (!is_still(w)) other = operation(Code::neg, operation(Code::div, u, size));
      break;
    }
  }
  steps_[y].slopes = {slope, other};
}

// From what computes coefficient 0.
void JetProgram::set_rule(Step& step) const {
  const auto [a, b, c] = step.of.args;
  const auto moves = [&](Value v) { return is_still(v) ? kNone : v; };
  const auto sum = [&](Value x, Value y, bool minus_x, bool minus_y) {
    step.args = {moves(x), y == kNone ? kNone : moves(y), kNone};
    step.negative = {minus_x, minus_y, false};
    step.rule = step.args[0] == kNone && step.args[1] == kNone ? Rule::still : Rule::sum;
  };
  const auto product = [&](bool minus_product, Value addend, bool minus_addend) {
    const Value rest = addend == kNone ? kNone : moves(addend);
    step.negative = {minus_product, minus_addend, false};
    if (is_still(a) && is_still(b)) {
      if (rest != kNone) sum(rest, kNone, minus_addend, false);
    } else if (is_still(a) || is_still(b)) {
      step.rule = Rule::scaled;
      step.args = {is_still(a) ? a : b, is_still(a) ? b : a, rest};
    } else {
      step.rule = Rule::product;
      step.args = {a, b, rest};
      step.has_rest = true;
    }
  };
  const auto all_still = [&] { return std::ranges::all_of(step.of.arguments(), [&](Value v) { return is_still(v); }); };
  step.rule = Rule::still;
  switch (step.of.code) {
    case Code::constant:
    case Code::counter:
    case Code::sign:
    case Code::floor:
    case Code::lt:
    case Code::le:
    case Code::eq:
    case Code::ne:
      return;
    case Code::load:
      if (!is_constant_load_[step.of.index]) step.rule = Rule::load;
      return;
    case Code::add:
      return sum(a, b, false, false);
    case Code::sub:
      return sum(a, b, false, true);
    case Code::neg:
      return sum(a, kNone, true, false);
    case Code::mul:
      return product(false, kNone, false);
    case Code::fma:
      return product(false, c, false);
    case Code::fms:
      return product(false, c, true);
    case Code::fnma:
      return product(true, c, false);
    case Code::div:
      if (all_still()) return;
      step.args = {moves(a), b, kNone};
      step.rule = is_still(b) ? Rule::over : Rule::quotient;
      step.has_rest = step.rule == Rule::quotient;
      return;
    case Code::sqrt:
      if (all_still()) return;
      step.rule = Rule::root;
      step.args[0] = a;
      step.has_rest = true;
      return;
    case Code::call:
      if (all_still()) return;
      step.rule = Rule::chain;
      step.args = {moves(a), arity(step.of.function) == 2 ? moves(b) : kNone, kNone};
      step.has_rest = true;
      return;
    case Code::select:
      if (is_still(b) && is_still(c)) return;
      step.rule = Rule::choose;
      step.args = {a, moves(b), moves(c)};
      return;
    case Code::abs:
    case Code::min:
    case Code::max:
      if (all_still()) return;
      step.rule = step.of.code == Code::abs ? Rule::fold : step.of.code == Code::min ? Rule::least : Rule::most;
      step.args = {a, step.rule == Rule::fold ? kNone : b, kNone};
      step.has_rest = step.rule == Rule::fold;  // the sign
      return;
  }
}

JetProgram::JetProgram(const Program& program, const std::vector<bool>& is_constant)
    : constants_(program.constants()), is_constant_load_(is_constant) {
  std::vector<Value> at;  // where the instructions of the program have gone
  for (const auto& instruction : program.instructions()) {
    Program::Instruction of = instruction;
    for (std::size_t k = 0; k < instruction.arguments().size(); ++k) of.args[k] = at[instruction.args[k]];
    if (of.code == Code::call) {
      at.push_back(call(of.function, of.args[0], of.args[1]));
      continue;
    }
    Step step{.of = of};
    set_rule(step);
    at.push_back(add(step));
    const bool has_pieces = of.code >= Code::abs && of.code <= Code::le;
    if (!has_pieces || std::ranges::all_of(of.arguments(), [&](Value v) { return is_still(v); })) continue;
    switches_.push_back({of.args[0], of.arity() == 2 ? of.args[1] : kNone, at.back()});
  }
  for (const auto& output : program.outputs()) outputs_.push_back({at[output.value], output.negative});
  keep_histories();
}

void JetProgram::keep_histories() {
  const auto keep = [&](Value v) {
    if (v != kNone && !is_still(v)) steps_[v].has_history = true;
  };
  for (std::size_t v = 0; v < steps_.size(); ++v) {
    Step& step = steps_[v];
    if (step.rule == Rule::quotient || step.rule == Rule::root) step.has_history = true;
    if (step.rule == Rule::quotient) keep(step.args[1]);
    if (step.rule == Rule::choose) keep(step.args[0]);
    if (step.rule == Rule::product || step.rule == Rule::chain || step.rule == Rule::least || step.rule == Rule::most)
      keep(step.args[0]), keep(step.args[1]);
    if (step.rule == Rule::chain) keep(step.slopes[0]), keep(step.slopes[1]);
  }
  for (const Switch& each : switches_) {
    keep(each.a);
    keep(each.b);
  }
}

}  // namespace cotangent
