#pragma once

#include <alloca.h>

#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

#include "cotangent/base/dual.hpp"
#include "cotangent/kernel/kernel.hpp"

namespace cotangent {

/// The spec that computes, beside every value, its derivatives along K directions. A place holds
/// place_size numbers: the value is part 0 of it and derivative k part k + 1.
///
///   x_s, dx_s,k                              loads; derivatives of constants are zero and not loaded
///   y_o, dy_o,k = sum_s df_o/dx_s dx_s,k     stores; the largest of several values (Mode::max) has no derivatives
///
/// @pre the spec does not repeat itself.
KernelSpec with_tangents(const KernelSpec& spec, int K, int place_size);

/// Numbers the vectors of a spec anew, 0, 1, ..., so that there are no others than those that it loads and stores.
struct VectorNumbers {
  std::vector<int> in, out;  ///< the old numbers
};
VectorNumbers renumber_vectors(KernelSpec& spec);

/// Kernels over dual numbers are kernels over T, of specs with tangents.
template <class T, int K>
class Kernel<Dual<T, K>> {
 public:
  Kernel() = default;

  void operator()(const Dual<T, K>* const* in, Dual<T, K>* const* out) const {
    // Pointers are converted one by one: an array of pointers to dual numbers must not be read as one of others.
    auto** numbers_in = static_cast<const T**>(alloca(sizeof(T*) * vectors_.in.size()));
    auto** numbers_out = static_cast<T**>(alloca(sizeof(T*) * vectors_.out.size()));
    for (std::size_t v = 0; v < vectors_.in.size(); ++v) numbers_in[v] = numbers(in[vectors_.in[v]]);
    for (std::size_t v = 0; v < vectors_.out.size(); ++v) numbers_out[v] = numbers(out[vectors_.out[v]]);
    kernel_(numbers_in, numbers_out);
  }

  bool valid() const { return kernel_.valid(); }

 private:
  friend class KernelCompiler<Dual<T, K>>;

  Kernel(Kernel<T> kernel, VectorNumbers vectors) : kernel_(kernel), vectors_(std::move(vectors)) {}

  // value, d[0], ..., d[K-1] of one dual number after the other.
  template <class Number>
  static auto* numbers(Number* x) {
    static_assert(std::is_standard_layout_v<Dual<T, K>> && sizeof(Dual<T, K>) == Dual<T, K>::kSize * sizeof(T));
    return x ? &x->value : nullptr;
  }

  Kernel<T> kernel_;
  VectorNumbers vectors_;
};

template <class T, int K>
class KernelCompiler<Dual<T, K>> {
 public:
  /// @param numbers compiles the kernels over T, and must outlive this and them.
  explicit KernelCompiler(KernelCompiler<T>& numbers) : compiler_(numbers) {}

  Kernel<Dual<T, K>> add(const KernelSpec& spec) { return add_numbers(with_tangents(spec, K, Dual<T, K>::kSize)); }
  /// A spec that says itself what becomes of derivatives, because it loads and stores the numbers that dual numbers
  /// consist of: in[v] and out[v] are vectors of T, with Dual<T, K>::kSize numbers for each dual number.
  Kernel<Dual<T, K>> add_numbers(KernelSpec numbers) {
    VectorNumbers vectors = renumber_vectors(numbers);
    return {compiler_.add(std::move(numbers)), std::move(vectors)};
  }
  void compile() { compiler_.compile(); }
  Backend backend() const { return compiler_.backend(); }
  typename KernelCompiler<T>::Statistics statistics() const { return compiler_.statistics(); }

 private:
  KernelCompiler<T>& compiler_;
};

}  // namespace cotangent
