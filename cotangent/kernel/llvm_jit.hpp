#pragma once

#include <memory>
#include <span>
#include <vector>

#include "cotangent/kernel/plan.hpp"

namespace cotangent {

/// Compiles plans to machine code for this CPU, with LLVM. The code lives as long as this object.
class LlvmJit {
 public:
  /// What a kernel's machine code is called with: the first word must be the address of the plan's table().
  using Code = void (*)(const void* context, const void* in, void* out);

  /// Whether the library was built with LLVM.
  static bool is_available();

  /// @pre is_available().
  LlvmJit();
  ~LlvmJit();
  LlvmJit(const LlvmJit&) = delete;
  LlvmJit& operator=(const LlvmJit&) = delete;

  /// @param lanes doubles in a value: 1 for T = double, kLanes for T = Lanes.
  std::vector<Code> compile(std::span<const KernelPlan* const> plans, int lanes);

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace cotangent
