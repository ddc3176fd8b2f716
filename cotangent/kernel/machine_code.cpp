#include "cotangent/kernel/machine_code.hpp"

#include <utility>

namespace cotangent {

std::vector<LlvmJit::Code> MachineCode::find(std::span<const KernelPlan* const> plans, int lanes) {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> keys;
  std::unordered_map<std::string, std::size_t> new_keys;
  std::vector<const KernelPlan*> new_plans;  // one of each kind
  for (const KernelPlan* plan : plans) {
    keys.push_back(std::to_string(lanes) + plan->code_key());
    if (!code_.contains(keys.back()) && new_keys.emplace(keys.back(), new_plans.size()).second)
      new_plans.push_back(plan);
  }
  if (!new_plans.empty()) {
    if (!jit_) jit_ = std::make_unique<LlvmJit>();
    const auto compiled = jit_->compile(new_plans, lanes);
    for (const auto& [key, k] : new_keys) code_.emplace(key, compiled[k]);
  }
  std::vector<LlvmJit::Code> found;
  for (const std::string& key : keys) found.push_back(code_.at(key));
  return found;
}

std::size_t MachineCode::size() const {
  const std::lock_guard lock(mutex_);
  return code_.size();
}

}  // namespace cotangent
