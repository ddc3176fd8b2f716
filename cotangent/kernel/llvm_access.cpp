#include "cotangent/kernel/llvm_access.hpp"

#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/Module.h>

#include <algorithm>
#include <bit>

#include "cotangent/base/check.hpp"
#include "cotangent/kernel/functions.hpp"

namespace cotangent {

using llvm::PHINode;
using llvm::Value;

LlvmAccess::LlvmAccess(llvm::Module& module, const KernelPlan& plan, int lanes, const std::string& name)
    : plan_(plan), b_(module.getContext()), arithmetic_(b_), lanes_(lanes) {
  // Numbers of places are shuffled in halves.
  COTANGENT_CHECK((lanes == 1 || plan.place_size == 1) && std::has_single_bit(static_cast<unsigned>(plan.place_size)));
  Type* pointer = b_.getPtrTy();
  auto* type = llvm::FunctionType::get(b_.getVoidTy(), {pointer, pointer, pointer}, false);
  function_ = llvm::Function::Create(type, llvm::Function::ExternalLinkage, name, module);
  function_->setDoesNotThrow();
  function_->addFnAttr("prefer-vector-width", std::to_string(64 * native_width()));
  function_->addFnAttr("min-legal-vector-width", std::to_string(64 * native_width()));
  for (unsigned k = 0; const char* argument : {"context", "in", "out"}) {
    function_->getArg(k)->addAttr(llvm::Attribute::NoAlias);
    function_->getArg(k)->addAttr(llvm::Attribute::ReadOnly);
    function_->getArg(k++)->setName(argument);
  }
  b_.SetInsertPoint(new_block("entry"));
}

void LlvmAccess::counted_loop(Value* end, int step, const std::function<void(Value*)>& body) {
  BasicBlock* before = b_.GetInsertBlock();
  BasicBlock* loop = new_block("loop");
  b_.CreateBr(loop);
  b_.SetInsertPoint(loop);
  PHINode* i = b_.CreatePHI(b_.getInt64Ty(), 2);
  i->addIncoming(b_.getInt64(0), before);
  body(i);
  Value* next = b_.CreateAdd(i, b_.getInt64(static_cast<std::uint64_t>(step)), "", true, true);
  i->addIncoming(next, b_.GetInsertBlock());
  BasicBlock* done = new_block("done");
  b_.CreateCondBr(b_.CreateICmpSLT(next, end), loop, done);
  b_.SetInsertPoint(done);
}

Value* LlvmAccess::new_memory(int count) {
  auto& entry = function_->getEntryBlock();
  auto* memory = llvm::IRBuilder<>(&entry, entry.begin())
                     .CreateAlloca(uniform_type(), b_.getInt32(static_cast<std::uint32_t>(count)));
  memory->setAlignment(element_alignment());
  return memory;
}

// --- Tables and places.

void LlvmAccess::rewind_table() {
  table_ = plan_.count == 1 ? nullptr : read(b_.getPtrTy(), function_->getArg(0), 8, true);
  next_word_ = 0;
}

Value* LlvmAccess::word(std::uint64_t n, Type* type) {
  return read(type, b_.CreateConstInBoundsGEP1_64(b_.getInt64Ty(), table_, n), 8, true);
}

void LlvmAccess::begin_stage(bool simd) {
  simd_ = simd;
  width_ = simd ? native_width() : chunk_;
}

LlvmAccess::Places LlvmAccess::places(const KernelPlan::Stage& stage) {
  vectors_.clear();
  shared_.clear();
  Places result;
  for (const auto& l : stage.loads) result.loads.push_back(place(l.at, vector(false, l.vector), l.part));
  for (const auto& at : stage.counters) result.counters.push_back(place(at, nullptr, 0));
  for (const auto& s : stage.stores) result.stores.push_back(place(s.at, vector(true, s.vector), s.part));
  return result;
}

// Reads the next two words of the table, or takes the index from the plan. @param vector null for a counter.
LlvmAccess::Place LlvmAccess::place(const IndexMap& at, Value* vector, int part) {
  Place p{.kind = at.kind(), .whole = vector, .part = part};
  const std::uint64_t n = std::exchange(next_word_, next_word_ + 2);
  if (p.kind == Kind::list) {
    p.list = word(n, b_.getPtrTy());
  } else {
    p.offset = plan_.count == 1 ? b_.getInt64(static_cast<std::uint64_t>(at.offset())) : word(n, b_.getInt64Ty());
    if (vector) p.whole = element(vector, p.offset);
    if (p.kind == Kind::strided) p.stride = word(n + 1, b_.getInt64Ty());
  }
  p.base = part == 0 ? p.whole : b_.CreateConstInBoundsGEP1_64(b_.getDoubleTy(), p.whole, static_cast<unsigned>(part));
  const std::pair here(vector, at);
  p.shared = static_cast<std::size_t>(std::ranges::find(shared_, here) - shared_.begin());
  if (p.shared == shared_.size()) shared_.push_back(here);
  return p;
}

Value* LlvmAccess::vector(bool output, int v) {
  Value*& pointer = vectors_[{output, v}];
  if (pointer) return pointer;
  Value* table = function_->getArg(output ? 2 : 1);
  pointer = read(b_.getPtrTy(), b_.CreateConstInBoundsGEP1_64(b_.getPtrTy(), table, static_cast<unsigned>(v)), 8, true);
  if (lanes_ != 1) pointer = b_.CreateInBoundsGEP(b_.getDoubleTy(), pointer, lane_);
  return pointer;
}

// base + index values of T, or places.
Value* LlvmAccess::element(Value* base, Value* index) {
  const int numbers = lanes_ * plan_.place_size;
  if (numbers != 1) index = b_.CreateNSWMul(index, b_.getInt64(static_cast<std::uint64_t>(numbers)));
  return b_.CreateInBoundsGEP(b_.getDoubleTy(), base, index);
}

// How many places instance k is from the base. @pre not for a fixed place.
Value* LlvmAccess::index(const Place& p, Value* k) {
  if (p.kind == Kind::list) {
    Value* entry = b_.CreateInBoundsGEP(b_.getInt32Ty(), p.list, k);
    return b_.CreateSExt(read(b_.getInt32Ty(), entry, 4, true), b_.getInt64Ty());
  }
  return p.kind == Kind::strided ? b_.CreateNSWMul(k, p.stride) : k;
}

Value* LlvmAccess::address_of(const Place& p, Value* base, Value* k) {
  return p.kind == Kind::fixed ? base : element(base, index(p, k));
}

// The instance in lane l of a block; lanes without an instance repeat the last one.
Value* LlvmAccess::instance(const Block& block, int l) {
  Value* k = b_.CreateNSWAdd(block.k, b_.getInt64(static_cast<std::uint64_t>(l)));
  return block.mask ? b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, k, block.last) : k;
}

// --- Reading.

// What is there, or zero in lanes that a mask leaves out. Invariant: nothing that the kernel does changes it.
Value* LlvmAccess::read(Type* type, Value* pointer, std::uint64_t alignment, bool invariant, Value* mask) {
  if (mask) return b_.CreateMaskedLoad(type, pointer, llvm::Align(alignment), mask, llvm::Constant::getNullValue(type));
  auto* load = b_.CreateAlignedLoad(type, pointer, llvm::Align(alignment));
  if (invariant) load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(b_.getContext(), {}));
  return load;
}

llvm::Align LlvmAccess::element_alignment() const {
  return llvm::Align(static_cast<std::uint64_t>(8 * (lanes_ == 1 ? 1 : native_width())));
}

Value* LlvmAccess::load(const Place& p, const Block& block, bool invariant) {
  if (!simd_ || p.kind == Kind::fixed)
    return read(uniform_type(), address_of(p, block.k), element_alignment().value(), invariant);
  Value* numbers = whole(p, block, invariant);
  return plan_.place_size == 1 ? numbers : arithmetic_.every(numbers, p.part, plan_.place_size, width_);
}

// All numbers of the places of a block, place after place.
Value* LlvmAccess::whole(const Place& p, const Block& block, bool invariant) {
  Value*& numbers = wholes_[p.shared];
  if (numbers) return numbers;
  const auto type = [&](int places) {
    return LlvmArithmetic::vector_type(b_.getDoubleTy(), plan_.place_size * places);
  };
  if (p.kind == Kind::unit) {
    Value* mask = block.mask ? whole_mask(block) : nullptr;
    return numbers = read(type(width_), address_of(p, p.whole, block.k), 8, invariant, mask);
  }
  std::vector<Value*> places;
  for (int l = 0; l < width_; ++l)
    places.push_back(read(type(1), address_of(p, p.whole, instance(block, l)), 8, invariant));
  return numbers = arithmetic_.concatenate(std::move(places));
}

// The mask of a block, each bit as often as a place has numbers.
Value* LlvmAccess::whole_mask(const Block& block) {
  if (plan_.place_size == 1) return block.mask;
  std::vector<int> lanes;
  for (int l = 0; l < width_; ++l) lanes.insert(lanes.end(), static_cast<std::size_t>(plan_.place_size), l);
  return b_.CreateShuffleVector(block.mask, lanes);
}

Value* LlvmAccess::counter(const Place& p, const Block& block) {
  if (simd_ && p.kind == Kind::list) {
    Value* pointer = b_.CreateInBoundsGEP(b_.getInt32Ty(), p.list, block.k);
    Value* i = read(LlvmArithmetic::vector_type(b_.getInt32Ty(), width_), pointer, 4, true, block.mask);
    return b_.CreateSIToFP(i, LlvmArithmetic::vector_type(b_.getDoubleTy(), width_));
  }
  Value* i = p.kind == Kind::fixed  ? p.offset
             : p.kind == Kind::list ? index(p, block.k)
                                    : b_.CreateNSWAdd(p.offset, index(p, block.k));
  Value* first = arithmetic_.splat(b_.CreateSIToFP(i, b_.getDoubleTy()), chunk_);
  if (!simd_ || p.kind == Kind::fixed) return first;

  // i + stride (0, 1, 2, ...): integers far below 2^53, so nothing is rounded.
  std::vector<double> steps;
  for (int l = 0; l < width_; ++l) steps.push_back(l);
  Value* step = llvm::ConstantDataVector::get(b_.getContext(), steps);
  if (p.stride) step = b_.CreateFMul(step, arithmetic_.splat(b_.CreateSIToFP(p.stride, b_.getDoubleTy()), width_));
  return b_.CreateFAdd(arithmetic_.splat(first, width_), step);
}

// --- Writing.

void LlvmAccess::write(Value* y, Value* pointer, Value* mask) {
  if (mask) {
    b_.CreateMaskedStore(y, pointer, llvm::Align(8), mask);
  } else {
    b_.CreateAlignedStore(y, pointer, llvm::Align(8));
  }
}

void LlvmAccess::store(const Place& p, const Block& block, Value* y) {
  if (!simd_) {
    b_.CreateAlignedStore(y, address_of(p, block.k), element_alignment());
  } else if (p.kind != Kind::unit) {
    for_each_instance(block, y, [&](Value* k, Value* one) { write(one, address_of(p, k), nullptr); });
  } else if (plan_.place_size == 1) {
    write(y, address_of(p, block.k), block.mask);
  } else {
    Pending& pending = pending_[p.shared];
    pending.place = p;
    pending.parts.resize(static_cast<std::size_t>(plan_.place_size));
    pending.parts[static_cast<std::size_t>(p.part)] = y;
  }
}

void LlvmAccess::end_block(const Block& block) {
  for (const auto& [shared, pending] : pending_) store_whole(pending, block);
  pending_.clear();
}

// Parts that nothing is stored into are not touched: another store may be writing them, from other instances.
void LlvmAccess::store_whole(Pending pending, const Block& block) {
  auto& [p, parts] = pending;
  const int size = plan_.place_size;
  Type* type = LlvmArithmetic::vector_type(b_.getDoubleTy(), width_);
  std::vector<llvm::Constant*> is_stored;
  bool complete = true;
  for (int part = 0; part < size; ++part) {
    Value*& y = parts[static_cast<std::size_t>(part)];
    const bool stored = y || part >= plan_.place_parts;
    is_stored.push_back(b_.getInt1(stored));
    complete = complete && stored;
    if (!y) y = LlvmArithmetic::constant(type, 0);
  }
  Value* by_part = arithmetic_.concatenate(std::move(parts));
  std::vector<int> lanes;
  for (int l = 0; l < width_; ++l)
    for (int part = 0; part < size; ++part) lanes.push_back(part * width_ + l);
  Value* by_place = b_.CreateShuffleVector(by_part, lanes);

  Value* mask = block.mask ? whole_mask(block) : nullptr;
  if (!complete) {
    std::vector<llvm::Constant*> all;
    for (int l = 0; l < width_; ++l) all.insert(all.end(), is_stored.begin(), is_stored.end());
    Value* stored = llvm::ConstantVector::get(all);
    mask = mask ? b_.CreateAnd(mask, stored) : stored;
  }
  write(by_place, address_of(p, p.whole, block.k), mask);
}

void LlvmAccess::for_each_instance(const Block& block, Value* y, const std::function<void(Value* k, Value* y)>& write) {
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

}  // namespace cotangent
