#include "cotangent/kernel/program.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <map>
#include <optional>
#include <stdexcept>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "cotangent/base/check.hpp"
#include "cotangent/expr/algorithm.hpp"

namespace cotangent {
namespace {

using Code = Program::Code;
using Value = Program::Value;
using Instruction = Program::Instruction;

constexpr int kMaxPower = 64;

// A value with a sign that has not been applied yet.
struct Signed {
  Value value = 0;
  bool negative = false;
};

std::optional<Function> called_function(Op op) {
  switch (op) {
    case Op::sin:
      return Function::sin;
    case Op::cos:
      return Function::cos;
    case Op::tan:
      return Function::tan;
    case Op::asin:
      return Function::asin;
    case Op::acos:
      return Function::acos;
    case Op::atan:
      return Function::atan;
    case Op::sinh:
      return Function::sinh;
    case Op::cosh:
      return Function::cosh;
    case Op::tanh:
      return Function::tanh;
    case Op::exp:
      return Function::exp;
    case Op::log:
      return Function::log;
    case Op::pow:
      return Function::pow;
    case Op::atan2:
      return Function::atan2;
    default:
      return std::nullopt;
  }
}

bool is_even(Function f) { return f == Function::cos || f == Function::cosh; }
bool is_odd(Function f) {
  return f == Function::sin || f == Function::tan || f == Function::asin || f == Function::atan ||
         f == Function::sinh || f == Function::tanh;
}

// Whether 1/x is a number that double holds exactly, so that multiplication by it is division by x.
bool has_exact_reciprocal(Quad x) {
  int exponent = 0;
  return fabsq(frexpq(x, &exponent)) == 0.5 && std::abs(exponent) <= 1000;
}

}  // namespace

/// Lowers expressions to instructions with numbered values, then fuses products into sums, then keeps what is
/// used.
class ProgramBuilder {
 public:
  explicit ProgramBuilder(std::span<const Program::Leaf> leaves) {
    for (const auto& leaf : leaves) {
      COTANGENT_CHECK(leaf.symbol.op() == Op::symbol);
      leaves_[leaf.symbol.symbol_id()] = {.code = leaf.code, .index = leaf.index};
    }
  }

  void add_targets(std::span<const Program::Target> targets) {
    std::vector<Expr> roots;
    for (const auto& t : targets) roots.push_back(t.expr);
    for (const Expr e : reachable(roots)) lowered_.insert_or_assign(e.id(), lower(e));
    for (const auto& t : targets) {
      const Signed s = of(t.expr);
      // A constant or a difference absorbs the sign at no cost.
      const bool free = value_[s.value].code == Code::constant || value_[s.value].code == Code::sub;
      if (t.can_subtract && !free) {
        outputs_.push_back({s.value, s.negative});
      } else {
        outputs_.push_back({plain(s), false});
      }
    }
  }

  void finish(Program& program) {
    fuse();
    keep_used(program);
  }

 private:
  // --- Lowering: one method per kind of operation; all of them return known values where they can.

  Signed of(Expr e) const { return lowered_.at(e.id()); }

  Value number(const Instruction& instruction) {
    const auto key = std::tuple(instruction.code, instruction.function, instruction.index, instruction.args);
    const auto [it, is_new] = numbers_.try_emplace(key, static_cast<Value>(value_.size()));
    if (is_new) value_.push_back(instruction);
    return it->second;
  }

  Value operation(Code code, Value a, Value b = 0, Value c = 0) { return number({.code = code, .args = {a, b, c}}); }

  Signed constant(Quad c) {
    const bool negative = signbitq(c) != 0;
    if (negative) c = -c;
    std::array<std::uint64_t, 2> bits;
    std::memcpy(bits.data(), &c, sizeof(Quad));
    const auto [it, is_new] = constant_numbers_.try_emplace(bits, static_cast<std::uint32_t>(constants_.size()));
    if (is_new) constants_.push_back(c);
    return {number({.code = Code::constant, .index = it->second}), negative};
  }

  bool is_constant(Value v) const { return value_[v].code == Code::constant; }
  Quad constant_value(Value v) const { return constants_[value_[v].index]; }
  bool is_one(Value v) const { return is_constant(v) && constant_value(v) == 1; }

  // The value with its sign applied: where possible in another instruction than a negation.
  Value plain(Signed s) {
    if (!s.negative) return s.value;
    const Instruction i = value_[s.value];
    if (i.code == Code::sub) return operation(Code::sub, i.args[1], i.args[0]);
    if (i.code == Code::mul && is_constant(i.args[0]))
      return operation(Code::mul, operation(Code::neg, i.args[0]), i.args[1]);
    return operation(Code::neg, s.value);
  }

  Signed add(Signed a, Signed b) {
    if (b.value < a.value) std::swap(a, b);
    if (a.negative == b.negative) return {operation(Code::add, a.value, b.value), a.negative};
    return {operation(Code::sub, a.value, b.value), a.negative};
  }

  Signed mul(Signed a, Signed b) {
    const bool negative = a.negative != b.negative;
    if (is_one(a.value)) return {b.value, negative};
    if (is_one(b.value)) return {a.value, negative};
    if (b.value < a.value) std::swap(a, b);
    if (is_constant(b.value)) std::swap(a, b);  // a constant stands first
    return {operation(Code::mul, a.value, b.value), negative};
  }

  Signed div(Signed a, Signed b) {
    if (is_constant(b.value) && has_exact_reciprocal(constant_value(b.value))) {
      const Signed reciprocal = constant(1 / constant_value(b.value));
      return mul(a, {reciprocal.value, b.negative});
    }
    return {operation(Code::div, a.value, b.value), a.negative != b.negative};
  }

  Value power(Value x, int n) {
    if (n == 1) return x;
    const Value half = power(x, n / 2);
    const Value even = mul({half}, {half}).value;
    return n % 2 == 0 ? even : mul({even}, {x}).value;
  }

  Signed pow(Signed x, Expr exponent) {
    const Quad p = exponent.is_constant() ? exponent.value() : nanq("");
    const Quad n = truncq(fabsq(p)), fraction = fabsq(p) - n;
    if (!(n <= kMaxPower) || !(fraction == 0 || fraction == 0.5) || p == 0)
      return {number({.code = Code::call, .function = Function::pow, .args = {plain(x), plain(of(exponent))}})};

    const int whole = static_cast<int>(n);
    Signed result;
    if (fraction == 0) {
      result = {power(x.value, whole), x.negative && whole % 2 != 0};
    } else {
      const Value base = plain(x), root = operation(Code::sqrt, base);
      result = whole == 0 ? Signed{root} : mul({power(base, whole)}, {root});
    }
    return p > 0 ? result : div(constant(1), result);
  }

  Signed call(Function f, Expr e) {
    const Signed x = of(e.arg(0));
    if (arity(f) == 2) return {number({.code = Code::call, .function = f, .args = {plain(x), plain(of(e.arg(1)))}})};
    const Value argument = is_even(f) || is_odd(f) ? x.value : plain(x);
    return {number({.code = Code::call, .function = f, .args = {argument}}), is_odd(f) && x.negative};
  }

  Signed lower(Expr e) {
    const auto binary = [&](Code code) { return Signed{operation(code, plain(of(e.arg(0))), plain(of(e.arg(1))))}; };
    switch (e.op()) {
      case Op::constant:
        return constant(e.value());
      case Op::symbol: {
        const auto it = leaves_.find(e.symbol_id());
        if (it == leaves_.end())
          throw std::invalid_argument(
              fmt::format("kernel: symbol '{}' is neither loaded nor a counter", e.symbol().name));
        return {number(it->second)};
      }
      case Op::entry:
      case Op::sum:
        throw std::invalid_argument(
            fmt::format("kernel: '{}' must be expanded into symbols before it is compiled", to_string(e)));
      case Op::add:
        return add(of(e.arg(0)), of(e.arg(1)));
      case Op::mul:
        return mul(of(e.arg(0)), of(e.arg(1)));
      case Op::div:
        return div(of(e.arg(0)), of(e.arg(1)));
      case Op::pow:
        return pow(of(e.arg(0)), e.arg(1));
      case Op::sqrt:
        return {operation(Code::sqrt, plain(of(e.arg(0))))};
      case Op::abs:
        return {operation(Code::abs, of(e.arg(0)).value)};
      case Op::sign:
        return {operation(Code::sign, of(e.arg(0)).value), of(e.arg(0)).negative};
      case Op::min:
        return binary(Code::min);
      case Op::max:
        return binary(Code::max);
      case Op::sum_error: {  // no product in it is fused: both arguments are used twice
        const Value a = plain(of(e.arg(0))), b = plain(of(e.arg(1)));
        const Value sum = plain(add({a}, {b}));
        return {operation(Code::sub, b, operation(Code::sub, sum, a))};
      }
      case Op::lt:
        return binary(Code::lt);
      case Op::le:
        return binary(Code::le);
      case Op::eq:
        return binary(Code::eq);
      case Op::ne:
        return binary(Code::ne);
      case Op::select: {
        const Signed c = of(e.arg(0)), a = of(e.arg(1)), b = of(e.arg(2));
        if (a.negative && b.negative) return {operation(Code::select, c.value, a.value, b.value), true};
        return {operation(Code::select, c.value, plain(a), plain(b))};
      }
      default:
        break;
    }
    const auto f = called_function(e.op());
    COTANGENT_CHECK(f.has_value());
    return call(*f, e);
  }

  // --- Fusion.

  // How often each value is used by a value that is used.
  std::vector<int> count_uses() const {
    std::vector<int> uses(value_.size(), 0);
    for (const auto& o : outputs_) ++uses[o.value];
    for (std::size_t v = value_.size(); v-- > 0;)  // users come after what they use
      if (uses[v] > 0)
        for (const Value a : value_[v].arguments()) ++uses[a];
    return uses;
  }

  void fuse() {
    const auto uses = count_uses();
    const auto is_product = [&](Value v) { return value_[v].code == Code::mul && uses[v] == 1; };
    const auto is_exact = [&](Value v) {
      const Value factor = value_[v].args[0];
      return is_constant(factor) && has_exact_reciprocal(constant_value(factor));
    };
    for (Instruction& i : value_) {
      if (i.code != Code::add && i.code != Code::sub) continue;
      const auto [a, b, unused] = i.args;
      bool fuse_a = is_product(a), fuse_b = is_product(b);
      if (fuse_a && fuse_b && i.code == Code::sub) {
        fuse_b = is_exact(b);
        fuse_a = !fuse_b && is_exact(a);
      }
      const auto fused = [&](Code code, Value product, Value other) {
        i.code = code;
        i.args = {value_[product].args[0], value_[product].args[1], other};
      };
      if (fuse_b) {
        fused(i.code == Code::add ? Code::fma : Code::fnma, b, a);
      } else if (fuse_a) {
        fused(i.code == Code::add ? Code::fma : Code::fms, a, b);
      }
    }
  }

  // --- The final order: depth first from the outputs, so that values are used soon after they are computed.

  void keep_used(Program& program) {
    constexpr Value kNone = ~Value{0};
    std::vector<Value> position(value_.size(), kNone), stack;
    for (const auto& output : outputs_) {
      stack.push_back(output.value);
      while (!stack.empty()) {
        const Value v = stack.back();
        if (position[v] != kNone) {
          stack.pop_back();
          continue;
        }
        Instruction i = value_[v];
        if (i.code == Code::neg && is_constant(i.args[0])) {  // a negative constant
          emit_constant(program, position[v], -constant_value(i.args[0]));
          stack.pop_back();
          continue;
        }
        if (i.code == Code::constant) {
          emit_constant(program, position[v], constant_value(v));
          stack.pop_back();
          continue;
        }
        const std::size_t depth = stack.size();
        for (int k = i.arity(); k-- > 0;)
          if (const Value a = i.args[static_cast<std::size_t>(k)]; position[a] == kNone) stack.push_back(a);
        if (stack.size() > depth) continue;
        for (int k = 0; k < i.arity(); ++k) {
          Value& a = i.args[static_cast<std::size_t>(k)];
          a = position[a];
        }
        position[v] = static_cast<Value>(program.instructions_.size());
        program.instructions_.push_back(i);
        stack.pop_back();
      }
    }
    for (const auto& o : outputs_) program.outputs_.push_back({position[o.value], o.negative});
  }

  static void emit_constant(Program& program, Value& position, Quad c) {
    position = static_cast<Value>(program.instructions_.size());
    program.instructions_.push_back(
        {.code = Code::constant, .index = static_cast<std::uint32_t>(program.constants_.size())});
    program.constants_.push_back(c);
  }

  std::unordered_map<SymbolId, Instruction> leaves_;
  std::vector<Instruction> value_;
  std::map<std::tuple<Code, Function, std::uint32_t, std::array<Value, 3>>, Value> numbers_;
  std::vector<Quad> constants_;  // without sign
  std::map<std::array<std::uint64_t, 2>, std::uint32_t> constant_numbers_;
  std::unordered_map<NodeId, Signed> lowered_;
  std::vector<Program::Output> outputs_;
};

int Program::Instruction::arity() const {
  switch (code) {
    case Code::load:
    case Code::counter:
    case Code::constant:
      return 0;
    case Code::neg:
    case Code::sqrt:
    case Code::abs:
    case Code::sign:
      return 1;
    case Code::fma:
    case Code::fms:
    case Code::fnma:
    case Code::select:
      return 3;
    case Code::call:
      return cotangent::arity(function);
    default:
      return 2;
  }
}

Program::Program(std::span<const Leaf> leaves, std::span<const Target> targets) {
  ProgramBuilder builder(leaves);
  builder.add_targets(targets);
  builder.finish(*this);
}

Program Program::select(std::span<const Selection> selections) const {
  Program result;
  std::map<std::tuple<Code, Function, std::uint32_t, std::array<Value, 3>>, Value> numbers;
  std::map<std::uint32_t, std::uint32_t> new_constants;
  const auto number = [&](const Instruction& i) {
    const auto next = static_cast<Value>(result.instructions_.size());
    const auto [it, is_new] = numbers.try_emplace({i.code, i.function, i.index, i.args}, next);
    if (is_new) result.instructions_.push_back(i);
    return it->second;
  };
  // Where instructions have gone, with the leaves of the selection before: the outputs of a gradient share most of
  // them.
  constexpr Value kNowhere = std::numeric_limits<Value>::max();
  std::vector<Value> position(instructions_.size(), kNowhere), placed, needed;
  const Selection* before = nullptr;
  const auto need = [&](Value v) {
    if (position[v] != kNowhere) return;
    position[v] = 0;  // to come
    needed.push_back(v);
  };
  for (const Selection& selection : selections) {
    const auto& [output, loads, counters] = selection;
    if (before && (before->loads.data() != loads.data() || before->counters.data() != counters.data())) {
      for (const Value v : placed) position[v] = kNowhere;
      placed.clear();
    }
    before = &selection;
    // Which instructions this output needs that are not there yet; then those, in the old order.
    needed.clear();
    need(outputs_[output].value);
    for (std::size_t k = 0; k < needed.size(); ++k)
      for (const Value a : instructions_[needed[k]].arguments()) need(a);
    std::sort(needed.begin(), needed.end());
    placed.insert(placed.end(), needed.begin(), needed.end());
    for (const Value v : needed) {
      Instruction i = instructions_[v];
      for (std::size_t k = 0; k < i.arguments().size(); ++k) i.args[k] = position[i.args[k]];
      if (i.code == Code::load) i.index = loads[i.index];
      if (i.code == Code::counter) i.index = counters[i.index];
      if (i.code == Code::constant) {
        const auto [it, is_new] =
            new_constants.try_emplace(i.index, static_cast<std::uint32_t>(result.constants_.size()));
        if (is_new) result.constants_.push_back(constants_[i.index]);
        i.index = it->second;
      }
      position[v] = number(i);
    }
    result.outputs_.push_back({position[outputs_[output].value], outputs_[output].negative});
  }
  return result;
}

std::vector<std::uint32_t> Program::renumber(Code load_or_counter) {
  std::vector<std::uint32_t> old;
  for (Instruction& i : instructions_) {
    if (i.code != load_or_counter) continue;
    old.push_back(i.index);  // every leaf is one instruction
    i.index = static_cast<std::uint32_t>(old.size() - 1);
  }
  return old;
}

std::string to_string(const Program& program) {
  static constexpr std::array names = {"load", "counter", "constant", "add",  "sub",    "mul",  "div", "neg",
                                       "fma",  "fms",     "fnma",     "sqrt", "abs",    "sign", "min", "max",
                                       "lt",   "le",      "eq",       "ne",   "select", "call"};
  std::string text;
  for (std::size_t v = 0; v < program.instructions().size(); ++v) {
    const auto& i = program.instructions()[v];
    text +=
        fmt::format("%{} = {}", v, i.code == Code::call ? name(i.function) : names[static_cast<std::size_t>(i.code)]);
    if (i.code == Code::load || i.code == Code::counter) text += fmt::format(" {}", i.index);
    if (i.code == Code::constant) text += fmt::format(" {}", to_string(program.constants()[i.index]));
    for (const Value a : i.arguments()) text += fmt::format(" %{}", a);
    text += "\n";
  }
  for (const auto& o : program.outputs()) text += fmt::format("output {}%{}\n", o.negative ? "-" : "", o.value);
  return text;
}

}  // namespace cotangent
