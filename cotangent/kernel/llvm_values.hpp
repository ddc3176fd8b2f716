#pragma once

#include <vector>

#include "cotangent/kernel/llvm_access.hpp"

namespace cotangent {

/// The values of a stage's program, instruction by instruction; null where not computed yet.
struct LlvmValues {
  std::vector<llvm::Value*> number;
  std::vector<llvm::Value*> truth;  ///< of comparisons: the bit itself
};

/// Computes what `values` lacks, for a block of instances; with `uniform_only`, only what is the same for all instances
/// or passes.
void compute(LlvmAccess& access, const KernelPlan::Stage& stage, const LlvmAccess::Places& places,
             const LlvmAccess::Block& block, bool uniform_only, LlvmValues& values);

/// Splats what is uniform and used by something that is not, outside of the loop.
void widen(LlvmAccess& access, const KernelPlan::Stage& stage, LlvmValues& values);

}  // namespace cotangent
