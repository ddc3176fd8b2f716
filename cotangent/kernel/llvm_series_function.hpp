#pragma once

#include <llvm/IR/IRBuilder.h>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "cotangent/kernel/functions.hpp"
#include "cotangent/kernel/llvm_arithmetic.hpp"
#include "cotangent/kernel/llvm_series.hpp"

namespace cotangent {

/// Functions of a module that find coefficients of series, one after the other: their numbers, loops and memory.
class SeriesFunction {
 protected:
  using BasicBlock = llvm::BasicBlock;
  using PHINode = llvm::PHINode;
  using Type = llvm::Type;
  using Value = llvm::Value;

  /// The order at which something is evaluated: a number that the code knows, or one that it has.
  struct Order {
    Value* value;
    std::optional<int> known;
  };

  explicit SeriesFunction(llvm::Module& module) : module_(module), b_(module.getContext()), arithmetic_(b_) {}

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

  llvm::Module& module_;
  llvm::IRBuilder<> b_;
  LlvmArithmetic arithmetic_;
  llvm::Function* function_ = nullptr;
  Value* table_ = nullptr;
  std::map<int, Value*> words_;
  std::map<std::pair<int, Value*>, Value*> rows_;
  std::map<Cell, Value*> cells_;
};

}  // namespace cotangent
