#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/Module.h>

#include <string>

#include "cotangent/kernel/plan.hpp"

namespace cotangent {

/// Writes the plan as a function
///
///   void name(const Context* context, const double* const* in, double* const* out)
///
/// of the module, where *context is the address of the plan's table() (see KernelPlan). A value of `lanes`
/// doubles (1, or kLanes) stands in every place that an index map names.
///
///   one instance         straight-line code with the indices in it
///   few instances        a loop
///   many, lanes = 1      a loop over vectors of native_width() instances, and the rest in one masked vector
///   lanes = kLanes       any of the first two, in a loop over the native vectors that make up a value
///   repeated instance    a loop of passes with the state in registers; for kLanes in a loop over the lanes
///                        that go together, vector by vector
///   several ways         see llvm_ways.hpp
///
/// No instruction carries a fast-math flag and products are fused where the program says so, nowhere else.
llvm::Function* emit_kernel(llvm::Module& module, const KernelPlan& plan, int lanes, const std::string& name);

}  // namespace cotangent
