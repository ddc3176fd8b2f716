#include "cotangent/kernel/llvm_series.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

#include "cotangent/base/check.hpp"
#include "cotangent/kernel/llvm_series_values.hpp"

namespace cotangent {
namespace {

using Act = SeriesPlan::Act;
using Code = Program::Code;
using Kind = IndexMap::Kind;
using Row = SeriesPlan::Row;

class SeriesEmitter : SeriesValues {
 public:
  SeriesEmitter(llvm::Module& module, const SeriesPlan& plan, std::string name)
      : SeriesValues(module), plan_(plan), name_(std::move(name)) {}

  llvm::Function* emit() {
    written_.resize(plan_.kernels.size());
    // What comes before the loop is a function of its own: LLVM takes less time for two small ones.
    begin_function(name_ + "_start", {b_.getPtrTy()}, llvm::Function::InternalLinkage);
    function_->addFnAttr(llvm::Attribute::NoInline);
    function_->addFnAttr(llvm::Attribute::OptimizeNone);
    llvm::Function* const start = function_;
    const Order zero = known(0);
    run(plan_.start, zero);
    run(plan_.order, zero);
    if (plan_.orders > 1) run(plan_.rest, zero);
    b_.CreateRetVoid();

    begin_function(name_, {b_.getPtrTy()}, llvm::Function::ExternalLinkage);
    llvm::Function* const function = function_;
    b_.CreateCall(start, {table_});
    BasicBlock *const before = b_.GetInsertBlock(), *const loop = new_block("order"), *const rest = new_block("rest"),
                      *const done = new_block("done");
    b_.CreateCondBr(b_.getInt1(plan_.orders > 1), loop, done);
    b_.SetInsertPoint(loop);
    PHINode* k = b_.CreatePHI(b_.getInt64Ty(), 2);
    k->addIncoming(b_.getInt64(1), before);
    const Order order{k, {}};
    run(plan_.order, order);
    Value* next = b_.CreateNSWAdd(k, b_.getInt64(1));
    b_.CreateCondBr(b_.CreateICmpEQ(next, number(plan_.orders)), done, rest);
    b_.SetInsertPoint(rest);
    run(plan_.rest, order);
    k->addIncoming(next, b_.GetInsertBlock());
    b_.CreateBr(loop);
    b_.SetInsertPoint(done);
    b_.CreateRetVoid();
    return function;
  }

 private:
  // --- Actions.

  void run(const std::vector<SeriesPlan::Action>& actions, const Order& k) {
    for (const auto& action : actions) run(action, k);
  }

  void run(const SeriesPlan::Action& action, const Order& k) {
    switch (action.act) {
      case Act::evaluate:
      case Act::again:
        return evaluate(static_cast<std::size_t>(action.index), order_of(k, action.ahead), action.act == Act::again);
      case Act::solve: {
        Value* inverse = read(pointer(SeriesTable::inverse));
        return set(action.to.vector, order_of(k, action.to.ahead), 0,
                   b_.CreateFMul(get(action.to.vector, order_of(k, action.to.ahead), 0), inverse));
      }
      case Act::call: {
        auto* type = llvm::FunctionType::get(b_.getVoidTy(), {b_.getPtrTy(), b_.getInt64Ty(), b_.getInt64Ty()}, false);
        b_.CreateCall(type, pointer(SeriesTable::function),
                      {pointer(SeriesTable::object), number(action.index), k.value});
        cells_.clear();
        return;
      }
      default:
        return compute(action, k);
    }
  }

  // k + ahead, the same value each time.
  Order order_of(const Order& k, int by) {
    if (k.known || by == 0) return ahead(k, by);
    for (const auto& [of, distance, order] : orders_)
      if (of == k.value && distance == by) return order;
    orders_.emplace_back(k.value, by, ahead(k, by));
    return std::get<2>(orders_.back());
  }

  void compute(const SeriesPlan::Action& action, const Order& k) {
    const Order to = order_of(k, action.to.ahead);
    // What depends on the order, once.
    Value* factor = nullptr;
    const auto real_order = [&](int plus) {
      return b_.CreateSIToFP(order_of(k, action.to.ahead + plus).value, b_.getDoubleTy());
    };
    if (action.act == Act::part || action.act == Act::change) factor = b_.CreateFDiv(real(1), real_order(0));
    if (action.act == Act::quotient) factor = real_order(0);
    if (action.act == Act::twice) factor = b_.CreateFMul(real_order(1), real_order(2));
    const auto result = [&](const auto& at, int width) -> Value* {
      Value* by = factor ? arithmetic_.splat(factor, width) : nullptr;
      switch (action.act) {
        case Act::clear:
          return real(0, width);
        case Act::negate:
          return b_.CreateFNeg(at(action.to));
        case Act::add:
          return b_.CreateFAdd(at(action.to), at(action.a));
        case Act::subtract:
          return b_.CreateFSub(at(action.a), at(action.b));
        case Act::part:
        case Act::twice:
          return b_.CreateFMul(at(action.a), by);
        case Act::change:
          return b_.CreateFMul(b_.CreateFSub(at(action.a), at(action.b)), by);
        case Act::quotient:
          return b_.CreateFDiv(at(action.a), by);
        default:
          check_failed("a row is computed");
      }
    };
    if (action.size <= native_width()) {
      for (std::int64_t i = 0; i < action.size; ++i)
        set(action.to.vector, to, i,
            result([&](const Row& from) { return get(from.vector, order_of(k, from.ahead), i); }, 1));
      return;
    }
    const auto address = [&](const Row& at, Value* i) { return after(row(at.vector, order_of(k, at.ahead)), i); };
    for (const Row& each : {action.to, action.a, action.b})
      if (each.vector >= 0) static_cast<void>(row(each.vector, order_of(k, each.ahead)));  // before the loop
    loop_over(number(action.size), action.size >= JetPlan::kManyInstances, [&](Value* i, int width) {
      write(result([&](const Row& from) { return read(address(from, i), width); }, width), address(action.to, i));
    });
    forget_cells(action.to.vector);
  }

  // --- Kernels.

  void evaluate(std::size_t index, const Order& k, bool again) {
    const JetPlan& plan = *plan_.kernels[index].plan;
    const bool begins = k.known == 0;
    if (!begins && !plan.is_moving) return;
    if (plan.is_written_out()) {
      evaluate_written_out(index, k, again);
    } else {
      call_loops(index, k, again);
    }
  }

  int word_of(std::size_t index) const { return SeriesTable::of_kernel(plan_, index); }

  /// Where the values of a kernel stand while all of its instances are computed.
  void evaluate_written_out(std::size_t index, const Order& k, bool again) {
    const auto& kernel = plan_.kernels[index];
    const JetPlan& plan = *kernel.plan;
    const bool begins = k.known == 0;
    auto& [order, instances] = written_[index];
    if (!again || begins || order != k.value) {
      order = k.value;
      instances.clear();
      for (std::int64_t i = 0; i < plan.count; ++i) {
        Instance instance{after(pointer(word_of(index)), static_cast<std::size_t>(i)),
                          after(pointer(word_of(index) + 1), static_cast<std::size_t>(i)),
                          {},
                          {}};
        instances.push_back(std::move(instance));
      }
    }
    for (std::int64_t i = 0; i < plan.count; ++i) {
      Instance& instance = instances[static_cast<std::size_t>(i)];
      instance.load = [&, i, k](std::size_t l) {
        return get(kernel.in[static_cast<std::size_t>(plan.loads[l].vector)], k, plan.loads[l].at(i));
      };
      instance.counter = [&, i](std::size_t c) { return real(static_cast<double>(plan.counters[c](i))); };
    }
    if (begins) {
      for (Instance& each : instances) begin(plan, each, 1);
    } else {
      std::vector<Instance*> all;
      for (Instance& each : instances) all.push_back(&each);
      if (!again) find_sums(plan, all, k, 1);
      for (Instance* each : all) go_on(plan, *each, k, again, 1, {});
    }
    if (again && !begins && !plan.stores_again) return;
    for (std::size_t s = 0; s < plan.stores.size(); ++s) {
      if (!plan.adds(s, begins ? 0 : 1)) continue;
      const auto& output = plan.program.outputs()[s];
      const int to = kernel.out[static_cast<std::size_t>(plan.stores[s].vector)];
      for (std::int64_t i = 0; i < plan.count; ++i) {
        const std::int64_t place = plan.stores[s].at(i);
        Value *old = get(to, k, place), *y = instances[static_cast<std::size_t>(i)].newest.at(output.value);
        set(to, k, place, output.negative ? b_.CreateFSub(old, y) : b_.CreateFAdd(old, y));
      }
    }
  }

  // Loops over instances are functions, which orders share.
  void call_loops(std::size_t index, const Order& k, bool again) {
    const auto& kernel = plan_.kernels[index];
    const bool begins = k.known == 0;
    const int shape = begins ? 0 : again ? 2 : 1;
    auto& function = loops_[{index, shape}];
    if (!function) {
      llvm::IRBuilder<>::InsertPointGuard guard(b_);
      const auto outer = std::tuple(function_, table_, std::move(words_), std::move(rows_), std::move(cells_));
      begin_function(name_ + "_" + std::to_string(index) + "_" + std::to_string(shape),
                     {b_.getPtrTy(), b_.getInt64Ty()}, llvm::Function::InternalLinkage);
      function_->addFnAttr(llvm::Attribute::NoInline);
      if (begins) function_->addFnAttr(llvm::Attribute::OptimizeNone);
      emit_loops(index, begins ? known(0) : Order{function_->getArg(1), {}}, again);
      b_.CreateRetVoid();
      function = function_;
      std::tie(function_, table_, words_, rows_, cells_) = outer;
    }
    b_.CreateCall(function, {table_, k.value});
    for (const auto& store : kernel.plan->stores) forget_cells(kernel.out[static_cast<std::size_t>(store.vector)]);
  }

  void emit_loops(std::size_t index, const Order& k, bool again) {
    const auto& kernel = plan_.kernels[index];
    const JetPlan& plan = *kernel.plan;
    const bool begins = k.known == 0, stores = begins || !again || plan.stores_again;
    const int words = word_of(index);
    Value *const memory = pointer(words), *const scratch = pointer(words + 1),
                 *const count = word(words + 2, b_.getInt64Ty());
    // Addresses stand before the loops.
    const auto map_word = [&](std::size_t n) { return words + 3 + 2 * static_cast<int>(n); };
    const auto place_words = [&](const IndexMap& at, std::size_t n) {
      static_cast<void>(
          word(map_word(n), at.kind() == Kind::list ? static_cast<Type*>(b_.getPtrTy()) : b_.getInt64Ty()));
      if (at.kind() == Kind::strided) static_cast<void>(word(map_word(n) + 1, b_.getInt64Ty()));
    };
    std::vector<Value*> from, to;
    for (std::size_t l = 0; l < plan.loads.size(); ++l) {
      place_words(plan.loads[l].at, l);
      from.push_back(row(kernel.in[static_cast<std::size_t>(plan.loads[l].vector)], k));
    }
    for (std::size_t c = 0; c < plan.counters.size(); ++c) place_words(plan.counters[c], plan.loads.size() + c);
    const std::size_t first_store = plan.loads.size() + plan.counters.size();
    for (std::size_t s = 0; s < plan.stores.size(); ++s) {
      place_words(plan.stores[s].at, first_store + s);
      to.push_back(row(kernel.out[static_cast<std::size_t>(plan.stores[s].vector)], k));
    }
    // Where instance i is in a vector.
    const auto index_of = [&](const IndexMap& at, std::size_t n, Value* i) -> Value* {
      if (at.kind() == Kind::list) {
        Value* entry = b_.CreateInBoundsGEP(b_.getInt32Ty(), pointer(map_word(n)), i);
        return b_.CreateSExt(b_.CreateAlignedLoad(b_.getInt32Ty(), entry, llvm::Align(4)), b_.getInt64Ty());
      }
      Value* offset = word(map_word(n), b_.getInt64Ty());
      if (at.kind() == Kind::fixed) return offset;
      if (at.kind() == Kind::unit) return b_.CreateNSWAdd(offset, i);
      return b_.CreateNSWAdd(offset, b_.CreateNSWMul(i, word(map_word(n) + 1, b_.getInt64Ty())));
    };
    // What instances i, i + 1, ... find in a vector.
    const auto gather = [&](const IndexMap& at, std::size_t n, Value* i, int width, const auto& find) -> Value* {
      if (width == 1 || at.kind() == Kind::fixed) return arithmetic_.splat(find(index_of(at, n, i), 1), width);
      if (at.kind() == Kind::unit) return find(index_of(at, n, i), width);
      Value* numbers = llvm::PoisonValue::get(LlvmArithmetic::vector_type(b_.getDoubleTy(), width));
      for (int l = 0; l < width; ++l)
        numbers = b_.CreateInsertElement(numbers, find(index_of(at, n, b_.CreateNSWAdd(i, number(l))), 1),
                                         static_cast<std::uint64_t>(l));
      return numbers;
    };
    std::vector<bool> is_written(plan.program.steps().size());  // for stores that come after a block
    for (std::size_t s = 0; s < plan.stores.size(); ++s)
      if (stores && !plan.is_alone(s)) is_written[plan.program.outputs()[s].value] = true;

    const auto block_size = static_cast<std::int64_t>(plan.instances());
    const auto block_numbers = static_cast<std::int64_t>(plan.kept_rows * plan.row);
    loop(number(0), count, block_size, [&](Value* first) {
      Value* const here =
          after(memory, b_.CreateNSWMul(b_.CreateUDiv(first, number(block_size)), number(block_numbers)));
      Value* const size =
          b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, b_.CreateNSWSub(count, first), number(block_size));
      loop_over(size, plan.is_in_vectors(), [&](Value* i, int width) {
        Value* const instance = b_.CreateNSWAdd(first, i);
        Instance each{after(here, i), after(scratch, i), {}, {}};
        each.load = [&](std::size_t l) {
          return gather(plan.loads[l].at, l, instance, width,
                        [&](Value* at, int numbers) { return read(after(from[l], at), numbers); });
        };
        each.counter = [&](std::size_t c) {
          const std::size_t n = plan.loads.size() + c;
          std::vector<double> lanes(static_cast<std::size_t>(width));
          std::iota(lanes.begin(), lanes.end(), 0);
          return gather(plan.counters[c], n, instance, width, [&](Value* at, int numbers) -> Value* {
            Value* x = b_.CreateSIToFP(at, b_.getDoubleTy());
            if (numbers == 1) return x;
            return b_.CreateFAdd(arithmetic_.splat(x, width), llvm::ConstantDataVector::get(b_.getContext(), lanes));
          });
        };
        if (begins) {
          begin(plan, each, width);
        } else {
          if (!again) find_sums(plan, {&each}, k, width);
          go_on(plan, each, k, again, width, is_written);
        }
        if (!stores) return;
        for (std::size_t s = 0; s < plan.stores.size(); ++s) {
          const auto& output = plan.program.outputs()[s];
          if (!plan.adds(s, begins ? 0 : 1)) continue;
          if (!plan.is_alone(s)) continue;
          Value* place = after(to[s], index_of(plan.stores[s].at, first_store + s, instance));
          Value *old = read(place, width), *y = each.newest.at(output.value);
          write(output.negative ? b_.CreateFSub(old, y) : b_.CreateFAdd(old, y), place);
        }
      });
      if (!stores) return;
      for (std::size_t s = 0; s < plan.stores.size(); ++s) {
        if (plan.is_alone(s) || !plan.adds(s, begins ? 0 : 1)) continue;
        const auto& output = plan.program.outputs()[s];
        Value* const terms = address(plan, Instance{here, scratch, {}, {}}, output.value, k);
        const IndexMap& at = plan.stores[s].at;
        const auto add = [&](Value* i, int width) {
          Value* place = after(to[s], index_of(at, first_store + s, b_.CreateNSWAdd(first, i)));
          Value *old = read(place, width), *y = read(after(terms, i), width);
          write(output.negative ? b_.CreateFSub(old, y) : b_.CreateFAdd(old, y), place);
        };
        if (at.kind() == Kind::unit) {
          loop_over(size, plan.is_in_vectors(), add);
        } else {
          loop(number(0), size, 1, [&](Value* i) { add(i, 1); });
        }
      }
    });
  }

  const SeriesPlan& plan_;
  const std::string name_;
  std::vector<std::tuple<Value*, int, Order>> orders_;
  std::vector<std::pair<Value*, std::vector<Instance>>> written_;  // of each kernel, and at which order
  std::map<std::pair<std::size_t, int>, llvm::Function*> loops_;
};

}  // namespace

llvm::Function* emit_series(llvm::Module& module, const SeriesPlan& plan, const std::string& name) {
  return SeriesEmitter(module, plan, name).emit();
}

}  // namespace cotangent
