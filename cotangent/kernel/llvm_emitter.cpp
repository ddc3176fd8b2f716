#include "cotangent/kernel/llvm_emitter.hpp"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/MDBuilder.h>

#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "cotangent/base/check.hpp"
#include "cotangent/kernel/functions.hpp"

namespace cotangent {
namespace {

using Code = Program::Code;
using Kind = IndexMap::Kind;
using Mode = KernelSpec::Mode;
using llvm::BasicBlock;
using llvm::PHINode;
using llvm::Type;
using llvm::Value;

constexpr int kPartials = KernelSpec::kPartialSums;

// How many native vectors of a Lanes value are computed side by side: one needs the fewest registers, and the
// CPU overlaps the iterations by itself.
constexpr int kVectorsAtOnce = 1;

// The arithmetic of one kernel: LLVM instructions for values that are numbers or vectors of numbers.
class Arithmetic {
 public:
  explicit Arithmetic(llvm::IRBuilder<>& builder) : b(builder) {}

  Type* vector_type(Type* element, int n) const {
    return n == 1 ? element : llvm::FixedVectorType::get(element, static_cast<unsigned>(n));
  }
  static int width(Type* type) {
    const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
    return vector ? static_cast<int>(vector->getNumElements()) : 1;
  }

  /// x in every lane, unless it is a vector already.
  Value* splat(Value* x, int n) {
    if (n == width(x->getType())) return x;
    return b.CreateVectorSplat(static_cast<unsigned>(n), x);
  }

  Value* constant(Type* type, double x) { return llvm::ConstantFP::get(type, x); }

  Value* extract(Value* x, int lane) { return b.CreateExtractElement(x, static_cast<std::uint64_t>(lane)); }

  Value* fma(Value* x, Value* y, Value* z) {
    if (has_native_fma()) return b.CreateIntrinsic(x->getType(), llvm::Intrinsic::fma, {x, y, z});
    double (*const f)(double, double, double) = std::fma;
    const int n = width(x->getType());
    if (n == 1) return call(reinterpret_cast<const void*>(f), x->getType(), {x, y, z});
    Value* result = llvm::PoisonValue::get(x->getType());
    for (int l = 0; l < n; ++l) {
      Value* r = call(reinterpret_cast<const void*>(f), b.getDoubleTy(), {extract(x, l), extract(y, l), extract(z, l)});
      result = b.CreateInsertElement(result, r, static_cast<std::uint64_t>(l));
    }
    return result;
  }

  Value* max_or_nan(Value* x, Value* y) {
    Value* larger = b.CreateSelect(b.CreateFCmpOLT(x, y), y, x);  // one instruction
    return b.CreateSelect(b.CreateFCmpUNO(y, y), y, larger);
  }

  /// The elementary function, native vector by native vector.
  Value* function(Function f, const std::vector<Value*>& args) {
    const int n = width(args[0]->getType()), native = native_width();
    if (n == 1 || n == native) return call(address(f, n), args[0]->getType(), args);
    COTANGENT_CHECK(n % native == 0);
    Value* result = llvm::PoisonValue::get(args[0]->getType());
    for (int first = 0; first < n; first += native) {
      std::vector<Value*> parts;
      for (Value* a : args)
        parts.push_back(b.CreateExtractVector(vector_type(b.getDoubleTy(), native), a, b.getInt64(first)));
      result = b.CreateInsertVector(result->getType(), result, call(address(f, native), parts[0]->getType(), parts),
                                    b.getInt64(first));
    }
    return result;
  }

  llvm::IRBuilder<>& b;

 private:
  Value* call(const void* code, Type* type, const std::vector<Value*>& args) {
    auto* signature = llvm::FunctionType::get(type, std::vector<Type*>(args.size(), type), false);
    Value* pointer = llvm::ConstantExpr::getIntToPtr(b.getInt64(reinterpret_cast<std::uint64_t>(code)), b.getPtrTy());
    auto* result = b.CreateCall(signature, pointer, args);
    result->setDoesNotThrow();
    result->setDoesNotAccessMemory();
    result->addFnAttr(llvm::Attribute::WillReturn);
    return result;
  }
};

class KernelEmitter {
 public:
  KernelEmitter(llvm::Module& module, const KernelPlan& plan, int lanes, const std::string& name)
      : plan_(plan), b_(module.getContext()), arithmetic_(b_), lanes_(lanes) {
    Type* pointer = b_.getPtrTy();
    auto* type = llvm::FunctionType::get(b_.getVoidTy(), {pointer, pointer, pointer}, false);
    function_ = llvm::Function::Create(type, llvm::Function::ExternalLinkage, name, module);
    function_->setDoesNotThrow();
    function_->addFnAttr("prefer-vector-width", std::to_string(64 * native_width()));
    function_->addFnAttr("min-legal-vector-width", std::to_string(64 * native_width()));
    for (unsigned k = 0; k < 3; ++k) {
      function_->getArg(k)->addAttr(llvm::Attribute::NoAlias);
      function_->getArg(k)->addAttr(llvm::Attribute::ReadOnly);
    }
    function_->getArg(0)->setName("context");
    function_->getArg(1)->setName("in");
    function_->getArg(2)->setName("out");
  }

  llvm::Function* emit() {
    b_.SetInsertPoint(new_block("entry"));
    if (lanes_ == 1) {
      emit_stages();
    } else {
      // Lanes do not see each other: take a few through the whole kernel, then the next.
      chunk_ = plan_.repeat ? repeat_width(lanes_) : kVectorsAtOnce * native_width();
      COTANGENT_CHECK(lanes_ % chunk_ == 0);
      counted_loop(b_.getInt64(lanes_), chunk_, [&](Value* lane) {
        lane_ = lane;
        emit_stages();
      });
    }
    b_.CreateRetVoid();
    return function_;
  }

 private:
  // One load, counter or store. Affine: base is the place of instance 0. List: base is the vector.
  struct Place {
    Kind kind;
    Value* base;
    Value* offset;  // of a counter
    Value* stride;  // between instances, in units of T
    Value* list;
  };

  // The instances k, k+1, ... that one vector holds; k alone outside of SIMD shape.
  struct Block {
    Value* k;
    Value* mask = nullptr;   // which of them exist, if not all
    Value* count = nullptr;  // how many do, in a masked block
    Value* last = nullptr;   // the last instance there is, in a masked block
  };

  // --- Control flow.

  BasicBlock* new_block(const char* name) { return BasicBlock::Create(b_.getContext(), name, function_); }

  /// for (i = 0; i < end; i += step) body(i), at least once.
  void counted_loop(Value* end, int step, const std::function<void(Value*)>& body) {
    BasicBlock* before = b_.GetInsertBlock();
    BasicBlock* loop = new_block("loop");
    b_.CreateBr(loop);
    b_.SetInsertPoint(loop);
    PHINode* i = b_.CreatePHI(b_.getInt64Ty(), 2);
    i->addIncoming(b_.getInt64(0), before);
    body(i);
    Value* next = b_.CreateAdd(i, b_.getInt64(step), "", true, true);
    i->addIncoming(next, b_.GetInsertBlock());
    BasicBlock* done = new_block("done");
    b_.CreateCondBr(b_.CreateICmpSLT(next, end), loop, done);
    b_.SetInsertPoint(done);
  }

  // --- Memory.

  llvm::LoadInst* invariant_load(Type* type, Value* pointer, std::uint64_t alignment) {
    auto* load = b_.CreateAlignedLoad(type, pointer, llvm::Align(alignment));
    mark_invariant(load);
    return load;
  }

  // Nothing that the kernel does changes what is loaded.
  void mark_invariant(llvm::LoadInst* load) {
    load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(b_.getContext(), {}));
  }

  llvm::Align element_alignment() const {
    return llvm::Align(static_cast<std::uint64_t>(8 * (lanes_ == 1 ? 1 : native_width())));
  }

  Value* element(Value* base, Value* index) {  // base + index values of T
    if (lanes_ != 1) index = b_.CreateNSWMul(index, b_.getInt64(lanes_));
    return b_.CreateInBoundsGEP(b_.getDoubleTy(), base, index);
  }

  Value* vector(bool output, int v) {
    Value*& pointer = vectors_[{output, v}];
    if (pointer) return pointer;
    Value* table = function_->getArg(output ? 2 : 1);
    pointer =
        invariant_load(b_.getPtrTy(), b_.CreateConstInBoundsGEP1_64(b_.getPtrTy(), table, static_cast<unsigned>(v)), 8);
    if (lanes_ != 1) pointer = b_.CreateInBoundsGEP(b_.getDoubleTy(), pointer, lane_);
    return pointer;
  }

  Value* word(std::size_t n, Type* type) {
    return invariant_load(type, b_.CreateConstInBoundsGEP1_64(b_.getInt64Ty(), table_, n), 8);
  }

  // Reads the next two words of the table, or takes the index from the plan.
  Place place(const IndexMap& at, Value* base) {
    Place p{at.kind(), base, nullptr, nullptr, nullptr};
    const std::size_t n = std::exchange(next_word_, next_word_ + 2);
    if (p.kind == Kind::list) {
      p.list = word(n, b_.getPtrTy());
      return p;
    }
    p.offset = plan_.count == 1 ? b_.getInt64(static_cast<std::uint64_t>(at.offset())) : word(n, b_.getInt64Ty());
    if (base) p.base = element(base, p.offset);
    if (p.kind == Kind::strided) p.stride = word(n + 1, b_.getInt64Ty());
    return p;
  }

  Value* listed(const Place& p, Value* k) {
    Value* entry = b_.CreateInBoundsGEP(b_.getInt32Ty(), p.list, k);
    return b_.CreateSExt(invariant_load(b_.getInt32Ty(), entry, 4), b_.getInt64Ty());
  }

  Value* address_of(const Place& p, Value* k) {
    switch (p.kind) {
      case Kind::fixed:
        return p.base;
      case Kind::unit:
        return element(p.base, k);
      case Kind::strided:
        return element(p.base, b_.CreateNSWMul(k, p.stride));
      case Kind::list:
        return element(p.base, listed(p, k));
    }
    check_failed("the kind is known");
  }

  // The instance in lane l of a block; lanes without an instance repeat the last one.
  Value* instance(const Block& block, int l) {
    Value* k = b_.CreateNSWAdd(block.k, b_.getInt64(l));
    return block.mask ? b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, k, block.last) : k;
  }

  // --- Leaves: a number (or a chunk of lanes) where all instances have the same or there is one, else a
  // vector.

  Type* uniform_type() { return arithmetic_.vector_type(b_.getDoubleTy(), chunk_); }

  Value* load(const Place& p, const Block& block, bool invariant) {
    const auto read = [&](Type* type, Value* pointer, std::uint64_t alignment) {
      auto* load = b_.CreateAlignedLoad(type, pointer, llvm::Align(alignment));
      if (invariant) mark_invariant(load);
      return load;
    };
    if (!simd_ || p.kind == Kind::fixed)
      return read(uniform_type(), address_of(p, block.k), element_alignment().value());

    Type* type = arithmetic_.vector_type(b_.getDoubleTy(), width_);
    if (p.kind == Kind::unit) {
      Value* pointer = address_of(p, block.k);
      if (!block.mask) return read(type, pointer, 8);
      return b_.CreateMaskedLoad(type, pointer, llvm::Align(8), block.mask, llvm::Constant::getNullValue(type));
    }
    Value* x = llvm::PoisonValue::get(type);
    for (int l = 0; l < width_; ++l) {
      Value* one = read(b_.getDoubleTy(), address_of(p, instance(block, l)), 8);
      x = b_.CreateInsertElement(x, one, static_cast<std::uint64_t>(l));
    }
    return x;
  }

  Value* counter(const Place& p, const Block& block) {
    if (simd_ && p.kind == Kind::list) {
      Type* type = arithmetic_.vector_type(b_.getInt32Ty(), width_);
      Value* pointer = b_.CreateInBoundsGEP(b_.getInt32Ty(), p.list, block.k);
      Value* i = block.mask ? b_.CreateMaskedLoad(type, pointer, llvm::Align(4), block.mask,
                                                  llvm::Constant::getNullValue(type))
                            : static_cast<Value*>(invariant_load(type, pointer, 4));
      return b_.CreateSIToFP(i, arithmetic_.vector_type(b_.getDoubleTy(), width_));
    }
    Value* i = nullptr;
    switch (p.kind) {
      case Kind::fixed:
        i = p.offset;
        break;
      case Kind::unit:
        i = b_.CreateNSWAdd(p.offset, block.k);
        break;
      case Kind::strided:
        i = b_.CreateNSWAdd(p.offset, b_.CreateNSWMul(block.k, p.stride));
        break;
      case Kind::list:
        i = listed(p, block.k);
        break;
    }
    Value* first = arithmetic_.splat(b_.CreateSIToFP(i, b_.getDoubleTy()), chunk_);
    if (!simd_ || p.kind == Kind::fixed) return first;

    // i + stride (0, 1, 2, ...): integers far below 2^53, so nothing is rounded.
    std::vector<double> steps;
    for (int l = 0; l < width_; ++l) steps.push_back(l);
    Value* step = llvm::ConstantDataVector::get(b_.getContext(), steps);
    if (p.stride) step = b_.CreateFMul(step, arithmetic_.splat(b_.CreateSIToFP(p.stride, b_.getDoubleTy()), width_));
    return b_.CreateFAdd(arithmetic_.splat(first, width_), step);
  }

  // --- Instructions.

  bool is_uniform_leaf(const KernelPlan::Stage& stage, const Program::Instruction& i) const {
    if (i.code == Code::load && plan_.repeat) return plan_.repeat->fed_by[i.index] == KernelPlan::Repeat::kNone;
    if (i.code == Code::load) return stage.loads[i.index].at.kind() == Kind::fixed;
    if (i.code == Code::counter) return stage.counters[i.index].kind() == Kind::fixed;
    return true;
  }

  Value* instruction(const Program::Instruction& i, std::vector<Value*> x, const std::vector<Value*>& truths) {
    const auto truth_value = [&](Value* m) {
      Type* type = arithmetic_.vector_type(b_.getDoubleTy(), Arithmetic::width(m->getType()));
      return b_.CreateSelect(m, arithmetic_.constant(type, 1), arithmetic_.constant(type, 0));
    };
    switch (i.code) {
      case Code::add:
        return b_.CreateFAdd(x[0], x[1]);
      case Code::sub:
        return b_.CreateFSub(x[0], x[1]);
      case Code::mul:
        return b_.CreateFMul(x[0], x[1]);
      case Code::div:
        return b_.CreateFDiv(x[0], x[1]);
      case Code::neg:
        return b_.CreateFNeg(x[0]);
      case Code::fma:
        return arithmetic_.fma(x[0], x[1], x[2]);
      case Code::fms:
        return arithmetic_.fma(x[0], x[1], b_.CreateFNeg(x[2]));
      case Code::fnma:
        return arithmetic_.fma(b_.CreateFNeg(x[0]), x[1], x[2]);
      case Code::sqrt:
        return b_.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, x[0]);
      case Code::abs:
        return b_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x[0]);
      case Code::sign: {
        Value* zero = arithmetic_.constant(x[0]->getType(), 0);
        Value* minus = b_.CreateSelect(b_.CreateFCmpOLT(x[0], zero), arithmetic_.constant(x[0]->getType(), -1), zero);
        return b_.CreateSelect(b_.CreateFCmpOGT(x[0], zero), arithmetic_.constant(x[0]->getType(), 1), minus);
      }
      case Code::min:
        return b_.CreateSelect(b_.CreateFCmpOLT(x[1], x[0]), x[1], x[0]);
      case Code::max:
        return b_.CreateSelect(b_.CreateFCmpOLT(x[0], x[1]), x[1], x[0]);
      case Code::lt:
      case Code::le:
      case Code::eq:
      case Code::ne:
        return truth_value(comparison(i.code, x));
      case Code::select: {
        Value* m = truths[0] ? truths[0] : b_.CreateFCmpUNE(x[0], arithmetic_.constant(x[0]->getType(), 0));
        return b_.CreateSelect(m, x[1], x[2]);
      }
      case Code::call:
        return arithmetic_.function(i.function, x);
      case Code::load:
      case Code::counter:
      case Code::constant:
        break;
    }
    check_failed("the instruction is an operation");
  }

  Value* comparison(Code code, const std::vector<Value*>& x) {
    switch (code) {
      case Code::lt:
        return b_.CreateFCmpOLT(x[0], x[1]);
      case Code::le:
        return b_.CreateFCmpOLE(x[0], x[1]);
      case Code::eq:
        return b_.CreateFCmpOEQ(x[0], x[1]);
      default:
        return b_.CreateFCmpUNE(x[0], x[1]);
    }
  }

  static bool is_comparison(Code code) { return code >= Code::lt && code <= Code::ne; }

  // The values of a stage's program for a block of instances. What is the same for all of them is in `known`.
  struct Values {
    std::vector<Value*> number;
    std::vector<Value*> truth;  // of comparisons: the bit itself
  };

  struct Places {
    std::vector<Place> loads, counters, stores;
  };

  // Computes what `values` lacks; with `uniform_only`, only what is the same for all instances or passes.
  void compute(const KernelPlan::Stage& stage, const Places& places, const Block& block, bool uniform_only,
               Values& values) {
    const auto& code = stage.program.instructions();
    values.number.resize(code.size());
    values.truth.resize(code.size());
    for (std::size_t v = 0; v < code.size(); ++v) {
      const auto& i = code[v];
      if (values.number[v]) continue;
      bool uniform = (stage.count == 1 && !plan_.repeat) || is_uniform_leaf(stage, i);
      for (const auto a : i.arguments()) uniform = uniform && values.number[a];
      if (uniform_only && !uniform) continue;

      if (i.code == Code::load) {
        values.number[v] = load(places.loads[i.index], block, !plan_.repeat);
      } else if (i.code == Code::counter) {
        values.number[v] = counter(places.counters[i.index], block);
      } else if (i.code == Code::constant) {
        values.number[v] =
            arithmetic_.constant(uniform_type(), static_cast<double>(stage.program.constants()[i.index]));
      } else {
        // Arguments of one width.
        int n = 1;
        for (const auto a : i.arguments()) n = std::max(n, Arithmetic::width(values.number[a]->getType()));
        std::vector<Value*> x, truths;
        for (const auto a : i.arguments()) {
          x.push_back(arithmetic_.splat(values.number[a], n));
          truths.push_back(values.truth[a] ? arithmetic_.splat(values.truth[a], n) : nullptr);
        }
        if (is_comparison(i.code)) values.truth[v] = comparison(i.code, x);
        if (i.code == Code::mul && truths[0] && truths[1]) values.truth[v] = b_.CreateAnd(truths[0], truths[1]);
        values.number[v] = instruction(i, x, truths);
      }
    }
  }

  // Splats what is uniform and used by something that is not, outside of the loop.
  void widen(const KernelPlan::Stage& stage, Values& values) {
    const auto& code = stage.program.instructions();
    std::vector<bool> wanted(code.size());
    for (std::size_t v = 0; v < code.size(); ++v)
      if (!values.number[v])
        for (const auto a : code[v].arguments()) wanted[a] = true;
    for (const auto& o : stage.program.outputs()) wanted[o.value] = true;
    for (std::size_t v = 0; v < code.size(); ++v) {
      if (!values.number[v] || !wanted[v]) continue;
      values.number[v] = arithmetic_.splat(values.number[v], width_);
      if (values.truth[v]) values.truth[v] = arithmetic_.splat(values.truth[v], width_);
    }
  }

  // --- Stores.

  // old = old (mode) y, or old - y for a negative output.
  Value* combine(Mode mode, bool negative, Value* old, Value* y) {
    if (mode == Mode::max) return arithmetic_.max_or_nan(old, y);
    return negative ? b_.CreateFSub(old, y) : b_.CreateFAdd(old, y);
  }

  Value* neutral(Mode mode, Type* type) {
    return arithmetic_.constant(type, mode == Mode::add ? -0.0 : -std::numeric_limits<double>::infinity());
  }

  void update(Mode mode, bool negative, Value* pointer, Value* y, llvm::Align alignment) {
    if (mode != Mode::assign) y = combine(mode, negative, b_.CreateAlignedLoad(y->getType(), pointer, alignment), y);
    b_.CreateAlignedStore(y, pointer, alignment);
  }

  // write(k, y) for the lanes of a block that exist, one by one.
  void for_each_instance(const Block& block, Value* y, const std::function<void(Value* k, Value* y)>& write) {
    if (!block.mask) {
      for (int l = 0; l < width_; ++l) write(instance(block, l), arithmetic_.extract(y, l));
      return;
    }
    BasicBlock* some = new_block("some");
    BasicBlock* after = new_block("after");
    b_.CreateCondBr(b_.CreateICmpSGT(block.count, b_.getInt64(0)), some, after);
    b_.SetInsertPoint(some);
    counted_loop(block.count, 1, [&](Value* l) { write(b_.CreateNSWAdd(block.k, l), b_.CreateExtractElement(y, l)); });
    b_.CreateBr(after);
    b_.SetInsertPoint(after);
  }

  // x[at(k)] = y.
  void store(const Place& p, const Block& block, Value* y) {
    if (!simd_) {
      b_.CreateAlignedStore(y, address_of(p, block.k), element_alignment());
    } else if (p.kind == Kind::unit && block.mask) {
      b_.CreateMaskedStore(y, address_of(p, block.k), llvm::Align(8), block.mask);
    } else if (p.kind == Kind::unit) {
      b_.CreateAlignedStore(y, address_of(p, block.k), llvm::Align(8));
    } else {
      for_each_instance(block, y,
                        [&](Value* k, Value* one) { b_.CreateAlignedStore(one, address_of(p, k), llvm::Align(8)); });
    }
  }

  static bool is_reduction(const KernelPlan::Stage& stage, std::size_t s) {
    return stage.count > 1 && stage.stores[s].at.kind() == Kind::fixed;
  }

  // Pairwise: ((0+1)+(2+3))+((4+5)+(6+7)), whether the partial results are numbers or lanes.
  Value* combine_partials(Mode mode, std::vector<Value*> parts) {
    const bool lanes_are_partials = simd_;
    while (parts.size() > 1) {
      std::vector<Value*> half;
      for (std::size_t j = 0; j < parts.size(); j += 2) {
        Value *even = parts[j], *odd = parts[j + 1];
        if (lanes_are_partials) {
          std::vector<int> even_lanes, odd_lanes;
          for (int l = 0; l < width_; ++l) even_lanes.push_back(2 * l), odd_lanes.push_back(2 * l + 1);
          even = b_.CreateShuffleVector(parts[j], parts[j + 1], even_lanes);
          odd = b_.CreateShuffleVector(parts[j], parts[j + 1], odd_lanes);
        }
        half.push_back(combine(mode, false, even, odd));
      }
      parts = half;
    }
    if (!lanes_are_partials) return parts[0];
    Value* x = parts[0];
    for (int n = width_; n > 1; n /= 2) {
      std::vector<int> even_lanes, odd_lanes;
      for (int l = 0; l < n; l += 2) even_lanes.push_back(l), odd_lanes.push_back(l + 1);
      x = combine(mode, false, b_.CreateShuffleVector(x, even_lanes), b_.CreateShuffleVector(x, odd_lanes));
    }
    return arithmetic_.extract(x, 0);
  }

  // --- Shapes.

  void emit_stages() {
    table_ = plan_.count == 1 ? nullptr : invariant_load(b_.getPtrTy(), function_->getArg(0), 8);
    next_word_ = 0;
    if (plan_.repeat) return emit_passes();
    for (const auto& stage : plan_.stages) emit_stage(stage);
  }

  void emit_stage(const KernelPlan::Stage& stage) {
    const std::size_t count_word = next_word_++;
    vectors_.clear();
    Places places;
    for (const auto& l : stage.loads) places.loads.push_back(place(l.at, vector(false, l.vector)));
    for (const auto& at : stage.counters) places.counters.push_back(place(at, nullptr));
    for (const auto& s : stage.stores) places.stores.push_back(place(s.at, vector(true, s.vector)));

    simd_ = lanes_ == 1 && stage.count > 1 && plan_.has_many_instances();
    width_ = simd_ ? native_width() : chunk_;
    Values values;
    compute(stage, places, {b_.getInt64(0)}, true, values);
    if (stage.count == 1) {
      emit_stores(stage, places, {b_.getInt64(0)}, values, nullptr);
      return;
    }
    Value* count = word(count_word, b_.getInt64Ty());
    if (simd_) {
      emit_vector_loop(stage, places, values, count);
    } else {
      emit_loop(stage, places, values, count);
    }
  }

  using Reduce = std::function<void(std::size_t s, Value* y)>;

  void emit_stores(const KernelPlan::Stage& stage, const Places& places, const Block& block, const Values& values,
                   const Reduce& reduce) {
    std::map<std::size_t, Value*> updated;  // what several stores to one place have made of it so far
    for (std::size_t s = 0; s < stage.stores.size(); ++s) {
      const auto& [value, negative] = stage.program.outputs()[s];
      const auto mode = stage.stores[s].mode;
      const Place& p = places.stores[s];
      Value* y = values.number[value];
      if (is_reduction(stage, s)) {
        reduce(s, y);
      } else if (p.kind == Kind::list && simd_) {  // may name a place twice
        for_each_instance(block, y,
                          [&](Value* k, Value* one) { update(mode, negative, address_of(p, k), one, llvm::Align(8)); });
      } else {
        const std::size_t place = stage.first_to_same_place(s);
        const auto known = updated.find(place);
        if (mode != Mode::assign)
          y = combine(mode, negative, known != updated.end() ? known->second : load(p, block, false), y);
        updated[place] = y;
        if (is_last_to_its_place(stage, s)) store(p, block, y);
      }
    }
  }

  static bool is_last_to_its_place(const KernelPlan::Stage& stage, std::size_t s) {
    for (std::size_t later = s + 1; later < stage.stores.size(); ++later)
      if (stage.first_to_same_place(later) == stage.first_to_same_place(s)) return false;
    return true;
  }

  void finish_reduction(const KernelPlan::Stage& stage, const Places& places, std::size_t s,
                        std::vector<Value*> partials) {
    Value* total = combine_partials(stage.stores[s].mode, std::move(partials));
    update(stage.stores[s].mode, false, places.stores[s].base, total, element_alignment());
  }

  /// One instance after the other; partial results in memory, at k mod kPartials.
  void emit_loop(const KernelPlan::Stage& stage, const Places& places, const Values& uniform, Value* count) {
    std::map<std::size_t, Value*> partials;
    for (std::size_t s = 0; s < stage.stores.size(); ++s) {
      if (!is_reduction(stage, s)) continue;
      auto& entry = function_->getEntryBlock();
      llvm::IRBuilder<> at_entry(&entry, entry.begin());
      partials[s] = at_entry.CreateAlloca(uniform_type(), b_.getInt32(kPartials));
      for (int j = 0; j < kPartials; ++j)
        b_.CreateStore(neutral(stage.stores[s].mode, uniform_type()),
                       b_.CreateConstInBoundsGEP1_64(uniform_type(), partials[s], static_cast<unsigned>(j)));
    }
    counted_loop(count, 1, [&](Value* k) {
      Values values = uniform;
      compute(stage, places, {k}, false, values);
      emit_stores(stage, places, {k}, values, [&](std::size_t s, Value* y) {
        Value* j = b_.CreateAnd(k, b_.getInt64(kPartials - 1));
        update(stage.stores[s].mode, stage.program.outputs()[s].negative,
               b_.CreateInBoundsGEP(uniform_type(), partials[s], j), y, element_alignment());
      });
    });
    for (const auto& [s, memory] : partials) {
      std::vector<Value*> parts;
      for (int j = 0; j < kPartials; ++j)
        parts.push_back(b_.CreateLoad(uniform_type(),
                                      b_.CreateConstInBoundsGEP1_64(uniform_type(), memory, static_cast<unsigned>(j))));
      finish_reduction(stage, places, s, parts);
    }
  }

  /// Vectors of instances, as many per iteration as make up the partial results; then the rest, masked.
  void emit_vector_loop(const KernelPlan::Stage& stage, const Places& places, Values uniform, Value* count) {
    widen(stage, uniform);
    Type* type = arithmetic_.vector_type(b_.getDoubleTy(), width_);

    // partials[s] are the vectors of store s, as they flow through the blocks.
    std::map<std::size_t, std::vector<Value*>> partials;
    for (std::size_t s = 0; s < stage.stores.size(); ++s)
      if (is_reduction(stage, s))
        partials[s].assign(static_cast<std::size_t>(kPartials / width_), neutral(stage.stores[s].mode, type));
    const int vectors = partials.empty() ? 1 : kPartials / width_;
    const int step = vectors * width_;
    Value* full = b_.CreateAnd(count, b_.getInt64(static_cast<std::uint64_t>(-step)));

    const auto phis = [&](std::map<std::size_t, std::vector<Value*>>& current) {
      std::vector<PHINode*> made;
      for (auto& [s, parts] : current)
        for (Value*& part : parts) {
          PHINode* phi = b_.CreatePHI(type, 2);
          made.push_back(phi);
          part = phi;
        }
      return made;
    };
    const auto connect = [&](const std::vector<PHINode*>& nodes,
                             const std::map<std::size_t, std::vector<Value*>>& values, BasicBlock* from) {
      std::size_t n = 0;
      for (const auto& [s, parts] : values)
        for (Value* part : parts) nodes[n++]->addIncoming(part, from);
    };
    const auto emit_block = [&](const Block& block, int v) {
      Values values = uniform;
      compute(stage, places, block, false, values);
      emit_stores(stage, places, block, values, [&](std::size_t s, Value* y) {
        const auto mode = stage.stores[s].mode;
        Value*& part = partials.at(s)[static_cast<std::size_t>(v)];
        Value* next = combine(mode, stage.program.outputs()[s].negative, part, y);
        part = block.mask ? b_.CreateSelect(block.mask, next, part) : next;
      });
    };

    // Full blocks.
    BasicBlock* before = b_.GetInsertBlock();
    BasicBlock* loop = new_block("vectors");
    BasicBlock* rest = new_block("rest");
    const auto initial = partials;
    b_.CreateCondBr(b_.CreateICmpSGT(full, b_.getInt64(0)), loop, rest);
    b_.SetInsertPoint(loop);
    PHINode* k = b_.CreatePHI(b_.getInt64Ty(), 2);
    k->addIncoming(b_.getInt64(0), before);
    const auto loop_phis = phis(partials);
    connect(loop_phis, initial, before);
    for (int v = 0; v < vectors; ++v) emit_block({b_.CreateNSWAdd(k, b_.getInt64(v * width_))}, v);
    Value* next = b_.CreateAdd(k, b_.getInt64(step), "", true, true);
    BasicBlock* loop_end = b_.GetInsertBlock();
    k->addIncoming(next, loop_end);
    connect(loop_phis, partials, loop_end);
    b_.CreateCondBr(b_.CreateICmpSLT(next, full), loop, rest);

    // The rest.
    const auto after_loop = partials;
    b_.SetInsertPoint(rest);
    const auto rest_phis = phis(partials);
    connect(rest_phis, initial, before);
    connect(rest_phis, after_loop, loop_end);
    const auto before_rest = partials;
    BasicBlock* masked = new_block("masked");
    BasicBlock* done = new_block("stage_done");
    Value* left = b_.CreateNSWSub(count, full);
    b_.CreateCondBr(b_.CreateICmpSGT(left, b_.getInt64(0)), masked, done);
    b_.SetInsertPoint(masked);
    for (int v = 0; v < vectors; ++v) {
      std::vector<std::uint64_t> numbers;
      for (int l = 0; l < width_; ++l) numbers.push_back(static_cast<std::uint64_t>(l));
      Value* here = b_.CreateNSWSub(left, b_.getInt64(v * width_));
      Value* mask =
          b_.CreateICmpSLT(llvm::ConstantDataVector::get(b_.getContext(), numbers), arithmetic_.splat(here, width_));
      Value* in_vector = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, here, b_.getInt64(width_));
      emit_block({.k = b_.CreateNSWAdd(full, b_.getInt64(v * width_)),
                  .mask = mask,
                  .count = in_vector,
                  .last = b_.CreateNSWSub(count, b_.getInt64(1))},
                 v);
    }
    const auto after_rest = partials;
    BasicBlock* masked_end = b_.GetInsertBlock();
    b_.CreateBr(done);

    b_.SetInsertPoint(done);
    const auto done_phis = phis(partials);
    connect(done_phis, before_rest, rest);
    connect(done_phis, after_rest, masked_end);
    for (const auto& [s, parts] : partials) finish_reduction(stage, places, s, parts);
  }

  // --- Repetition.

  /// A pass that does not count must change nothing, but that is known only at its end. Keeping the state of
  /// the pass before would take twice the registers; instead it is kept in memory every kRound passes, and
  /// after a failure the passes since then that do count are made again.
  static constexpr int kRound = 32;

  // A value that goes from pass to pass: a load that is fed, or what a place accumulates.
  struct State {
    std::size_t place;  // the first store to the place from which it comes
    Value* kept;        // memory
    PHINode* now = nullptr;
  };

  struct Repeated {
    Places places;
    Values known;                           // what is the same in all passes
    std::map<Program::Value, State> loads;  // by instruction
    std::vector<State> accumulators;        // places whose first store has mode max
    std::map<std::size_t, Value*> results;  // memory for each place
    std::map<std::size_t, Value*> after;    // each place after a pass

    std::vector<State*> states() {
      std::vector<State*> all;
      for (auto& [v, state] : loads) all.push_back(&state);
      for (auto& state : accumulators) all.push_back(&state);
      return all;
    }
  };

  /// The passes of the lanes lane_, lane_ + 1, ... that go together.
  void emit_passes() {
    const auto& stage = plan_.stages.front();
    Repeated r = begin_passes(stage);
    Value* wanted = b_.CreateIntrinsic(
        llvm::Intrinsic::fptosi_sat, {b_.getInt64Ty(), b_.getDoubleTy()},
        {b_.CreateAlignedLoad(b_.getDoubleTy(), vector(false, plan_.repeat->passes), llvm::Align(8))});
    BasicBlock *before = b_.GetInsertBlock(), *round = new_block("round"), *start = new_block("start"),
               *pass = new_block("pass"), *counted = new_block("counted"), *keep = new_block("keep"),
               *failed = new_block("failed"), *finish = new_block("finish"), *write = new_block("write"),
               *finished = new_block("finished");
    b_.CreateBr(round);

    // Rounds, until as many passes are made as are wanted, or can be.
    b_.SetInsertPoint(round);
    PHINode *made = b_.CreatePHI(b_.getInt64Ty(), 3), *limit = b_.CreatePHI(b_.getInt64Ty(), 3);
    made->addIncoming(b_.getInt64(0), before);
    limit->addIncoming(wanted, before);
    Value* left = b_.CreateNSWSub(limit, made);
    Value* end = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, left, b_.getInt64(kRound));
    b_.CreateCondBr(b_.CreateICmpSGT(left, b_.getInt64(0)), start, finish);

    b_.SetInsertPoint(start);
    std::vector<Value*> initial;
    for (const State* state : r.states()) initial.push_back(read(state->kept));
    b_.CreateBr(pass);

    // One pass; whether it counts is known at its end.
    b_.SetInsertPoint(pass);
    PHINode* j = b_.CreatePHI(b_.getInt64Ty(), 2);
    j->addIncoming(b_.getInt64(0), start);
    for (std::size_t n = 0; State * state : r.states()) {
      state->now = b_.CreatePHI(uniform_type(), 2);
      state->now->addIncoming(initial[n++], start);
    }
    Value* counts = emit_pass(stage, r);
    llvm::MDBuilder metadata(b_.getContext());
    b_.CreateCondBr(counts, counted, failed, metadata.createLikelyBranchWeights());

    b_.SetInsertPoint(counted);
    Value* next = b_.CreateAdd(j, b_.getInt64(1), "", true, true);
    b_.CreateCondBr(b_.CreateICmpSLT(next, end), pass, keep, metadata.createBranchWeights(kRound, 1));
    j->addIncoming(next, counted);
    for (State* state : r.states()) state->now->addIncoming(r.after.at(state->place), counted);

    b_.SetInsertPoint(keep);
    for (const State* state : r.states()) write_to(state->kept, r.after.at(state->place));
    for (const auto& [p, memory] : r.results) write_to(memory, r.after.at(p));
    made->addIncoming(b_.CreateNSWAdd(made, end), keep);
    limit->addIncoming(limit, keep);
    b_.CreateBr(round);

    b_.SetInsertPoint(failed);
    made->addIncoming(made, failed);
    limit->addIncoming(b_.CreateNSWAdd(made, j), failed);
    b_.CreateBr(round);

    // What the passes have left.
    b_.SetInsertPoint(finish);
    b_.CreateCondBr(b_.CreateICmpSGT(made, b_.getInt64(0)), write, finished);
    b_.SetInsertPoint(write);
    for (const auto& [p, memory] : r.results) store(r.places.stores[p], {b_.getInt64(0)}, read(memory));
    b_.CreateBr(finished);
    b_.SetInsertPoint(finished);
    write_to(vector(true, plan_.repeat->done), arithmetic_.splat(b_.CreateSIToFP(made, b_.getDoubleTy()), chunk_));
  }

  Value* read(Value* pointer) { return b_.CreateAlignedLoad(uniform_type(), pointer, element_alignment()); }
  void write_to(Value* pointer, Value* x) { b_.CreateAlignedStore(x, pointer, element_alignment()); }

  Value* new_memory() {
    auto& entry = function_->getEntryBlock();
    auto* memory = llvm::IRBuilder<>(&entry, entry.begin()).CreateAlloca(uniform_type());
    memory->setAlignment(element_alignment());
    return memory;
  }

  // Reads everything that is read, and computes what does not change.
  Repeated begin_passes(const KernelPlan::Stage& stage) {
    Repeated r;
    vectors_.clear();
    for (const auto& l : stage.loads) r.places.loads.push_back(place(l.at, vector(false, l.vector)));
    for (const auto& at : stage.counters) r.places.counters.push_back(place(at, nullptr));
    for (const auto& s : stage.stores) r.places.stores.push_back(place(s.at, vector(true, s.vector)));
    width_ = chunk_;
    compute(stage, r.places, {b_.getInt64(0)}, true, r.known);

    const auto keep = [&](std::size_t place, const Place& from) {
      State state{stage.first_to_same_place(place), new_memory()};
      write_to(state.kept, read(from.base));
      return state;
    };
    const auto& code = stage.program.instructions();
    for (Program::Value v = 0; v < code.size(); ++v) {
      if (code[v].code != Code::load || is_uniform_leaf(stage, code[v])) continue;
      const int store = plan_.repeat->fed_by[code[v].index];
      r.loads.emplace(v, keep(static_cast<std::size_t>(store), r.places.loads[code[v].index]));
    }
    for (std::size_t s = 0; s < stage.stores.size(); ++s) {
      if (stage.first_to_same_place(s) != s) continue;
      if (stage.stores[s].mode == Mode::max) r.accumulators.push_back(keep(s, r.places.stores[s]));
      r.results[s] = new_memory();
    }
    return r;
  }

  // @return whether the pass counts.
  Value* emit_pass(const KernelPlan::Stage& stage, Repeated& r) {
    Values values = r.known;
    for (const auto& [v, state] : r.loads) values.number[v] = state.now;
    compute(stage, r.places, {b_.getInt64(0)}, false, values);
    for (const auto& state : r.accumulators) r.after[state.place] = state.now;
    for (std::size_t s = 0; s < stage.stores.size(); ++s) {
      Value*& after = r.after[stage.first_to_same_place(s)];
      Value* y = values.number[stage.program.outputs()[s].value];
      after = stage.stores[s].mode == Mode::max ? arithmetic_.max_or_nan(after, y) : y;
    }
    const auto guard = stage.program.outputs().back().value;
    Value* counts = values.truth[guard];
    if (!counts) counts = b_.CreateFCmpONE(values.number[guard], arithmetic_.constant(uniform_type(), 0));
    return chunk_ == 1 ? counts : b_.CreateAndReduce(counts);
  }

  const KernelPlan& plan_;
  llvm::IRBuilder<> b_;
  Arithmetic arithmetic_;
  llvm::Function* function_ = nullptr;

  const int lanes_;        // doubles in a T
  int chunk_ = 1;          // of them in one register
  Value* lane_ = nullptr;  // the first of them

  Value* table_ = nullptr;
  std::size_t next_word_ = 0;
  std::map<std::pair<bool, int>, Value*> vectors_;  // addresses of in[v] and out[v]
  bool simd_ = false;                               // the current stage takes several instances at once
  int width_ = 1;                                   // doubles in a value that differs from instance to instance
};

}  // namespace

llvm::Function* emit_kernel(llvm::Module& module, const KernelPlan& plan, int lanes, const std::string& name) {
  return KernelEmitter(module, plan, lanes, name).emit();
}

}  // namespace cotangent
