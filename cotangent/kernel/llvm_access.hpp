#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "cotangent/kernel/llvm_arithmetic.hpp"
#include "cotangent/kernel/plan.hpp"

namespace cotangent {

/// The function that a plan is written as, and how it reads and writes memory: control flow, the table of the plan,
/// loads, counters and stores of blocks of instances.
///
/// A place of several numbers (see KernelSpec::place_size) is read as a whole: instances side by side give vectors
/// a0 b0 c0 . a1 b1 c1 . ..., from which a0 a1 ... are shuffled. So are those of places that follow each other written;
/// others are written number by number.
class LlvmAccess {
 public:
  using Type = llvm::Type;
  using Value = llvm::Value;
  using BasicBlock = llvm::BasicBlock;
  using Kind = IndexMap::Kind;

  LlvmAccess(llvm::Module& module, const KernelPlan& plan, int lanes, const std::string& name);

  llvm::IRBuilder<>& builder() { return b_; }
  LlvmArithmetic& arithmetic() { return arithmetic_; }
  llvm::Function* function() const { return function_; }
  const KernelPlan& plan() const { return plan_; }
  int lanes() const { return lanes_; }

  // --- Control flow.

  BasicBlock* new_block(const char* name) { return BasicBlock::Create(b_.getContext(), name, function_); }

  /// for (i = 0; i < end; i += step) body(i), at least once.
  void counted_loop(Value* end, int step, const std::function<void(Value*)>& body);

  /// Memory for one uniform value, or several, on the stack.
  Value* new_memory(int count = 1);

  // --- What is current.

  /// From here on lanes lane, lane + 1, ..., chunk of them, of every T.
  void set_lanes(Value* lane, int chunk) { lane_ = lane, chunk_ = chunk; }
  int chunk() const { return chunk_; }

  /// From here on the words of the table are read from the beginning.
  void rewind_table();
  std::uint64_t next_word() { return next_word_++; }
  Value* word(std::uint64_t n, Type* type);

  /// From here on the places of another stage; simd: it takes several instances at once.
  void begin_stage(bool simd);
  bool simd() const { return simd_; }

  /// Doubles in a value that differs from instance to instance.
  int width() const { return width_; }

  // --- Places.

  /// One load, counter or store. Affine: base is the place of instance 0. List: base is the vector.
  struct Place {
    Kind kind = Kind::fixed;
    Value* whole = nullptr;  ///< the base of part 0
    int part = 0;
    Value* base = nullptr;    ///< of the part
    Value* offset = nullptr;  ///< of a counter
    Value* stride = nullptr;  ///< between instances, in places
    Value* list = nullptr;
    std::size_t shared = 0;  ///< the same for places that differ in their part only
  };
  struct Places {
    std::vector<Place> loads, counters, stores;
  };

  /// The instances k, k+1, ... that one vector holds; k alone outside of SIMD shape.
  struct Block {
    Value* k;
    Value* mask = nullptr;   ///< which of them exist, if not all
    Value* count = nullptr;  ///< how many do, in a masked block
    Value* last = nullptr;   ///< the last instance there is, in a masked block
  };

  /// Reads the next words of the table.
  Places places(const KernelPlan::Stage& stage);

  Value* vector(bool output, int v);
  Value* address_of(const Place& p, Value* k) { return address_of(p, p.base, k); }

  // --- Values. Leaves are a number (or a chunk of lanes) where all instances have the same or there is one, else a
  // vector.

  Type* uniform_type() { return LlvmArithmetic::vector_type(b_.getDoubleTy(), chunk_); }
  llvm::Align element_alignment() const;

  /// What is loaded or stored from here on is of another block of instances.
  void begin_block() { wholes_.clear(); }

  /// @param invariant nothing that the kernel does changes it.
  Value* load(const Place& p, const Block& block, bool invariant);
  Value* counter(const Place& p, const Block& block);

  /// x[at(k)] = y, at end_block() at the latest.
  void store(const Place& p, const Block& block, Value* y);
  void end_block(const Block& block);

  /// write(k, y) for the lanes of a block that exist, one by one.
  void for_each_instance(const Block& block, Value* y, const std::function<void(Value* k, Value* y)>& write);

 private:
  struct Pending {
    Place place;
    std::vector<Value*> parts;
  };

  Value* read(Type* type, Value* pointer, std::uint64_t alignment, bool invariant, Value* mask = nullptr);
  void write(Value* y, Value* pointer, Value* mask);
  Value* element(Value* base, Value* index);
  Place place(const IndexMap& at, Value* vector, int part);
  Value* index(const Place& p, Value* k);
  Value* address_of(const Place& p, Value* base, Value* k);
  Value* instance(const Block& block, int l);
  Value* whole(const Place& p, const Block& block, bool invariant);
  Value* whole_mask(const Block& block);
  void store_whole(Pending pending, const Block& block);

  const KernelPlan& plan_;
  llvm::IRBuilder<> b_;
  LlvmArithmetic arithmetic_;
  llvm::Function* function_ = nullptr;

  const int lanes_;        // doubles in a T
  int chunk_ = 1;          // of them in one register
  Value* lane_ = nullptr;  // the first of them

  Value* table_ = nullptr;
  std::uint64_t next_word_ = 0;
  std::map<std::pair<bool, int>, Value*> vectors_;  // addresses of in[v] and out[v]
  bool simd_ = false;
  int width_ = 1;

  std::vector<std::pair<Value*, IndexMap>> shared_;
  std::map<std::size_t, Value*> wholes_;    // all parts of the instances of a block
  std::map<std::size_t, Pending> pending_;  // what is to be stored at the end of a block
};

}  // namespace cotangent
