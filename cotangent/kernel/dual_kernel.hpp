#pragma once

#include "cotangent/base/dual.hpp"
#include "cotangent/kernel/kernel.hpp"

namespace cotangent {

/// The spec that computes, beside every value, its derivatives along K directions. A vector of dual numbers is a vector
/// of K + 1 times as many numbers: where the spec has the index i, the value is at (K + 1) i and derivative k at
/// (K + 1) i + k + 1.
///
///   x_s, dx_s,k                              loads; derivatives of constants are zero and not loaded
///   y_o, dy_o,k = sum_s df_o/dx_s dx_s,k     stores; the largest of several values (Mode::max) has no derivatives
///
/// @pre the spec does not repeat itself.
KernelSpec with_tangents(const KernelSpec& spec, int K);

/// Kernels over dual numbers are kernels over T, of specs with tangents.
template <class T, int K>
class Kernel<Dual<T, K>> {
 public:
  Kernel() = default;

  void operator()(const Dual<T, K>* const* in, Dual<T, K>* const* out) const {
    static_assert(sizeof(Dual<T, K>) == (K + 1) * sizeof(T));
    kernel_(reinterpret_cast<const T* const*>(in), reinterpret_cast<T* const*>(out));
  }

  bool valid() const { return kernel_.valid(); }

 private:
  friend class KernelCompiler<Dual<T, K>>;
  explicit Kernel(Kernel<T> kernel) : kernel_(kernel) {}
  Kernel<T> kernel_;
};

template <class T, int K>
class KernelCompiler<Dual<T, K>> {
 public:
  explicit KernelCompiler(Backend backend) : compiler_(backend) {}

  Kernel<Dual<T, K>> add(const KernelSpec& spec) { return Kernel<Dual<T, K>>(compiler_.add(with_tangents(spec, K))); }
  void compile() { compiler_.compile(); }
  Backend backend() const { return compiler_.backend(); }
  typename KernelCompiler<T>::Statistics statistics() const { return compiler_.statistics(); }

 private:
  KernelCompiler<T> compiler_;
};

}  // namespace cotangent
