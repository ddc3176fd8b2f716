#include "cotangent/kernel/llvm_arithmetic.hpp"

#include <llvm/IR/Intrinsics.h>

#include <array>
#include <numeric>

#include "cotangent/base/check.hpp"
#include "cotangent/kernel/functions.hpp"

namespace cotangent {

using Code = Program::Code;
using llvm::Value;

Value* LlvmArithmetic::splat(Value* x, int n) {
  if (n == width(x->getType())) return x;
  return b_.CreateVectorSplat(static_cast<unsigned>(n), x);
}

Value* LlvmArithmetic::concatenate(std::vector<Value*> vectors) {
  if (!vectors[0]->getType()->isVectorTy()) {
    Value* x = llvm::PoisonValue::get(vector_type(vectors[0]->getType(), static_cast<int>(vectors.size())));
    for (std::uint64_t l = 0; l < vectors.size(); ++l) x = b_.CreateInsertElement(x, vectors[l], l);
    return x;
  }
  while (vectors.size() > 1) {
    std::vector<int> lanes(static_cast<std::size_t>(2 * width(vectors[0]->getType())));
    std::iota(lanes.begin(), lanes.end(), 0);
    std::vector<Value*> half;
    for (std::size_t j = 0; j < vectors.size(); j += 2)
      half.push_back(b_.CreateShuffleVector(vectors[j], vectors[j + 1], lanes));
    vectors = std::move(half);
  }
  return vectors[0];
}

Value* LlvmArithmetic::every(Value* x, int first, int step, int count) {
  std::vector<int> lanes;
  for (int l = 0; l < count; ++l) lanes.push_back(first + l * step);
  return b_.CreateShuffleVector(x, lanes);
}

Value* LlvmArithmetic::max_or_nan(Value* x, Value* y) {
  Value* larger = b_.CreateSelect(b_.CreateFCmpOLT(x, y), y, x);  // one instruction
  return b_.CreateSelect(b_.CreateFCmpUNO(y, y), y, larger);
}

Value* LlvmArithmetic::instruction(const Program::Instruction& i, const std::vector<Value*>& x,
                                   const std::vector<Value*>& truths) {
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
      return fma(x[0], x[1], x[2]);
    case Code::fms:
      return fma(x[0], x[1], b_.CreateFNeg(x[2]));
    case Code::fnma:
      return fma(b_.CreateFNeg(x[0]), x[1], x[2]);
    case Code::sqrt:
      return b_.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, x[0]);
    case Code::abs:
      return b_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x[0]);
    case Code::sign:
      return sign(x[0]);
    case Code::floor:
      return b_.CreateUnaryIntrinsic(llvm::Intrinsic::floor, x[0]);
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
      Value* m = truths[0] ? truths[0] : b_.CreateFCmpUNE(x[0], constant(x[0]->getType(), 0));
      return b_.CreateSelect(m, x[1], x[2]);
    }
    case Code::call:
      return function(i.function, x);
    case Code::load:
    case Code::counter:
    case Code::constant:
      break;
  }
  check_failed("the instruction is an operation");
}

Value* LlvmArithmetic::comparison(Code code, const std::vector<Value*>& x) {
  using llvm::CmpInst;
  static constexpr std::array predicates{CmpInst::FCMP_OLT, CmpInst::FCMP_OLE, CmpInst::FCMP_OEQ, CmpInst::FCMP_UNE};
  return b_.CreateFCmp(predicates[static_cast<std::size_t>(code) - static_cast<std::size_t>(Code::lt)], x[0], x[1]);
}

Value* LlvmArithmetic::fma(Value* x, Value* y, Value* z) {
  return b_.CreateIntrinsic(x->getType(), llvm::Intrinsic::fma, {x, y, z});
}

Value* LlvmArithmetic::sign(Value* x) {
  Type* type = x->getType();
  Value* zero = constant(type, 0);
  Value* minus = b_.CreateSelect(b_.CreateFCmpOLT(x, zero), constant(type, -1), zero);
  return b_.CreateSelect(b_.CreateFCmpOGT(x, zero), constant(type, 1), minus);
}

Value* LlvmArithmetic::truth_value(Value* m) {
  Type* type = vector_type(b_.getDoubleTy(), width(m->getType()));
  return b_.CreateSelect(m, constant(type, 1), constant(type, 0));
}

// The elementary function, native vector by native vector.
Value* LlvmArithmetic::function(Function f, const std::vector<Value*>& args) {
  const int n = width(args[0]->getType()), native = native_width();
  if (n == 1 || n == native) return call(address(f, n), args[0]->getType(), args);
  COTANGENT_CHECK(n % native == 0);
  Value* result = llvm::PoisonValue::get(args[0]->getType());
  for (int first = 0; first < n; first += native) {
    std::vector<Value*> parts;
    for (Value* a : args)
      parts.push_back(b_.CreateExtractVector(vector_type(b_.getDoubleTy(), native), a, b_.getInt64(first)));
    result = b_.CreateInsertVector(result->getType(), result, call(address(f, native), parts[0]->getType(), parts),
                                   b_.getInt64(first));
  }
  return result;
}

Value* LlvmArithmetic::call(const void* code, Type* type, const std::vector<Value*>& args) {
  auto* signature = llvm::FunctionType::get(type, std::vector<Type*>(args.size(), type), false);
  Value* pointer = llvm::ConstantExpr::getIntToPtr(b_.getInt64(reinterpret_cast<std::uint64_t>(code)), b_.getPtrTy());
  auto* result = b_.CreateCall(signature, pointer, args);
  result->setDoesNotThrow();
  result->setDoesNotAccessMemory();
  result->addFnAttr(llvm::Attribute::WillReturn);
  return result;
}

}  // namespace cotangent
