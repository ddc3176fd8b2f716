#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "cotangent/kernel/llvm_jit.hpp"

namespace cotangent {

/// Machine code by what it computes: compilers that share it compile nothing twice. Safe to use from several threads.
class MachineCode {
 public:
  /// The code of plans, in their order; compiled together where it is not known yet.
  /// @param lanes doubles in a value.
  std::vector<LlvmJit::Code> find(std::span<const KernelPlan* const> plans, int lanes);

  SeriesTable::Code find(const SeriesPlan& plan);

  /// Functions that have been compiled.
  std::size_t size() const;

 private:
  mutable std::mutex mutex_;
  std::unique_ptr<LlvmJit> jit_;  // made when it is first needed
  std::unordered_map<std::string, LlvmJit::Code> code_;
  std::unordered_map<std::string, SeriesTable::Code> series_;
};

}  // namespace cotangent
