#include "cotangent/kernel/llvm_passes.hpp"

#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/MDBuilder.h>

#include <map>
#include <vector>

#include "cotangent/kernel/llvm_values.hpp"

namespace cotangent {
namespace {

using Code = Program::Code;
using Mode = KernelSpec::Mode;
using Place = LlvmAccess::Place;
using Places = LlvmAccess::Places;
using llvm::BasicBlock;
using llvm::PHINode;
using llvm::Value;

class PassEmitter {
 public:
  explicit PassEmitter(LlvmAccess& access) : plan_(access.plan()), access_(access), b_(access.builder()) {}

  void emit() {
    const auto& stage = plan_.stages.front();
    Repeated r = begin_passes(stage);
    Value* wanted = b_.CreateIntrinsic(
        llvm::Intrinsic::fptosi_sat, {b_.getInt64Ty(), b_.getDoubleTy()},
        {b_.CreateAlignedLoad(b_.getDoubleTy(), access_.vector(false, plan_.repeat->passes), llvm::Align(8))});
    BasicBlock *before = b_.GetInsertBlock(), *round = access_.new_block("round"), *start = access_.new_block("start"),
               *pass = access_.new_block("pass"), *counted = access_.new_block("counted"),
               *keep = access_.new_block("keep"), *failed = access_.new_block("failed"),
               *finish = access_.new_block("finish"), *write = access_.new_block("write"),
               *finished = access_.new_block("finished");
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
      state->now = b_.CreatePHI(access_.uniform_type(), 2);
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
    for (const auto& [p, memory] : r.results) access_.store(r.places.stores[p], {b_.getInt64(0)}, read(memory));
    b_.CreateBr(finished);
    b_.SetInsertPoint(finished);
    write_to(access_.vector(true, plan_.repeat->done),
             access_.arithmetic().splat(b_.CreateSIToFP(made, b_.getDoubleTy()), access_.chunk()));
  }

 private:
  static constexpr int kRound = 32;

  // A value that goes from pass to pass: a load that is fed, or what a place accumulates.
  struct State {
    std::size_t place;  // the first store to the place from which it comes
    Value* kept;        // memory
    PHINode* now = nullptr;
  };

  struct Repeated {
    Places places;
    LlvmValues known;                       // what is the same in all passes
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

  Value* read(Value* pointer) {
    return b_.CreateAlignedLoad(access_.uniform_type(), pointer, access_.element_alignment());
  }
  void write_to(Value* pointer, Value* x) { b_.CreateAlignedStore(x, pointer, access_.element_alignment()); }

  // Reads everything that is read, and computes what does not change.
  Repeated begin_passes(const KernelPlan::Stage& stage) {
    Repeated r;
    access_.begin_stage(false);
    r.places = access_.places(stage);
    compute(access_, stage, r.places, {b_.getInt64(0)}, true, r.known);

    const auto keep = [&](std::size_t place, const Place& from) {
      State state{stage.first_to_same_place(place), access_.new_memory()};
      write_to(state.kept, read(from.base));
      return state;
    };
    const auto& code = stage.program.instructions();
    for (Program::Value v = 0; v < code.size(); ++v) {
      if (code[v].code != Code::load || is_uniform_leaf(plan_, stage, code[v])) continue;
      const int store = plan_.repeat->fed_by[code[v].index];
      r.loads.emplace(v, keep(static_cast<std::size_t>(store), r.places.loads[code[v].index]));
    }
    for (std::size_t s = 0; s < stage.stores.size(); ++s) {
      if (stage.first_to_same_place(s) != s) continue;
      if (stage.stores[s].mode == Mode::max) r.accumulators.push_back(keep(s, r.places.stores[s]));
      r.results[s] = access_.new_memory();
    }
    return r;
  }

  // @return whether the pass counts.
  Value* emit_pass(const KernelPlan::Stage& stage, Repeated& r) {
    LlvmValues values = r.known;
    for (const auto& [v, state] : r.loads) values.number[v] = state.now;
    compute(access_, stage, r.places, {b_.getInt64(0)}, false, values);
    for (const auto& state : r.accumulators) r.after[state.place] = state.now;
    for (std::size_t s = 0; s < stage.stores.size(); ++s) {
      Value*& after = r.after[stage.first_to_same_place(s)];
      Value* y = values.number[stage.program.outputs()[s].value];
      after = stage.stores[s].mode == Mode::max ? access_.arithmetic().max_or_nan(after, y) : y;
    }
    const auto guard = stage.program.outputs().back().value;
    Value* counts = values.truth[guard];
    if (!counts) counts = b_.CreateFCmpONE(values.number[guard], LlvmArithmetic::constant(access_.uniform_type(), 0));
    return access_.chunk() == 1 ? counts : b_.CreateAndReduce(counts);
  }

  const KernelPlan& plan_;
  LlvmAccess& access_;
  llvm::IRBuilder<>& b_;
};

}  // namespace

void emit_passes(LlvmAccess& access) { PassEmitter(access).emit(); }

}  // namespace cotangent
