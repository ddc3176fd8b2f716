#include "cotangent/kernel/program.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <map>
#include <optional>
#include <ranges>
#include <stdexcept>
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

// Enumerators that stand in the same order in two enumerations.
template <class To, class From>
To counterpart(From x, From first, To first_counterpart) {
  return static_cast<To>(static_cast<int>(first_counterpart) + static_cast<int>(x) - static_cast<int>(first));
}

bool is_even(Function f) { return f == Function::cos || f == Function::cosh; }
bool is_odd(Function f) {
  return f == Function::sin || f == Function::tan || f == Function::asin || f == Function::atan ||
         f == Function::sinh || f == Function::tanh || f == Function::erf;
}

// Whether 1/x is a number that double holds exactly, so that multiplication by it is division by x.
bool has_exact_reciprocal(Quad x) {
  int exponent = 0;
  return fabsq(frexpq(x, &exponent)) == 0.5 && std::abs(exponent) <= 1000;
}

}  // namespace

/// Lowers expressions to instructions with numbered values, then fuses products into sums, then keeps what is used.
class ProgramBuilder {
 public:
  explicit ProgramBuilder(std::span<const Program::Leaf> leaves) {
    for (const auto& leaf : leaves) {
      COTANGENT_CHECK(leaf.symbol.op() == Op::symbol);
      leaves_[leaf.symbol.symbol_id()] = {.code = leaf.code, .index = leaf.index};
    }
  }

  void build(std::span<const Program::Target> targets, Program& program) {
    std::vector<Expr> roots;
    for (const auto& t : targets) roots.push_back(t.expr);
    for (const Expr e : reachable(roots)) lowered_.insert_or_assign(e.id(), lower(e));
    for (const auto& t : targets) {
      const Signed s = of(t.expr);
      // A constant or a difference absorbs the sign at no cost.
      const bool free = value_[s.value].code == Code::constant || value_[s.value].code == Code::sub;
      outputs_.push_back(t.can_subtract && !free ? Program::Output{s.value, s.negative} : Program::Output{plain(s)});
    }
    fuse();
    keep_used(program);
  }

 private:
  // The final order: depth first from the outputs, so that values are used soon after they are computed.
  void keep_used(Program& program) {
    std::vector<std::optional<Value>> position(value_.size());
    std::vector<Value> stack;
    for (const auto& output : outputs_) {
      stack.push_back(output.value);
      while (!stack.empty()) {
        const Value v = stack.back();
        const std::size_t depth = stack.size();
        if (!position[v]) {
          Instruction i = value_[v];
          const bool is_negative = i.code == Code::neg && is_constant(i.args[0]);  // a negative constant
          if (is_negative || i.code == Code::constant) {
            const Quad c = constant_value(is_negative ? i.args[0] : v);
            i = {.code = Code::constant, .index = static_cast<std::uint32_t>(program.constants_.size())};
            program.constants_.push_back(is_negative ? -c : c);
          }
          for (const Value a : std::views::reverse(i.arguments()))
            if (!position[a]) stack.push_back(a);
          if (stack.size() > depth) continue;
          for (std::size_t k = 0; k < i.arguments().size(); ++k) i.args[k] = *position[i.args[k]];
          position[v] = static_cast<Value>(program.instructions_.size());
          program.instructions_.push_back(i);
        }
        stack.pop_back();
      }
    }
    for (const auto& o : outputs_) program.outputs_.push_back({*position[o.value], o.negative});
  }

  // --- Lowering: one method per kind of operation; all of them return known values where they can.

  Signed of(Expr e) const { return lowered_.at(e.id()); }

  Value number(const Instruction& instruction) {
    const auto [it, is_new] = numbers_.try_emplace(instruction, static_cast<Value>(value_.size()));
    if (is_new) value_.push_back(instruction);
    return it->second;
  }

  Value operation(Code code, Value a, Value b = 0, Value c = 0) { return number({.code = code, .args = {a, b, c}}); }

  Signed constant(Quad c) {
    const bool negative = signbitq(c) != 0;
    if (negative) c = -c;
    const auto bits = std::bit_cast<std::array<std::uint64_t, 2>>(c);
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

  Signed floor(Signed x) { return {operation(Code::floor, plain(x))}; }

  Signed round(Signed x) {
    const Value size = operation(Code::abs, x.value), whole = operation(Code::floor, size);
    const Value up = operation(Code::le, constant(0.5).value, operation(Code::sub, size, whole));
    const Signed sign{operation(Code::sign, x.value), x.negative};
    return mul(sign, {operation(Code::add, whole, up)});
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
      case Op::floor:
        return floor(of(e.arg(0)));
      case Op::ceil: {
        const Signed x = of(e.arg(0));
        return {floor({x.value, !x.negative}).value, true};
      }
      case Op::round:
        return round(of(e.arg(0)));
      case Op::mod: {
        const Signed a = of(e.arg(0)), b = of(e.arg(1)), multiple = mul(b, floor(div(a, b)));
        return add(a, {multiple.value, !multiple.negative});
      }
      case Op::min:
      case Op::max:
        return binary(counterpart(e.op(), Op::min, Code::min));
      case Op::sum_error: {  // no product in it is fused: both arguments are used twice
        const Value a = plain(of(e.arg(0))), b = plain(of(e.arg(1)));
        const Value sum = plain(add({a}, {b}));
        return {operation(Code::sub, b, operation(Code::sub, sum, a))};
      }
      case Op::rounded:  // x - 0, which machine code does without: a product in x may be fused with it, x with nothing
                         // else
        return {operation(Code::sub, plain(of(e.arg(0))), plain(constant(0)))};
      case Op::lt:
      case Op::le:
      case Op::eq:
      case Op::ne:
        return binary(counterpart(e.op(), Op::lt, Code::lt));
      case Op::select: {
        const Signed c = of(e.arg(0)), a = of(e.arg(1)), b = of(e.arg(2));
        if (a.negative && b.negative) return {operation(Code::select, c.value, a.value, b.value), true};
        return {operation(Code::select, c.value, plain(a), plain(b))};
      }
      case Op::atan2:
        return call(Function::atan2, e);
      default:
        COTANGENT_CHECK(e.op() >= Op::sin && e.op() <= Op::erfc);
        return call(counterpart(e.op(), Op::sin, Function::sin), e);
    }
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

  std::unordered_map<SymbolId, Instruction> leaves_;
  std::vector<Instruction> value_;
  std::map<Instruction, Value> numbers_;
  std::vector<Quad> constants_;  // without sign
  std::map<std::array<std::uint64_t, 2>, std::uint32_t> constant_numbers_;
  std::unordered_map<NodeId, Signed> lowered_;
  std::vector<Program::Output> outputs_;
};

namespace {

struct CodeFacts {
  const char* name;
  int arity;
};

const CodeFacts& facts(Code code) {
  static constexpr std::array<CodeFacts, static_cast<std::size_t>(Code::call) + 1> table = {{
      {"load", 0}, {"counter", 0}, {"constant", 0}, {"add", 2},  {"sub", 2}, {"mul", 2},    {"div", 2},   {"neg", 1},
      {"fma", 3},  {"fms", 3},     {"fnma", 3},     {"sqrt", 1}, {"abs", 1}, {"sign", 1},   {"floor", 1}, {"min", 2},
      {"max", 2},  {"lt", 2},      {"le", 2},       {"eq", 2},   {"ne", 2},  {"select", 3}, {"call", 2},
  }};
  return table[static_cast<std::size_t>(code)];
}

}  // namespace

int Program::Instruction::arity() const { return code == Code::call ? cotangent::arity(function) : facts(code).arity; }

Program::Program(std::span<const Leaf> leaves, std::span<const Target> targets) {
  ProgramBuilder(leaves).build(targets, *this);
}

Program Program::select(std::span<const Selection> selections) const {
  Program result;
  std::map<Instruction, Value> numbers;
  std::map<std::uint32_t, std::uint32_t> new_constants;
  // Where instructions have gone, with which leaves: the outputs of a gradient share most of them.
  std::map<const Leaves*, std::vector<std::optional<Value>>> positions;
  for (const auto& [output, leaves] : selections) {
    auto& position = positions.try_emplace(leaves, instructions_.size()).first->second;
    // Which instructions this output needs that are not there yet; then those, in the old order.
    std::vector<Value> needed;
    const auto need = [&](Value v) {
      if (position[v]) return;
      position[v] = 0;  // to come
      needed.push_back(v);
    };
    need(outputs_[output].value);
    for (std::size_t k = 0; k < needed.size(); ++k)
      for (const Value a : instructions_[needed[k]].arguments()) need(a);
    std::ranges::sort(needed);
    for (const Value v : needed) {
      Instruction i = instructions_[v];
      for (std::size_t k = 0; k < i.arguments().size(); ++k) i.args[k] = *position[i.args[k]];
      if (i.code == Code::load) i.index = leaves->loads[i.index];
      if (i.code == Code::counter) i.index = leaves->counters[i.index];
      if (i.code == Code::constant) {
        const auto next = static_cast<std::uint32_t>(result.constants_.size());
        const auto [it, is_new] = new_constants.try_emplace(i.index, next);
        if (is_new) result.constants_.push_back(constants_[i.index]);
        i.index = it->second;
      }
      const auto [it, is_new] = numbers.try_emplace(i, static_cast<Value>(result.instructions_.size()));
      if (is_new) result.instructions_.push_back(i);
      position[v] = it->second;
    }
    result.outputs_.push_back({*position[outputs_[output].value], outputs_[output].negative});
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
  std::string text;
  for (std::size_t v = 0; v < program.instructions().size(); ++v) {
    const auto& i = program.instructions()[v];
    text += fmt::format("%{} = {}", v, i.code == Code::call ? name(i.function) : facts(i.code).name);
    if (i.code == Code::load || i.code == Code::counter) text += fmt::format(" {}", i.index);
    if (i.code == Code::constant) text += fmt::format(" {}", to_string(program.constants()[i.index]));
    for (const Value a : i.arguments()) text += fmt::format(" %{}", a);
    text += "\n";
  }
  for (const auto& o : program.outputs()) text += fmt::format("output {}%{}\n", o.negative ? "-" : "", o.value);
  return text;
}

}  // namespace cotangent
