#include "cotangent/kernel/llvm_emitter.hpp"

#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/MDBuilder.h>

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

#include "cotangent/base/check.hpp"
#include "cotangent/kernel/functions.hpp"
#include "cotangent/kernel/llvm_access.hpp"
#include "cotangent/kernel/llvm_ways.hpp"

namespace cotangent {
namespace {

using Code = Program::Code;
using Kind = IndexMap::Kind;
using Mode = KernelSpec::Mode;
using Block = LlvmAccess::Block;
using Place = LlvmAccess::Place;
using Places = LlvmAccess::Places;
using llvm::BasicBlock;
using llvm::PHINode;
using llvm::Type;
using llvm::Value;

// The values of a stage's program, instruction by instruction; null where not computed yet.
struct Values {
  std::vector<Value*> number;
  std::vector<Value*> truth;  // of comparisons: the bit itself
};

class KernelEmitter {
 public:
  KernelEmitter(llvm::Module& module, const KernelPlan& plan, int lanes, const std::string& name)
      : plan_(plan), access_(module, plan, lanes, name), arithmetic_(access_.arithmetic()), b_(access_.builder()) {}

  llvm::Function* emit() {
    const int lanes = access_.lanes();
    if (lanes == 1) {
      emit_stages();
    } else {
      // Lanes do not see each other: take a few through the whole kernel, then the next. One vector needs the fewest
      // registers, and the CPU overlaps the iterations by itself.
      const int chunk = plan_.repeat ? repeat_width(lanes) : native_width();
      COTANGENT_CHECK(lanes % chunk == 0);
      access_.counted_loop(b_.getInt64(static_cast<std::uint64_t>(lanes)), chunk, [&](Value* lane) {
        access_.set_lanes(lane, chunk);
        emit_stages();
      });
    }
    b_.CreateRetVoid();
    return access_.function();
  }

 private:
  // --- Values.

  // Whether a load, counter or constant is the same for all instances of a stage, or all passes.
  bool is_uniform_leaf(const KernelPlan::Stage& stage, const Program::Instruction& i) const {
    if (i.code == Code::load && plan_.repeat) return !plan_.repeat->fed_by[i.index];
    if (i.code == Code::load) return stage.loads[i.index].at.kind() == Kind::fixed;
    if (i.code == Code::counter) return stage.counters[i.index].kind() == Kind::fixed;
    return true;
  }

  // Computes what values lack, for a block of instances; with `uniform_only`, only what is the same for all instances
  // or passes.
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
        values.number[v] = access_.load(places.loads[i.index], block, !plan_.repeat);
      } else if (i.code == Code::counter) {
        values.number[v] = access_.counter(places.counters[i.index], block);
      } else if (i.code == Code::constant) {
        values.number[v] =
            LlvmArithmetic::constant(access_.uniform_type(), static_cast<double>(stage.program.constants()[i.index]));
      } else {
        // Arguments of one width.
        int n = 1;
        for (const auto a : i.arguments()) n = std::max(n, LlvmArithmetic::width(values.number[a]->getType()));
        std::vector<Value*> x, truths;
        for (const auto a : i.arguments()) {
          x.push_back(arithmetic_.splat(values.number[a], n));
          truths.push_back(values.truth[a] ? arithmetic_.splat(values.truth[a], n) : nullptr);
        }
        if (LlvmArithmetic::is_comparison(i.code)) values.truth[v] = arithmetic_.comparison(i.code, x);
        if (i.code == Code::mul && truths[0] && truths[1]) values.truth[v] = b_.CreateAnd(truths[0], truths[1]);
        values.number[v] = arithmetic_.instruction(i, x, truths);
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
      values.number[v] = arithmetic_.splat(values.number[v], access_.width());
      if (values.truth[v]) values.truth[v] = arithmetic_.splat(values.truth[v], access_.width());
    }
  }

  // --- Stores.

  // old = old (mode) y, or old - y for a negative output.
  Value* combine(Mode mode, bool negative, Value* old, Value* y) {
    if (mode == Mode::max) return arithmetic_.max_or_nan(old, y);
    return negative ? b_.CreateFSub(old, y) : b_.CreateFAdd(old, y);
  }

  Value* neutral(Mode mode, Type* type) {
    return LlvmArithmetic::constant(type, mode == Mode::add ? -0.0 : -std::numeric_limits<double>::infinity());
  }

  void update(Mode mode, bool negative, Value* pointer, Value* y, llvm::Align alignment) {
    if (mode != Mode::assign) y = combine(mode, negative, b_.CreateAlignedLoad(y->getType(), pointer, alignment), y);
    b_.CreateAlignedStore(y, pointer, alignment);
  }

  static bool is_reduction(const KernelPlan::Stage& stage, std::size_t s) {
    return stage.count > 1 && stage.stores[s].at.kind() == Kind::fixed;
  }

  // Pairwise: ((0+1)+(2+3))+((4+5)+(6+7)), whether the partial results are numbers or lanes of vectors.
  Value* combine_partials(Mode mode, const std::vector<Value*>& parts) {
    if (access_.simd()) {
      Value* x = arithmetic_.concatenate(parts);
      for (int n = KernelSpec::kPartialSums / 2; n > 0; n /= 2)
        x = combine(mode, false, arithmetic_.every(x, 0, 2, n), arithmetic_.every(x, 1, 2, n));
      return arithmetic_.extract(x, 0);
    }
    if (parts.size() == 1) return parts[0];
    const auto middle = parts.begin() + std::ssize(parts) / 2;
    return combine(mode, false, combine_partials(mode, {parts.begin(), middle}),
                   combine_partials(mode, {middle, parts.end()}));
  }

  // --- Shapes.

  void emit_stages() {
    access_.rewind_table();
    if (!plan_.parts.empty()) return emit_ways(access_);
    if (plan_.repeat) return emit_passes(plan_.stages.front());
    for (const auto& stage : plan_.stages) emit_stage(stage);
  }

  void emit_stage(const KernelPlan::Stage& stage) {
    const std::uint64_t count_word = access_.next_word();
    access_.begin_stage(access_.lanes() == 1 && stage.count > 1 && plan_.has_many_instances());
    const Places places = access_.places(stage);
    Values values;
    compute(stage, places, {b_.getInt64(0)}, true, values);
    if (stage.count == 1) {
      emit_stores(stage, places, {b_.getInt64(0)}, values, nullptr);
      return;
    }
    Value* count = access_.word(count_word, b_.getInt64Ty());
    if (access_.simd()) {
      emit_vector_loop(stage, places, values, count);
    } else {
      emit_loop(stage, places, values, count);
    }
  }

  using Reduce = std::function<void(std::size_t s, Value* y)>;

  void emit_stores(const KernelPlan::Stage& stage, const Places& places, const Block& block, const Values& values,
                   const Reduce& reduce) {
    std::map<std::size_t, std::size_t> last;  // to each place
    for (std::size_t s = 0; s < stage.stores.size(); ++s) last[stage.first_to_same_place(s)] = s;
    std::map<std::size_t, Value*> updated;  // what several stores to one place have made of it so far
    for (std::size_t s = 0; s < stage.stores.size(); ++s) {
      const auto& [value, negative] = stage.program.outputs()[s];
      const auto mode = stage.stores[s].mode;
      const Place& p = places.stores[s];
      Value* y = values.number[value];
      if (is_reduction(stage, s)) {
        reduce(s, y);
      } else if (p.kind == Kind::list && access_.simd()) {  // may name a place twice
        access_.for_each_instance(block, y, [&](Value* k, Value* one) {
          update(mode, negative, access_.address_of(p, k), one, llvm::Align(8));
        });
      } else {
        const std::size_t place = stage.first_to_same_place(s);
        const auto known = updated.find(place);
        if (mode != Mode::assign)
          y = combine(mode, negative, known != updated.end() ? known->second : access_.load(p, block, false), y);
        updated[place] = y;
        if (last[place] == s) access_.store(p, block, y);
      }
    }
    access_.end_block(block);
  }

  void finish_reduction(const KernelPlan::Stage& stage, const Places& places, std::size_t s,
                        std::vector<Value*> partials) {
    Value* total = combine_partials(stage.stores[s].mode, std::move(partials));
    update(stage.stores[s].mode, false, places.stores[s].base, total, access_.element_alignment());
  }

  /// One instance after the other; partial results in memory, at k mod KernelSpec::kPartialSums.
  void emit_loop(const KernelPlan::Stage& stage, const Places& places, const Values& uniform, Value* count) {
    std::map<std::size_t, std::vector<Value*>> partials;
    for (std::size_t s = 0; s < stage.stores.size(); ++s) {
      if (!is_reduction(stage, s)) continue;
      Value* memory = access_.new_memory(KernelSpec::kPartialSums);
      for (unsigned j = 0; j < KernelSpec::kPartialSums; ++j) {
        partials[s].push_back(b_.CreateConstInBoundsGEP1_64(access_.uniform_type(), memory, j));
        b_.CreateStore(neutral(stage.stores[s].mode, access_.uniform_type()), partials[s].back());
      }
    }
    access_.counted_loop(count, 1, [&](Value* k) {
      Values values = uniform;
      access_.begin_block();
      compute(stage, places, {k}, false, values);
      emit_stores(stage, places, {k}, values, [&](std::size_t s, Value* y) {
        Value* j = b_.CreateAnd(k, b_.getInt64(KernelSpec::kPartialSums - 1));
        update(stage.stores[s].mode, stage.program.outputs()[s].negative,
               b_.CreateInBoundsGEP(access_.uniform_type(), partials[s][0], j), y, access_.element_alignment());
      });
    });
    for (auto& [s, parts] : partials) {
      for (Value*& part : parts) part = b_.CreateLoad(access_.uniform_type(), part);
      finish_reduction(stage, places, s, parts);
    }
  }

  /// Vectors of instances, as many per iteration as make up the partial results; then the rest, masked.
  void emit_vector_loop(const KernelPlan::Stage& stage, const Places& places, Values uniform, Value* count) {
    widen(stage, uniform);
    const int width = access_.width();
    Type* type = LlvmArithmetic::vector_type(b_.getDoubleTy(), width);

    // partials[s] are the vectors of store s, as they flow through the blocks.
    using Partials = std::map<std::size_t, std::vector<Value*>>;
    Partials partials;
    for (std::size_t s = 0; s < stage.stores.size(); ++s)
      if (is_reduction(stage, s))
        partials[s].assign(static_cast<std::size_t>(KernelSpec::kPartialSums / width),
                           neutral(stage.stores[s].mode, type));
    const int vectors = partials.empty() ? 1 : KernelSpec::kPartialSums / width;
    const int step = vectors * width;
    Value* full = b_.CreateAnd(count, b_.getInt64(static_cast<std::uint64_t>(-step)));

    const auto connect = [](const Partials& phis, const Partials& values, BasicBlock* from) {
      for (const auto& [s, parts] : phis)
        for (std::size_t v = 0; v < parts.size(); ++v)
          llvm::cast<PHINode>(parts[v])->addIncoming(values.at(s)[v], from);
    };
    // What comes from one block or the other; the second may follow later.
    const auto merge = [&](const Partials& values, BasicBlock* from) {
      for (auto& [s, parts] : partials)
        for (Value*& part : parts) part = b_.CreatePHI(type, 2);
      connect(partials, values, from);
      return partials;
    };
    const auto emit_block = [&](const Block& block, int v) {
      Values values = uniform;
      access_.begin_block();
      compute(stage, places, block, false, values);
      emit_stores(stage, places, block, values, [&](std::size_t s, Value* y) {
        Value*& part = partials.at(s)[static_cast<std::size_t>(v)];
        Value* next = combine(stage.stores[s].mode, stage.program.outputs()[s].negative, part, y);
        part = block.mask ? b_.CreateSelect(block.mask, next, part) : next;
      });
    };

    // Full blocks.
    BasicBlock *before = b_.GetInsertBlock(), *loop = access_.new_block("vectors"), *rest = access_.new_block("rest"),
               *masked = access_.new_block("masked"), *done = access_.new_block("stage_done");
    const Partials initial = partials;
    b_.CreateCondBr(b_.CreateICmpSGT(full, b_.getInt64(0)), loop, rest);
    b_.SetInsertPoint(loop);
    PHINode* k = b_.CreatePHI(b_.getInt64Ty(), 2);
    k->addIncoming(b_.getInt64(0), before);
    const Partials in_loop = merge(initial, before);
    for (int v = 0; v < vectors; ++v) emit_block({b_.CreateNSWAdd(k, b_.getInt64(v * width))}, v);
    Value* next = b_.CreateAdd(k, b_.getInt64(step), "", true, true);
    BasicBlock* loop_end = b_.GetInsertBlock();
    k->addIncoming(next, loop_end);
    connect(in_loop, partials, loop_end);
    b_.CreateCondBr(b_.CreateICmpSLT(next, full), loop, rest);

    // The rest.
    const Partials after_loop = partials;
    b_.SetInsertPoint(rest);
    const Partials before_rest = merge(initial, before);
    connect(before_rest, after_loop, loop_end);
    Value* left = b_.CreateNSWSub(count, full);
    b_.CreateCondBr(b_.CreateICmpSGT(left, b_.getInt64(0)), masked, done);
    b_.SetInsertPoint(masked);
    std::vector<std::uint64_t> numbers(static_cast<std::size_t>(width));
    std::iota(numbers.begin(), numbers.end(), 0);
    for (int v = 0; v < vectors; ++v) {
      Value* here = b_.CreateNSWSub(left, b_.getInt64(v * width));
      emit_block({.k = b_.CreateNSWAdd(full, b_.getInt64(v * width)),
                  .mask = b_.CreateICmpSLT(llvm::ConstantDataVector::get(b_.getContext(), numbers),
                                           arithmetic_.splat(here, width)),
                  .count = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, here, b_.getInt64(width)),
                  .last = b_.CreateNSWSub(count, b_.getInt64(1))},
                 v);
    }
    const Partials after_rest = partials;
    BasicBlock* masked_end = b_.GetInsertBlock();
    b_.CreateBr(done);

    b_.SetInsertPoint(done);
    connect(merge(before_rest, rest), after_rest, masked_end);
    for (const auto& [s, parts] : partials) finish_reduction(stage, places, s, parts);
  }

  // --- Passes.

  Value* uniform_at(Value* pointer) {
    return b_.CreateAlignedLoad(access_.uniform_type(), pointer, access_.element_alignment());
  }

  /// A value that goes from pass to pass: a load that is fed, or what a place accumulates.
  struct State {
    std::size_t place;  // the first store to the place from which it comes
    PHINode* now;
  };

  /// The passes of a repeated kernel (see KernelSpec::Repeat), for the lanes that go together. Whether a pass counts is
  /// known at its end, when the state before it is gone from the registers: the passes before one that does not are
  /// then made again, from the beginning, and only the last of all is written.
  void emit_passes(const KernelPlan::Stage& stage) {
    access_.begin_stage(false);
    const Places places = access_.places(stage);
    Values values;
    compute(stage, places, {b_.getInt64(0)}, true, values);
    Value* wanted = b_.CreateIntrinsic(
        llvm::Intrinsic::fptosi_sat, {b_.getInt64Ty(), b_.getDoubleTy()},
        {b_.CreateAlignedLoad(b_.getDoubleTy(), access_.vector(false, plan_.repeat->passes), llvm::Align(8))});
    Value* done_at = access_.vector(true, plan_.repeat->done);
    BasicBlock *before = b_.GetInsertBlock(), *start = access_.new_block("start"), *pass = access_.new_block("pass"),
               *counted = access_.new_block("counted"), *write = access_.new_block("write"),
               *finished = access_.new_block("finished");
    b_.CreateBr(start);
    b_.SetInsertPoint(start);
    PHINode* limit = b_.CreatePHI(b_.getInt64Ty(), 2);
    limit->addIncoming(wanted, before);

    // What the first pass finds.
    std::vector<State> states;
    const auto new_state = [&](std::size_t store, Value* from) {
      b_.SetInsertPoint(start);
      Value* first = uniform_at(from);
      b_.SetInsertPoint(pass);
      states.push_back({stage.first_to_same_place(store), b_.CreatePHI(access_.uniform_type(), 2)});
      states.back().now->addIncoming(first, start);
      return states.back().now;
    };
    std::map<std::size_t, Value*> after;  // each place after a pass
    const auto& code = stage.program.instructions();
    for (std::size_t v = 0; v < code.size(); ++v)
      if (code[v].code == Code::load)
        if (const auto store = plan_.repeat->fed_by[code[v].index])
          values.number[v] = new_state(static_cast<std::size_t>(*store), places.loads[code[v].index].base);
    for (std::size_t s = 0; s < stage.stores.size(); ++s)
      if (stage.first_to_same_place(s) == s && stage.stores[s].mode == Mode::max)
        after[s] = new_state(s, places.stores[s].base);
    b_.SetInsertPoint(pass);
    PHINode* made = b_.CreatePHI(b_.getInt64Ty(), 2);
    made->addIncoming(b_.getInt64(0), start);
    b_.SetInsertPoint(start);
    b_.CreateCondBr(b_.CreateICmpSGT(limit, b_.getInt64(0)), pass, finished);

    b_.SetInsertPoint(pass);
    compute(stage, places, {b_.getInt64(0)}, false, values);
    for (std::size_t s = 0; s < stage.stores.size(); ++s) {
      Value*& place = after[stage.first_to_same_place(s)];
      Value* y = values.number[stage.program.outputs()[s].value];
      place = stage.stores[s].mode == Mode::max ? arithmetic_.max_or_nan(place, y) : y;
    }
    const auto guard = stage.program.outputs().back().value;
    Value* counts = values.truth[guard];
    if (!counts) counts = b_.CreateFCmpONE(values.number[guard], LlvmArithmetic::constant(access_.uniform_type(), 0));
    if (access_.chunk() > 1) counts = b_.CreateAndReduce(counts);
    llvm::MDNode* likely = llvm::MDBuilder(b_.getContext()).createLikelyBranchWeights();
    limit->addIncoming(made, pass);
    b_.CreateCondBr(counts, counted, start, likely);

    b_.SetInsertPoint(counted);
    Value* next = b_.CreateAdd(made, b_.getInt64(1), "", true, true);
    b_.CreateCondBr(b_.CreateICmpSLT(next, limit), pass, write, likely);
    made->addIncoming(next, counted);
    for (const State& state : states) state.now->addIncoming(after.at(state.place), counted);

    b_.SetInsertPoint(write);
    for (const auto& [s, y] : after) access_.store(places.stores[s], {b_.getInt64(0)}, y);
    b_.CreateBr(finished);

    b_.SetInsertPoint(finished);
    PHINode* done = b_.CreatePHI(b_.getInt64Ty(), 2);
    done->addIncoming(b_.getInt64(0), start);
    done->addIncoming(limit, write);
    b_.CreateAlignedStore(arithmetic_.splat(b_.CreateSIToFP(done, b_.getDoubleTy()), access_.chunk()), done_at,
                          access_.element_alignment());
  }

  const KernelPlan& plan_;
  LlvmAccess access_;
  LlvmArithmetic& arithmetic_;
  llvm::IRBuilder<>& b_;
};

}  // namespace

llvm::Function* emit_kernel(llvm::Module& module, const KernelPlan& plan, int lanes, const std::string& name) {
  return KernelEmitter(module, plan, lanes, name).emit();
}

}  // namespace cotangent
