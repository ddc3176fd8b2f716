#include "cotangent/kernel/llvm_series_values.hpp"

#include <llvm/IR/Intrinsics.h>

#include <algorithm>
#include <span>
#include <utility>

#include "cotangent/base/check.hpp"

namespace cotangent {
namespace {

using Code = Program::Code;
using Rule = JetProgram::Rule;
using Step = JetProgram::Step;

// Sums in one loop: each has two accumulators, and a processor without AVX-512 has 16 registers.
constexpr std::size_t kSumsInALoop = 6;

}  // namespace

llvm::Value* SeriesValues::address(const JetPlan& plan, const Instance& instance, V v, const Order& k) {
  const JetPlan::Place& place = plan.places[v];
  Value* first = after(place.is_kept ? instance.memory : instance.scratch, place.first);
  if (place.stride == 0 || k.known == 0) return first;
  if (k.known) return after(first, static_cast<std::size_t>(*k.known) * place.stride);
  return after(first, b_.CreateNSWMul(k.value, number(static_cast<std::int64_t>(place.stride))));
}

void SeriesValues::begin(const JetPlan& plan, Instance& instance, int width) {
  const auto& steps = plan.program.steps();
  for (V v = 0; v < steps.size(); ++v) {
    const Step& step = steps[v];
    Value* y;
    if (step.of.code == Code::load) {
      y = instance.load(step.of.index);
    } else if (step.of.code == Code::counter) {
      y = instance.counter(step.of.index);
    } else if (step.of.code == Code::constant) {
      y = real(static_cast<double>(plan.program.constants()[step.of.index]), width);
    } else {
      std::vector<Value*> x;
      for (const V a : step.of.arguments()) x.push_back(instance.newest.at(a));
      y = arithmetic_.instruction(step.of, x, std::vector<Value*>(x.size(), nullptr));
      if (step.rule == Rule::fold) write(arithmetic_.sign(x[0]), after(instance.memory, plan.places[v].rest));
    }
    instance.newest[v] = y;
    write(y, address(plan, instance, v, known(0)));
  }
}

void SeriesValues::find_sums(const JetPlan& plan, const std::vector<Instance*>& instances, const Order& k, int width) {
  const auto& steps = plan.program.steps();
  std::vector<Sum> products, squares;
  struct Use {
    Instance* instance;
    V value;
    bool is_square;
    std::vector<std::size_t> sums;
  };
  std::vector<Use> uses;
  for (Instance* instance : instances)
    for (const V v : plan.moving) {
      const Step& step = steps[v];
      if (!step.has_rest || step.rule == Rule::fold) continue;
      const auto first = [&](V x) { return address(plan, *instance, x, known(0)); };
      Use use{instance, v, false, {}};
      const auto add = [&](V a, V b, bool is_weighted) {
        use.is_square = a == b && !is_weighted;
        auto& list = use.is_square ? squares : products;
        use.sums.push_back(list.size());
        list.push_back({first(a), first(b), is_weighted, plan.row, nullptr});
      };
      if (step.rule == Rule::product) add(step.args[0], step.args[1], false);
      if (step.rule == Rule::quotient) add(step.args[1], v, false);
      if (step.rule == Rule::root) add(v, v, false);
      if (step.rule == Rule::chain)
        for (std::size_t i = 0; i < 2; ++i)
          if (step.args[i] != JetProgram::kNone && step.slopes[i] != JetProgram::kNone &&
              steps[step.slopes[i]].has_history)
            add(step.args[i], step.slopes[i], true);
      uses.push_back(std::move(use));
    }
  add_up(products, k, width);
  add_up_squares(squares, k, width);
  for (const Use& use : uses) {
    Value* S = nullptr;
    for (const std::size_t i : use.sums) {
      Value* next = (use.is_square ? squares : products)[i].result;
      S = S ? b_.CreateFAdd(S, next) : next;
    }
    if (steps[use.value].rule == Rule::chain) {
      if (S == nullptr) S = real(0, width);
      S = b_.CreateFDiv(S, arithmetic_.splat(b_.CreateSIToFP(k.value, b_.getDoubleTy()), width));
    }
    use.instance->sums[use.value] = S;
    write(S, after(use.instance->memory, plan.places[use.value].rest));
  }
}

llvm::Value* SeriesValues::term(const Sum& sum, Value* from_a, Value* from_b, Value* weight, Value* to, int width) {
  Value *x = read(after(sum.a, from_a), width), *y = read(after(sum.b, from_b), width);
  if (sum.is_weighted) x = b_.CreateFMul(arithmetic_.splat(weight, width), x);
  return b_.CreateIntrinsic(x->getType(), llvm::Intrinsic::fma, {x, y, to});
}

void SeriesValues::add_terms(std::vector<Sum>& all, const Order& k, Value* end, std::optional<int> known_end, int width,
                             const std::function<void(Sum&, Halves)>& finish) {
  for (std::size_t first = 0; first < all.size(); first += kSumsInALoop) {
    const std::span sums(all.begin() + static_cast<std::ptrdiff_t>(first), std::min(kSumsInALoop, all.size() - first));
    std::vector<Halves> halves(sums.size(), {real(0, width), real(0, width)});
    const auto rows = [&](int j) { return number(static_cast<std::int64_t>(sums[0].row) * j); };
    if (known_end) {
      for (int j = 1; j < *known_end; ++j)
        for (std::size_t s = 0; s < sums.size(); ++s) {
          Value*& half = j % 2 == 1 ? halves[s].odd : halves[s].even;
          half = term(sums[s], rows(j), rows(*k.known - j), real(j), half, width);
        }
    } else {
      BasicBlock *const before = b_.GetInsertBlock(), *const pairs = new_block("pairs"),
                        *const left = new_block("left"), *const one = new_block("one"),
                        *const done = new_block("summed");
      Value* from_last = b_.CreateNSWMul(b_.CreateNSWSub(k.value, number(1)), rows(1));
      b_.CreateCondBr(b_.CreateICmpSLT(number(2), end), pairs, left);
      b_.SetInsertPoint(pairs);
      const auto phi = [&](Type* type, Value* from) {
        PHINode* node = b_.CreatePHI(type, 2);
        node->addIncoming(from, before);
        return node;
      };
      const bool is_weighted = std::ranges::any_of(sums, &Sum::is_weighted);
      PHINode *j = phi(b_.getInt64Ty(), number(1)), *up = phi(b_.getInt64Ty(), rows(1)),
              *down = phi(b_.getInt64Ty(), from_last), *weight = is_weighted ? phi(b_.getDoubleTy(), real(1)) : nullptr;
      std::vector<PHINode*> nodes;
      for (Halves& each : halves) {
        nodes.push_back(phi(each.odd->getType(), each.odd));
        each.odd = nodes.back();
        nodes.push_back(phi(each.even->getType(), each.even));
        each.even = nodes.back();
      }
      Value *up_2 = b_.CreateNSWAdd(up, rows(1)), *down_2 = b_.CreateNSWSub(down, rows(1));
      Value* weight_2 = weight ? b_.CreateFAdd(weight, real(1)) : nullptr;
      for (std::size_t s = 0; s < sums.size(); ++s) {
        halves[s].odd = term(sums[s], up, down, weight, halves[s].odd, width);
        halves[s].even = term(sums[s], up_2, down_2, weight_2, halves[s].even, width);
      }
      Value *next = b_.CreateNSWAdd(j, number(2)), *next_up = b_.CreateNSWAdd(up, rows(2)),
            *next_down = b_.CreateNSWSub(down, rows(2)),
            *next_weight = weight ? b_.CreateFAdd(weight, real(2)) : nullptr;
      const auto connect = [&](PHINode* node, Value* value) { node->addIncoming(value, pairs); };
      connect(j, next), connect(up, next_up), connect(down, next_down);
      if (weight) connect(weight, next_weight);
      for (std::size_t s = 0; s < sums.size(); ++s)
        connect(nodes[2 * s], halves[s].odd), connect(nodes[2 * s + 1], halves[s].even);
      b_.CreateCondBr(b_.CreateICmpSLT(b_.CreateNSWAdd(next, number(1)), end), pairs, left);

      b_.SetInsertPoint(left);
      const auto merge = [&](Value* without, Value* with) {
        PHINode* node = b_.CreatePHI(with->getType(), 2);
        node->addIncoming(without, before);
        node->addIncoming(with, pairs);
        return node;
      };
      Value *at = merge(number(1), next), *last_up = merge(rows(1), next_up), *last_down = merge(from_last, next_down),
            *last_weight = weight ? merge(real(1), next_weight) : nullptr;
      for (Halves& each : halves) {
        each.odd = merge(real(0, width), each.odd);
        each.even = merge(real(0, width), each.even);
      }
      b_.CreateCondBr(b_.CreateICmpSLT(at, end), one, done);
      b_.SetInsertPoint(one);
      std::vector<Value*> longer;
      for (std::size_t s = 0; s < sums.size(); ++s)
        longer.push_back(term(sums[s], last_up, last_down, last_weight, halves[s].odd, width));
      b_.CreateBr(done);
      b_.SetInsertPoint(done);
      for (std::size_t s = 0; s < sums.size(); ++s) {
        PHINode* odd = b_.CreatePHI(longer[s]->getType(), 2);
        odd->addIncoming(halves[s].odd, left);
        odd->addIncoming(longer[s], one);
        halves[s].odd = odd;
      }
    }
    for (std::size_t s = 0; s < sums.size(); ++s) finish(sums[s], halves[s]);
  }
}

void SeriesValues::add_up(std::vector<Sum>& sums, const Order& k, int width) {
  add_terms(sums, k, k.value, k.known, width,
            [&](Sum& sum, Halves halves) { sum.result = b_.CreateFAdd(halves.even, halves.odd); });
}

void SeriesValues::add_up_squares(std::vector<Sum>& sums, const Order& k, int width) {
  if (sums.empty()) return;
  // Terms with 2 j < k, twice, and the one in the middle.
  std::optional<int> known_end;
  if (k.known) known_end = (*k.known + 1) / 2;
  Value* end = b_.CreateLShr(b_.CreateNSWAdd(k.value, number(1)), 1);
  Value* middle = b_.CreateNSWMul(b_.CreateLShr(k.value, 1), number(static_cast<std::int64_t>(sums[0].row)));
  Value* has_middle = b_.CreateICmpEQ(b_.CreateAnd(k.value, number(1)), number(0));
  add_terms(sums, k, end, known_end, width, [&](Sum& sum, Halves halves) {
    Value *half = b_.CreateFAdd(halves.even, halves.odd), *both = b_.CreateFAdd(half, half);
    Value* x = read(after(sum.a, middle), width);
    Value* with = b_.CreateIntrinsic(x->getType(), llvm::Intrinsic::fma, {x, x, both});
    sum.result = b_.CreateSelect(has_middle, with, both);
  });
}

void SeriesValues::go_on(const JetPlan& plan, Instance& instance, const Order& k, bool again, int width,
                         const std::vector<bool>& is_written) {
  const auto& steps = plan.program.steps();
  const auto newest = [&](V v) -> Value* {
    if (v == JetProgram::kNone) return nullptr;
    Value*& known = instance.newest[v];
    if (!known) known = read(address(plan, instance, v, k), width);
    return known;
  };
  const auto base = [&](V v) -> Value* {
    if (steps[v].of.code == Code::constant)
      return real(static_cast<double>(plan.program.constants()[steps[v].of.index]), width);
    Value*& known = instance.base[v];
    if (!known) known = read(address(plan, instance, v, this->known(0)), width);
    return known;
  };
  const auto sum = [&](V v) {
    Value*& known = instance.sums[v];
    if (!known) known = read(after(instance.memory, plan.places[v].rest), width);
    return known;
  };
  const auto fma = [&](Value* x, Value* y, Value* z) {
    return b_.CreateIntrinsic(x->getType(), llvm::Intrinsic::fma, {x, y, z});
  };
  const auto zero = [&] { return real(0, width); };
  const auto new_value = [&](V v) -> Value* {
    const Step& step = steps[v];
    const auto [a, b, c] = step.args;
    const auto [minus_a, minus_b, unused] = step.negative;
    switch (step.rule) {
      case Rule::still:
        break;
      case Rule::load:
        return instance.load(step.of.index);
      case Rule::sum: {
        Value *x = newest(a), *z = newest(b);
        if (x && z) return minus_b ? b_.CreateFSub(x, z) : b_.CreateFAdd(x, z);
        Value* only = x ? x : z;
        return (x ? minus_a : minus_b) ? b_.CreateFNeg(only) : only;
      }
      case Rule::scaled: {
        Value *f = base(a), *x = newest(b), *rest = newest(c);
        if (minus_a) f = b_.CreateFNeg(f);
        if (!rest) return b_.CreateFMul(f, x);
        return fma(f, x, minus_b ? b_.CreateFNeg(rest) : rest);
      }
      case Rule::product: {
        Value* y = fma(base(a), newest(b), fma(newest(a), base(b), sum(v)));
        if (minus_a) y = b_.CreateFNeg(y);
        Value* rest = newest(c);
        if (!rest) return y;
        return minus_b ? b_.CreateFSub(y, rest) : b_.CreateFAdd(y, rest);
      }
      case Rule::over:
        return b_.CreateFDiv(newest(a), base(b));
      case Rule::quotient: {
        Value *x = newest(a), *y = b_.CreateFNeg(fma(newest(b), base(v), sum(v)));
        if (x) y = b_.CreateFAdd(x, y);
        return b_.CreateFDiv(y, base(b));
      }
      case Rule::root: {
        Value* root = base(v);
        return b_.CreateFDiv(b_.CreateFSub(newest(a), sum(v)), b_.CreateFAdd(root, root));
      }
      case Rule::chain: {
        Value* y = sum(v);
        if (a != JetProgram::kNone) y = fma(base(step.slopes[0]), newest(a), y);
        if (b != JetProgram::kNone) y = fma(base(step.slopes[1]), newest(b), y);
        return y;
      }
      case Rule::choose: {
        Value *x = newest(b), *z = newest(c);
        return b_.CreateSelect(b_.CreateFCmpOEQ(base(a), zero()), z ? z : zero(), x ? x : zero());
      }
      case Rule::fold: {
        // Of 0 the side is that of the first coefficient that is not.
        Value *at = after(instance.memory, plan.places[v].rest), *side = read(at, width), *x = newest(a);
        side = b_.CreateSelect(b_.CreateFCmpOEQ(side, zero()), arithmetic_.sign(x), side);
        write(side, at);
        return b_.CreateFMul(side, x);
      }
      case Rule::least:
      case Rule::most: {
        Value *first = base(a), *second = base(b);
        const auto coefficient = [&](V x) { return steps[x].rule == Rule::still ? zero() : newest(x); };
        Value* takes_b = step.rule == Rule::least ? b_.CreateFCmpOLT(second, first) : b_.CreateFCmpOLT(first, second);
        return b_.CreateSelect(takes_b, coefficient(b), coefficient(a));
      }
    }
    check_failed("the value is not still");
  };
  for (const V v : again ? plan.again : plan.moving) {
    Value* y = new_value(v);
    instance.newest[v] = y;
    if (steps[v].has_history || (!is_written.empty() && is_written[v])) write(y, address(plan, instance, v, k));
  }
}

}  // namespace cotangent
