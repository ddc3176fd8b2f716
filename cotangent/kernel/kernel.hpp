#pragma once

#include <cstdint>
#include <memory>

#include "cotangent/base/scalar.hpp"
#include "cotangent/kernel/spec.hpp"

namespace cotangent {

/// How expressions are evaluated.
enum class Backend : std::uint8_t {
  jit,          ///< machine code for this CPU, by LLVM; double and Lanes only
  interpreter,  ///< instruction by instruction; every T, same bits
};

template <class T>
class KernelCompiler;

/// A compiled KernelSpec: a pure function of its inputs, safe to call from several threads once compiled,
/// free of allocation. A handle; the compiler that made it must outlive it.
template <class T>
class Kernel {
 public:
  /// in[v] and out[v] are the vectors that the spec's loads and stores name.
  void operator()(const T* const* in, T* const* out) const { entry_->run(entry_->context, in, out); }

  bool valid() const { return entry_ != nullptr; }

 private:
  friend class KernelCompiler<T>;

  struct Entry {
    void (*run)(const void* context, const T* const* in, T* const* out);
    const void* context;
  };

  explicit Kernel(const Entry* entry = nullptr) : entry_(entry) {}
  const Entry* entry_ = nullptr;
};

/// Turns specs into kernels. Compilation is lazy: kernels wait until one of them is called for the first time
/// (or compile() is), and are then compiled together, in one module.
template <class T>
class KernelCompiler {
 public:
  explicit KernelCompiler(Backend backend);
  ~KernelCompiler();
  KernelCompiler(const KernelCompiler&) = delete;
  KernelCompiler& operator=(const KernelCompiler&) = delete;

  Kernel<T> add(KernelSpec spec);

  /// Compiles whatever is pending.
  void compile();

  Backend backend() const;

  struct Statistics {
    int kernels = 0;         ///< compiled so far
    double seconds = 0;      ///< spent compiling
  };
  Statistics statistics() const;

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace cotangent
