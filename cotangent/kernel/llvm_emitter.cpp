#include "cotangent/kernel/llvm_emitter.hpp"

#include <llvm/IR/Intrinsics.h>

#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "cotangent/base/check.hpp"
#include "cotangent/kernel/functions.hpp"
#include "cotangent/kernel/llvm_passes.hpp"
#include "cotangent/kernel/llvm_values.hpp"

namespace cotangent {
namespace {

using Kind = IndexMap::Kind;
using Mode = KernelSpec::Mode;
using Block = LlvmAccess::Block;
using Place = LlvmAccess::Place;
using Places = LlvmAccess::Places;
using llvm::BasicBlock;
using llvm::PHINode;
using llvm::Type;
using llvm::Value;

// How many native vectors of a Lanes value are computed side by side: one needs the fewest registers, and the
// CPU overlaps the iterations by itself.
constexpr int kVectorsAtOnce = 1;

class KernelEmitter {
 public:
  KernelEmitter(llvm::Module& module, const KernelPlan& plan, int lanes, const std::string& name)
      : plan_(plan), access_(module, plan, lanes, name), arithmetic_(access_.arithmetic()), b_(access_.builder()) {}

  llvm::Function* emit() {
    const int lanes = access_.lanes();
    if (lanes == 1) {
      emit_stages();
    } else {
      // Lanes do not see each other: take a few through the whole kernel, then the next.
      const int chunk = plan_.repeat ? repeat_width(lanes) : kVectorsAtOnce * native_width();
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

  // Pairwise: ((0+1)+(2+3))+((4+5)+(6+7)), whether the partial results are numbers or lanes.
  Value* combine_partials(Mode mode, std::vector<Value*> parts) {
    const bool lanes_are_partials = access_.simd();
    while (parts.size() > 1) {
      std::vector<Value*> half;
      for (std::size_t j = 0; j < parts.size(); j += 2) {
        Value *even = parts[j], *odd = parts[j + 1];
        if (lanes_are_partials) {
          std::vector<int> even_lanes, odd_lanes;
          for (int l = 0; l < access_.width(); ++l) even_lanes.push_back(2 * l), odd_lanes.push_back(2 * l + 1);
          even = b_.CreateShuffleVector(parts[j], parts[j + 1], even_lanes);
          odd = b_.CreateShuffleVector(parts[j], parts[j + 1], odd_lanes);
        }
        half.push_back(combine(mode, false, even, odd));
      }
      parts = half;
    }
    if (!lanes_are_partials) return parts[0];
    Value* x = parts[0];
    for (int n = access_.width(); n > 1; n /= 2) {
      std::vector<int> even_lanes, odd_lanes;
      for (int l = 0; l < n; l += 2) even_lanes.push_back(l), odd_lanes.push_back(l + 1);
      x = combine(mode, false, b_.CreateShuffleVector(x, even_lanes), b_.CreateShuffleVector(x, odd_lanes));
    }
    return arithmetic_.extract(x, 0);
  }

  // --- Shapes.

  void emit_stages() {
    access_.rewind_table();
    if (plan_.repeat) return emit_passes(access_);
    for (const auto& stage : plan_.stages) emit_stage(stage);
  }

  void emit_stage(const KernelPlan::Stage& stage) {
    const std::uint64_t count_word = access_.next_word();
    access_.begin_stage(access_.lanes() == 1 && stage.count > 1 && plan_.has_many_instances());
    const Places places = access_.places(stage);
    LlvmValues values;
    compute(access_, stage, places, {b_.getInt64(0)}, true, values);
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

  void emit_stores(const KernelPlan::Stage& stage, const Places& places, const Block& block, const LlvmValues& values,
                   const Reduce& reduce) {
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
        if (is_last_to_its_place(stage, s)) access_.store(p, block, y);
      }
    }
    access_.end_block(block);
  }

  static bool is_last_to_its_place(const KernelPlan::Stage& stage, std::size_t s) {
    for (std::size_t later = s + 1; later < stage.stores.size(); ++later)
      if (stage.first_to_same_place(later) == stage.first_to_same_place(s)) return false;
    return true;
  }

  void finish_reduction(const KernelPlan::Stage& stage, const Places& places, std::size_t s,
                        std::vector<Value*> partials) {
    Value* total = combine_partials(stage.stores[s].mode, std::move(partials));
    update(stage.stores[s].mode, false, places.stores[s].base, total, access_.element_alignment());
  }

  /// One instance after the other; partial results in memory, at k mod KernelSpec::kPartialSums.
  void emit_loop(const KernelPlan::Stage& stage, const Places& places, const LlvmValues& uniform, Value* count) {
    std::map<std::size_t, Value*> partials;
    for (std::size_t s = 0; s < stage.stores.size(); ++s) {
      if (!is_reduction(stage, s)) continue;
      partials[s] = access_.new_memory(KernelSpec::kPartialSums);
      for (int j = 0; j < KernelSpec::kPartialSums; ++j)
        b_.CreateStore(neutral(stage.stores[s].mode, access_.uniform_type()),
                       b_.CreateConstInBoundsGEP1_64(access_.uniform_type(), partials[s], static_cast<unsigned>(j)));
    }
    access_.counted_loop(count, 1, [&](Value* k) {
      LlvmValues values = uniform;
      access_.begin_block();
      compute(access_, stage, places, {k}, false, values);
      emit_stores(stage, places, {k}, values, [&](std::size_t s, Value* y) {
        Value* j = b_.CreateAnd(k, b_.getInt64(KernelSpec::kPartialSums - 1));
        update(stage.stores[s].mode, stage.program.outputs()[s].negative,
               b_.CreateInBoundsGEP(access_.uniform_type(), partials[s], j), y, access_.element_alignment());
      });
    });
    for (const auto& [s, memory] : partials) {
      std::vector<Value*> parts;
      for (int j = 0; j < KernelSpec::kPartialSums; ++j)
        parts.push_back(
            b_.CreateLoad(access_.uniform_type(),
                          b_.CreateConstInBoundsGEP1_64(access_.uniform_type(), memory, static_cast<unsigned>(j))));
      finish_reduction(stage, places, s, parts);
    }
  }

  /// Vectors of instances, as many per iteration as make up the partial results; then the rest, masked.
  void emit_vector_loop(const KernelPlan::Stage& stage, const Places& places, LlvmValues uniform, Value* count) {
    widen(access_, stage, uniform);
    Type* type = LlvmArithmetic::vector_type(b_.getDoubleTy(), access_.width());

    // partials[s] are the vectors of store s, as they flow through the blocks.
    std::map<std::size_t, std::vector<Value*>> partials;
    for (std::size_t s = 0; s < stage.stores.size(); ++s)
      if (is_reduction(stage, s))
        partials[s].assign(static_cast<std::size_t>(KernelSpec::kPartialSums / access_.width()),
                           neutral(stage.stores[s].mode, type));
    const int vectors = partials.empty() ? 1 : KernelSpec::kPartialSums / access_.width();
    const int step = vectors * access_.width();
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
      LlvmValues values = uniform;
      access_.begin_block();
      compute(access_, stage, places, block, false, values);
      emit_stores(stage, places, block, values, [&](std::size_t s, Value* y) {
        const auto mode = stage.stores[s].mode;
        Value*& part = partials.at(s)[static_cast<std::size_t>(v)];
        Value* next = combine(mode, stage.program.outputs()[s].negative, part, y);
        part = block.mask ? b_.CreateSelect(block.mask, next, part) : next;
      });
    };

    // Full blocks.
    BasicBlock* before = b_.GetInsertBlock();
    BasicBlock* loop = access_.new_block("vectors");
    BasicBlock* rest = access_.new_block("rest");
    const auto initial = partials;
    b_.CreateCondBr(b_.CreateICmpSGT(full, b_.getInt64(0)), loop, rest);
    b_.SetInsertPoint(loop);
    PHINode* k = b_.CreatePHI(b_.getInt64Ty(), 2);
    k->addIncoming(b_.getInt64(0), before);
    const auto loop_phis = phis(partials);
    connect(loop_phis, initial, before);
    for (int v = 0; v < vectors; ++v) emit_block({b_.CreateNSWAdd(k, b_.getInt64(v * access_.width()))}, v);
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
    BasicBlock* masked = access_.new_block("masked");
    BasicBlock* done = access_.new_block("stage_done");
    Value* left = b_.CreateNSWSub(count, full);
    b_.CreateCondBr(b_.CreateICmpSGT(left, b_.getInt64(0)), masked, done);
    b_.SetInsertPoint(masked);
    for (int v = 0; v < vectors; ++v) {
      std::vector<std::uint64_t> numbers;
      for (int l = 0; l < access_.width(); ++l) numbers.push_back(static_cast<std::uint64_t>(l));
      Value* here = b_.CreateNSWSub(left, b_.getInt64(v * access_.width()));
      Value* mask = b_.CreateICmpSLT(llvm::ConstantDataVector::get(b_.getContext(), numbers),
                                     arithmetic_.splat(here, access_.width()));
      Value* in_vector = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, here, b_.getInt64(access_.width()));
      emit_block({.k = b_.CreateNSWAdd(full, b_.getInt64(v * access_.width())),
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
