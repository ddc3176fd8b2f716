#pragma once

#include <llvm/IR/IRBuilder.h>

#include <vector>

#include "cotangent/kernel/program.hpp"

namespace cotangent {

/// The arithmetic of a kernel: LLVM instructions for values that are numbers or vectors of numbers.
///
/// No instruction carries a fast-math flag and products are fused where the program says so, nowhere else.
class LlvmArithmetic {
 public:
  using Type = llvm::Type;
  using Value = llvm::Value;

  explicit LlvmArithmetic(llvm::IRBuilder<>& builder) : b_(builder) {}

  static Type* vector_type(Type* element, int n) {
    return n == 1 ? element : llvm::FixedVectorType::get(element, static_cast<unsigned>(n));
  }
  static int width(Type* type) {
    const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
    return vector ? static_cast<int>(vector->getNumElements()) : 1;
  }

  static Value* constant(Type* type, double x) { return llvm::ConstantFP::get(type, x); }

  /// x in every lane, unless it is a vector already.
  Value* splat(Value* x, int n);

  Value* extract(Value* x, int lane) { return b_.CreateExtractElement(x, static_cast<std::uint64_t>(lane)); }

  /// All lanes of the vectors, or the numbers, one after the other. @pre they have one type, and their number is a
  /// power of two.
  Value* concatenate(std::vector<Value*> vectors);

  /// The lanes first, first + step, ..., count of them.
  Value* every(Value* x, int first, int step, int count);

  Value* max_or_nan(Value* x, Value* y);
  Value* sign(Value* x);

  /// An operation, or for a comparison 1 or 0; all x have one type. truths[a] is the bit that x[a] is made of, or null.
  Value* instruction(const Program::Instruction& i, const std::vector<Value*>& x, const std::vector<Value*>& truths);

  static bool is_comparison(Program::Code code) { return code >= Program::Code::lt && code <= Program::Code::ne; }
  Value* comparison(Program::Code code, const std::vector<Value*>& x);

 private:
  Value* fma(Value* x, Value* y, Value* z);
  Value* truth_value(Value* m);
  Value* function(Function f, const std::vector<Value*>& args);
  Value* call(const void* code, Type* type, const std::vector<Value*>& args);

  llvm::IRBuilder<>& b_;
};

}  // namespace cotangent
