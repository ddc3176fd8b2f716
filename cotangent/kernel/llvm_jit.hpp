#pragma once

#include <memory>
#include <span>
#include <vector>

#include "cotangent/kernel/plan.hpp"
#include "cotangent/kernel/series_plan.hpp"

namespace cotangent {

#ifdef COTANGENT_WITH_LLVM

/// Compiles plans to machine code for this CPU, with LLVM. The code lives as long as this object.
class LlvmJit {
 public:
  static constexpr bool is_available() { return true; }

  /// A kernel's machine code. The first word of the context must be the address of the plan's table().
  using Code = void (*)(const void* context, const void* in, void* out);

  LlvmJit();
  ~LlvmJit();
  LlvmJit(const LlvmJit&) = delete;
  LlvmJit& operator=(const LlvmJit&) = delete;

  /// @param lanes doubles in a value: 1 for T = double, kLanes for T = Lanes.
  std::vector<Code> compile(std::span<const KernelPlan* const> plans, int lanes);

  SeriesTable::Code compile(const SeriesPlan& plan);

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

#else

/// Stands in where the library is built without LLVM; never made.
class LlvmJit {
 public:
  static constexpr bool is_available() { return false; }
  using Code = void (*)(const void* context, const void* in, void* out);
  std::vector<Code> compile(std::span<const KernelPlan* const>, int) { return {}; }
  SeriesTable::Code compile(const SeriesPlan&) { return nullptr; }
};

#endif

}  // namespace cotangent
