#include "cotangent/kernel/llvm_ways.hpp"

#include <llvm/IR/Intrinsics.h>

#include <vector>

#include "cotangent/base/check.hpp"

namespace cotangent {
namespace {

using Code = Program::Code;
using llvm::BasicBlock;
using llvm::PHINode;
using llvm::Value;

class WaysEmitter {
 public:
  explicit WaysEmitter(LlvmAccess& access)
      : access_(access),
        arithmetic_(access.arithmetic()),
        b_(access.builder()),
        plan_(access.plan()),
        stage_(plan_.stages.front()),
        number_(stage_.program.instructions().size()),
        truth_(number_.size()) {}

  void emit() {
    COTANGENT_CHECK(access_.lanes() == 1);
    access_.begin_stage(false);
    const LlvmAccess::Places places = access_.places(stage_);
    const LlvmAccess::Block block{b_.getInt64(0)};
    const int stores = static_cast<int>(stage_.stores.size());
    Value *found = access_.new_memory(stores), *left = access_.new_memory(stores);
    const auto& code = stage_.program.instructions();
    for (std::size_t v = 0; v < code.size(); ++v) {
      if (code[v].code != Code::load) continue;
      Value* x = access_.load(places.loads[code[v].index], block, false);
      if (const auto from = plan_.repeat->fed_by[code[v].index]) {
        b_.CreateStore(x, at(found, *from));
      } else {
        number_[v] = x;
      }
    }
    Value* wanted = b_.CreateIntrinsic(
        llvm::Intrinsic::fptosi_sat, {b_.getInt64Ty(), b_.getDoubleTy()},
        {b_.CreateAlignedLoad(b_.getDoubleTy(), access_.vector(false, plan_.repeat->passes), llvm::Align(8))});
    Value* done = access_.vector(true, plan_.repeat->done);

    BasicBlock *before = b_.GetInsertBlock(), *pass = access_.new_block("pass");
    finished_ = access_.new_block("finished");
    for (std::size_t k = 0; k < plan_.parts.size(); ++k) blocks_.push_back(access_.new_block("part"));
    b_.CreateBr(pass);
    b_.SetInsertPoint(pass);
    made_ = b_.CreatePHI(b_.getInt64Ty(), 2);
    found_ = b_.CreatePHI(b_.getPtrTy(), 2);
    left_ = b_.CreatePHI(b_.getPtrTy(), 2);
    made_->addIncoming(b_.getInt64(0), before);
    found_->addIncoming(found, before);
    left_->addIncoming(left, before);
    b_.CreateCondBr(b_.CreateICmpSLT(made_, wanted), blocks_.front(), finished_);

    for (std::size_t k = 0; k < plan_.parts.size(); ++k) emit_part(k, pass);

    b_.SetInsertPoint(finished_);
    b_.CreateAlignedStore(b_.CreateSIToFP(made_, b_.getDoubleTy()), done, llvm::Align(8));
    BasicBlock *write = access_.new_block("write"), *end = access_.new_block("end");
    b_.CreateCondBr(b_.CreateICmpSGT(made_, b_.getInt64(0)), write, end);
    b_.SetInsertPoint(write);
    for (int s = 0; s < stores; ++s)
      access_.store(places.stores[static_cast<std::size_t>(s)], block, b_.CreateLoad(b_.getDoubleTy(), at(found_, s)));
    access_.end_block(block);
    b_.CreateBr(end);
    b_.SetInsertPoint(end);
  }

 private:
  Value* at(Value* vector, int s) { return b_.CreateConstInBoundsGEP1_64(b_.getDoubleTy(), vector, s); }

  void emit_part(std::size_t k, BasicBlock* pass) {
    const KernelPlan::Part& part = plan_.parts[k];
    b_.SetInsertPoint(blocks_[k]);
    for (std::size_t v = k == 0 ? 0 : plan_.parts[k - 1].end; v < part.end; ++v) compute(v);
    if (!part.must_hold.empty()) go_on_if(part.must_hold, access_.new_block("held"), finished_);
    for (std::size_t n = 0; n < part.branches.size(); ++n) {
      const bool is_last = n + 1 == part.branches.size();
      go_on_if(part.branches[n].if_all, blocks_[part.branches[n].part], is_last ? finished_ : access_.new_block("else"),
               !is_last);
    }
    if (!part.branches.empty()) return;
    for (std::size_t s = 0; s < part.results.size(); ++s)
      b_.CreateStore(number_[part.results[s]], at(left_, static_cast<int>(s)));
    made_->addIncoming(b_.CreateAdd(made_, b_.getInt64(1), "", true, true), b_.GetInsertBlock());
    found_->addIncoming(left_, b_.GetInsertBlock());
    left_->addIncoming(found_, b_.GetInsertBlock());
    b_.CreateBr(pass);
  }

  // What is written next goes to `then`, or to `otherwise`.
  void go_on_if(const KernelPlan::Part::Values& all, BasicBlock* then, BasicBlock* otherwise,
                bool writes_otherwise = false) {
    Value* holds = b_.getTrue();
    for (const Program::Value v : all) holds = b_.CreateAnd(holds, truth_[v]);
    b_.CreateCondBr(holds, then, otherwise);
    b_.SetInsertPoint(writes_otherwise ? otherwise : then);
  }

  void compute(std::size_t v) {
    const Program::Instruction& i = stage_.program.instructions()[v];
    if (i.code == Code::load) {
      if (const auto from = plan_.repeat->fed_by[i.index])
        number_[v] = b_.CreateLoad(b_.getDoubleTy(), at(found_, *from));
      return;
    }
    if (i.code == Code::constant) {
      number_[v] = LlvmArithmetic::constant(b_.getDoubleTy(), static_cast<double>(stage_.program.constants()[i.index]));
      return;
    }
    std::vector<Value*> x, truths;
    for (const auto a : i.arguments()) {
      x.push_back(number_[a]);
      truths.push_back(truth_[a]);
    }
    if (LlvmArithmetic::is_comparison(i.code)) truth_[v] = arithmetic_.comparison(i.code, x);
    if (i.code == Code::mul && truths[0] && truths[1]) truth_[v] = b_.CreateAnd(truths[0], truths[1]);
    number_[v] = arithmetic_.instruction(i, x, truths);
  }

  LlvmAccess& access_;
  LlvmArithmetic& arithmetic_;
  llvm::IRBuilder<>& b_;
  const KernelPlan& plan_;
  const KernelPlan::Stage& stage_;
  std::vector<Value*> number_, truth_;
  std::vector<BasicBlock*> blocks_;  // of the parts
  PHINode *made_ = nullptr, *found_ = nullptr, *left_ = nullptr;
  BasicBlock* finished_ = nullptr;
};

}  // namespace

void emit_ways(LlvmAccess& access) { WaysEmitter(access).emit(); }

}  // namespace cotangent
