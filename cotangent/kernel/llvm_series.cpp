#include "cotangent/kernel/llvm_series.hpp"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Intrinsics.h>

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "cotangent/base/check.hpp"
#include "cotangent/kernel/functions.hpp"
#include "cotangent/kernel/llvm_arithmetic.hpp"

namespace cotangent {
namespace {

using Act = SeriesPlan::Act;
using Code = Program::Code;
using Kind = IndexMap::Kind;
using Row = SeriesPlan::Row;
using Rule = JetProgram::Rule;
using Step = JetProgram::Step;
using V = JetProgram::Value;
using llvm::BasicBlock;
using llvm::PHINode;
using llvm::Type;
using llvm::Value;

// Sums in one loop: each has two accumulators, and a processor without AVX-512 has 16 registers.
constexpr std::size_t kSumsInALoop = 6;

/// The order at which something is evaluated: a number that the code knows, or one that it has.
struct Order {
  Value* value;
  std::optional<int> known;
};

/// An instance, or a vector of neighbours, whose values are being computed.
struct Instance {
  Value* memory;                               ///< of its block, from its first number on
  Value* scratch;                              ///< the same
  std::function<Value*(std::size_t)> load;     ///< what load l has at the order
  std::function<Value*(std::size_t)> counter;  ///< what counter c has
  std::map<V, Value*> newest = {}, sums = {};  ///< values at the order, and S
  std::map<V, Value*> base = {};               ///< coefficients 0
};

class SeriesEmitter {
 public:
  SeriesEmitter(llvm::Module& module, const SeriesPlan& plan, std::string name)
      : module_(module), plan_(plan), name_(std::move(name)), b_(module.getContext()), arithmetic_(b_) {}

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
  // --- Functions, numbers, memory.

  void begin_function(const std::string& name, std::vector<Type*> arguments, llvm::Function::LinkageTypes linkage) {
    auto* type = llvm::FunctionType::get(b_.getVoidTy(), arguments, false);
    function_ = llvm::Function::Create(type, linkage, name, module_);
    function_->setDoesNotThrow();
    function_->addFnAttr("prefer-vector-width", std::to_string(64 * native_width()));
    function_->addFnAttr("min-legal-vector-width", std::to_string(64 * native_width()));
    table_ = function_->getArg(0);
    b_.SetInsertPoint(new_block("entry"));
    words_.clear();
    rows_.clear();
    cells_.clear();
  }

  BasicBlock* new_block(const char* name) { return BasicBlock::Create(b_.getContext(), name, function_); }
  Value* number(std::int64_t i) { return b_.getInt64(static_cast<std::uint64_t>(i)); }
  Value* real(double x, int width = 1) {
    return LlvmArithmetic::constant(LlvmArithmetic::vector_type(b_.getDoubleTy(), width), x);
  }
  Order known(int k) { return {number(k), k}; }
  Order ahead(const Order& k, int by) {
    if (by == 0) return k;
    if (k.known) return known(*k.known + by);
    return {b_.CreateNSWAdd(k.value, number(by)), {}};
  }

  /// i numbers after an address.
  Value* after(Value* address, Value* i) { return b_.CreateInBoundsGEP(b_.getDoubleTy(), address, i); }
  Value* after(Value* address, std::size_t i) {
    return i == 0 ? address : b_.CreateConstInBoundsGEP1_64(b_.getDoubleTy(), address, i);
  }
  Value* read(Value* address, int width = 1) {
    return b_.CreateAlignedLoad(LlvmArithmetic::vector_type(b_.getDoubleTy(), width), address, llvm::Align(8));
  }
  void write(Value* y, Value* address) { b_.CreateAlignedStore(y, address, llvm::Align(8)); }

  /// A word of the table, which does not change.
  Value* word(int n, Type* type) {
    Value*& known = words_[n];
    if (known) return known;
    llvm::IRBuilder<>::InsertPointGuard guard(b_);
    BasicBlock& entry = function_->getEntryBlock();
    b_.SetInsertPoint(&entry, entry.begin());
    return known = b_.CreateAlignedLoad(
               type, b_.CreateConstInBoundsGEP1_64(b_.getInt64Ty(), table_, static_cast<std::uint64_t>(n)),
               llvm::Align(8));
  }
  Value* pointer(int n) { return word(n, b_.getPtrTy()); }

  /// for (i = first; i < end; i += step) body(i).
  void loop(Value* first, Value* end, std::int64_t step, const std::function<void(Value*)>& body) {
    BasicBlock *const before = b_.GetInsertBlock(), *const inside = new_block("loop"), *const done = new_block("after");
    b_.CreateCondBr(b_.CreateICmpSLT(first, end), inside, done);
    b_.SetInsertPoint(inside);
    PHINode* i = b_.CreatePHI(b_.getInt64Ty(), 2);
    i->addIncoming(first, before);
    body(i);
    Value* next = b_.CreateNSWAdd(i, number(step));
    i->addIncoming(next, b_.GetInsertBlock());
    b_.CreateCondBr(b_.CreateICmpSLT(next, end), inside, done);
    b_.SetInsertPoint(done);
  }

  /// body(i, width) for 0 <= i < end: vectors of neighbours, then what is left one by one; of few numbers one by one
  /// from the beginning.
  void loop_over(Value* end, bool in_vectors, const std::function<void(Value*, int)>& body) {
    Value* whole = number(0);
    if (in_vectors) {
      const int width = native_width();
      whole = b_.CreateAnd(end, number(-width));
      loop(number(0), whole, width, [&](Value* i) { body(i, width); });
    }
    loop(whole, end, 1, [&](Value* i) { body(i, 1); });
  }

  // --- Vectors of series. Numbers of the order that is being found are remembered where the code knows their places.

  Value* row(int vector, const Order& k) {
    Value*& known = rows_[{vector, k.value}];
    if (known) return known;
    Value* first = pointer(SeriesTable::of_vector(vector));
    if (k.known == 0) return known = first;
    Value* stride = word(SeriesTable::of_vector(vector) + 1, b_.getInt64Ty());
    return known = after(first, b_.CreateNSWMul(k.value, stride));
  }

  using Cell = std::tuple<int, Value*, std::int64_t>;

  Value* get(int vector, const Order& k, std::int64_t i) {
    Value*& known = cells_[{vector, k.value, i}];
    if (!known) known = read(after(row(vector, k), static_cast<std::size_t>(i)));
    return known;
  }
  void set(int vector, const Order& k, std::int64_t i, Value* y) {
    cells_[{vector, k.value, i}] = y;
    write(y, after(row(vector, k), static_cast<std::size_t>(i)));
  }
  // Somebody else writes it.
  void forget_cells(int vector) {
    std::erase_if(cells_, [&](const auto& each) { return std::get<0>(each.first) == vector; });
  }

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

  // --- Values of an instance.

  Value* address(const JetPlan& plan, const Instance& instance, V v, const Order& k) {
    const JetPlan::Place& place = plan.places[v];
    Value* first = after(place.is_kept ? instance.memory : instance.scratch, place.first);
    if (place.stride == 0 || k.known == 0) return first;
    if (k.known) return after(first, static_cast<std::size_t>(*k.known) * place.stride);
    return after(first, b_.CreateNSWMul(k.value, number(static_cast<std::int64_t>(place.stride))));
  }

  // Coefficient 0: what the program computes, and what later orders read of it.
  void begin(const JetPlan& plan, Instance& instance, int width) {
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

  /// A sum over 0 < j < k.
  struct Sum {
    Value *a, *b;      // coefficients 0; the same: a square
    bool is_weighted;  // by j
    std::size_t row;
    Value* result;
  };

  void find_sums(const JetPlan& plan, const std::vector<Instance*>& instances, const Order& k, int width) {
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

  // Even and odd j apart, as the interpreter does.
  struct Halves {
    Value *odd, *even;
  };

  // One term at j rows from a and k - j from b, given in numbers.
  Value* term(const Sum& sum, Value* from_a, Value* from_b, Value* weight, Value* to, int width) {
    Value *x = read(after(sum.a, from_a), width), *y = read(after(sum.b, from_b), width);
    if (sum.is_weighted) x = b_.CreateFMul(arithmetic_.splat(weight, width), x);
    return b_.CreateIntrinsic(x->getType(), llvm::Intrinsic::fma, {x, y, to});
  }

  // Terms j = 1, 2, ... below `end`, in pairs, then one that may be left.
  void add_terms(std::vector<Sum>& all, const Order& k, Value* end, std::optional<int> known_end, int width,
                 const std::function<void(Sum&, Halves)>& finish) {
    for (std::size_t first = 0; first < all.size(); first += kSumsInALoop) {
      const std::span sums(all.begin() + static_cast<std::ptrdiff_t>(first),
                           std::min(kSumsInALoop, all.size() - first));
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
                *down = phi(b_.getInt64Ty(), from_last),
                *weight = is_weighted ? phi(b_.getDoubleTy(), real(1)) : nullptr;
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
        Value *at = merge(number(1), next), *last_up = merge(rows(1), next_up),
              *last_down = merge(from_last, next_down), *last_weight = weight ? merge(real(1), next_weight) : nullptr;
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

  void add_up(std::vector<Sum>& sums, const Order& k, int width) {
    add_terms(sums, k, k.value, k.known, width,
              [&](Sum& sum, Halves halves) { sum.result = b_.CreateFAdd(halves.even, halves.odd); });
  }

  void add_up_squares(std::vector<Sum>& sums, const Order& k, int width) {
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

  // Coefficient k > 0, from S.
  void go_on(const JetPlan& plan, Instance& instance, const Order& k, bool again, int width,
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

  llvm::Module& module_;
  const SeriesPlan& plan_;
  const std::string name_;
  llvm::IRBuilder<> b_;
  LlvmArithmetic arithmetic_;
  llvm::Function* function_ = nullptr;
  Value* table_ = nullptr;
  std::map<int, Value*> words_;
  std::map<std::pair<int, Value*>, Value*> rows_;
  std::map<Cell, Value*> cells_;
  std::vector<std::tuple<Value*, int, Order>> orders_;
  std::vector<std::pair<Value*, std::vector<Instance>>> written_;  // of each kernel, and at which order
  std::map<std::pair<std::size_t, int>, llvm::Function*> loops_;
};

}  // namespace

llvm::Function* emit_series(llvm::Module& module, const SeriesPlan& plan, const std::string& name) {
  return SeriesEmitter(module, plan, name).emit();
}

}  // namespace cotangent
