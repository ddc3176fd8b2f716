#include "cotangent/kernel/kernel.hpp"

#include <chrono>
#include <deque>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/kernel/interpreter.hpp"
#include "cotangent/kernel/machine_code.hpp"

namespace cotangent {

bool has_jit() { return LlvmJit::is_available(); }

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

SeriesTable::Code MachineCode::find(const SeriesPlan& plan) {
  const std::lock_guard lock(mutex_);
  SeriesTable::Code& code = series_[plan.code_key()];
  if (!jit_) jit_ = std::make_unique<LlvmJit>();
  if (!code) code = jit_->compile(plan);
  return code;
}

std::size_t MachineCode::size() const {
  const std::lock_guard lock(mutex_);
  return code_.size() + series_.size();
}

template <class T>
struct KernelCompiler<T>::Implementation {
  using Entry = typename Kernel<T>::Entry;

  struct Item : Entry {
    Implementation* owner;
    KernelPlan plan;  // owns the index lists that the table points into
    std::vector<std::int64_t> table_words;
    std::optional<Interpreter<T>> interpreter;
  };

  Implementation(Backend chosen, std::shared_ptr<MachineCode> shared) : backend(chosen), code(std::move(shared)) {}

  static void run_pending(const void* entry, const T* const* in, T* const* out) {
    const Item& item = *static_cast<const Item*>(entry);
    item.owner->compile();
    item.run.load(std::memory_order_acquire)(entry, in, out);
  }

  static void run_interpreter(const void* entry, const T* const* in, T* const* out) {
    (*static_cast<const Item*>(entry)->interpreter)(in, out);
  }

  const Entry* add(KernelPlan plan) {
    const std::lock_guard lock(mutex);
    Item& item = items.emplace_back();
    item.owner = this;
    item.plan = std::move(plan);
    item.run.store(&run_pending);
    pending.push_back(&item);
    return &item;
  }

  void compile() {
    const std::lock_guard lock(mutex);
    if (pending.empty()) return;
    const auto start = std::chrono::steady_clock::now();
    if (backend == Backend::jit) {
      compile_to_machine_code();
    } else {
      for (Item* item : pending) {
        item->interpreter.emplace(std::move(item->plan));
        item->run.store(&run_interpreter, std::memory_order_release);
      }
    }
    statistics.kernels += static_cast<int>(pending.size());
    statistics.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    pending.clear();
  }

  void compile_to_machine_code() {
    std::vector<const KernelPlan*> plans;
    for (const Item* item : pending) plans.push_back(&item->plan);
    const auto found = code->find(plans, lane_count<T>);
    for (std::size_t k = 0; k < pending.size(); ++k) {
      Item& item = *pending[k];
      item.table_words = item.plan.table();
      item.table = item.table_words.data();
      item.run.store(reinterpret_cast<typename Entry::Run>(found[k]), std::memory_order_release);
    }
  }

  const Backend backend;
  std::mutex mutex;
  std::deque<Item> items;  // entries stay where they are
  std::vector<Item*> pending;
  const std::shared_ptr<MachineCode> code;
  Statistics statistics;
};

template <class T>
KernelCompiler<T>::KernelCompiler(Backend backend, std::shared_ptr<MachineCode> code)
    : implementation_(
          std::make_unique<Implementation>(backend, code ? std::move(code) : std::make_shared<MachineCode>())) {
  if (backend != Backend::jit) return;
  if (!std::is_same_v<LaneOf<T>, double>)
    throw std::invalid_argument("kernel: backend jit computes in double only; Quad needs backend interpreter");
  if (!has_jit())
    throw std::invalid_argument(
        "kernel: backend jit is not available because the library was built without LLVM (COTANGENT_LLVM=OFF); use "
        "backend interpreter");
}

template <class T>
KernelCompiler<T>::~KernelCompiler() = default;

template <class T>
Kernel<T> KernelCompiler<T>::add(KernelSpec spec) {
  return add(KernelPlan(spec));
}

template <class T>
Kernel<T> KernelCompiler<T>::add(KernelPlan plan) {
  return Kernel<T>(implementation_->add(std::move(plan)));
}

template <class T>
void KernelCompiler<T>::compile() {
  implementation_->compile();
}

template <class T>
Backend KernelCompiler<T>::backend() const {
  return implementation_->backend;
}

template <class T>
typename KernelCompiler<T>::Statistics KernelCompiler<T>::statistics() const {
  const std::lock_guard lock(implementation_->mutex);
  Statistics statistics = implementation_->statistics;
  statistics.functions = static_cast<int>(implementation_->code->size());
  return statistics;
}

COTANGENT_INSTANTIATE(KERNELS, KernelCompiler);

}  // namespace cotangent
