#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "cotangent/base/scalar.hpp"
#include "cotangent/kernel/backend.hpp"
#include "cotangent/kernel/spec.hpp"

namespace cotangent {

class MachineCode;
struct KernelPlan;
template <class T>
class KernelCompiler;

/// A compiled KernelSpec: a pure function of its inputs, safe to call from several threads, free of
/// allocation (but for a first call that compiles). A handle; the compiler that made it must outlive it.
template <class T>
class Kernel {
 public:
  Kernel() = default;

  /// in[v] and out[v] are the vectors that the spec's loads and stores name.
  void operator()(const T* const* in, T* const* out) const {
    entry_->run.load(std::memory_order_acquire)(entry_, in, out);
  }

  bool valid() const { return entry_ != nullptr; }

 private:
  friend class KernelCompiler<T>;

  // What machine code is called with; it finds counts and index lists in the table.
  struct Entry {
    using Run = void (*)(const void* entry, const T* const* in, T* const* out);
    const std::int64_t* table = nullptr;
    std::atomic<Run> run = nullptr;  // compiles first, as long as the kernel is pending
  };

  explicit Kernel(const Entry* entry) : entry_(entry) {}
  const Entry* entry_ = nullptr;
};

/// Turns specs into kernels. Compilation is lazy: kernels wait until one of them is called for the first time
/// (or compile() is), and are then compiled together, in one module.
template <class T>
class KernelCompiler {
 public:
  /// @throws std::invalid_argument for Backend::jit if T is neither double nor Lanes, or without LLVM.
  /// @param code that others have made, or will make, to be shared; a null pointer for none.
  explicit KernelCompiler(Backend backend, std::shared_ptr<MachineCode> code = nullptr);
  ~KernelCompiler();
  KernelCompiler(const KernelCompiler&) = delete;
  KernelCompiler& operator=(const KernelCompiler&) = delete;

  Kernel<T> add(KernelSpec spec);
  Kernel<T> add(KernelPlan plan);

  /// Compiles whatever is pending.
  void compile();

  Backend backend() const;

  struct Statistics {
    int kernels = 0;     ///< compiled so far
    int functions = 0;   ///< of all who share the code: kernels that differ in size only have one
    double seconds = 0;  ///< spent compiling
  };
  Statistics statistics() const;

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace cotangent
