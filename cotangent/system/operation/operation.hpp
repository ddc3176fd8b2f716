#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "cotangent/base/check.hpp"
#include "cotangent/kernel/dual_kernel.hpp"
#include "cotangent/system/operation/contraction.hpp"

namespace cotangent {

/// The vectors that operations read and write, by the numbers of in:: and out::. System::frame() makes one in which
/// everything that belongs to the system is set; the caller sets the arguments and the results it uses.
template <class T>
struct Frame {
  std::vector<const T*> in;
  std::vector<T*> out;
};

/// A function of the vectors of a frame. Allocates nothing.
template <class T>
class Operation {
 public:
  virtual ~Operation() = default;
  virtual void operator()(const Frame<T>& frame) const = 0;
};

/// Where operations of a system come from that are not made of elements: H of a Lagrangian, H and g of a black box.
template <class T>
class OperationSource {
 public:
  virtual ~OperationSource() = default;

  /// The operation of a contraction; a null pointer for functions that are made of elements.
  /// @throws std::invalid_argument for derivatives that are of too high an order.
  virtual std::unique_ptr<Operation<T>> make(const Contraction& contraction) = 0;

  /// The values of G at DeclaredStructure::constraint_places, in that order. @pre elements have such places.
  virtual void G(const T*, const T&, T*) { check_failed("constraints without families come from the source"); }
};

/// A SpecSequence, compiled.
template <class T>
struct KernelSequence {
  std::vector<Kernel<T>> kernels;
  std::vector<SpecSequence::Zero> zero;

  void operator()(const T* const* in, T* const* out) const {
    for (const auto& each : zero) std::fill_n(out[each.vector], each.size, T(0));
    for (const auto& kernel : kernels) kernel(in, out);
  }
  void operator()(const Frame<T>& frame) const { (*this)(frame.in.data(), frame.out.data()); }
};

/// A contraction, compiled.
template <class T>
class KernelOperation final : public Operation<T> {
 public:
  /// @param rows_to_compare of a result whose norms the kernels leave to be taken.
  KernelOperation(KernelSequence<T> kernels, std::int64_t rows_to_compare)
      : kernels_(std::move(kernels)), rows_to_compare_(rows_to_compare) {}

  void operator()(const Frame<T>& frame) const override {
    kernels_(frame);
    if (rows_to_compare_ > 0) compare_rows(frame);
  }

 private:
  // Where a row is a sum over instances, its absolute value and its scale are known only now.
  void compare_rows(const Frame<T>& frame) const {
    T largest(0), scale(0);
    for (std::int64_t r = 0; r < rows_to_compare_; ++r) {
      const T value = abs(frame.out[out::result][r]);
      largest = select(value <= T(infinity<T>()), max(largest, value), value);  // a residual that is no number stays so
      scale = max(scale, frame.out[out::kRowScales][r]);
    }
    frame.out[out::norms][0] = largest;
    frame.out[out::norms][1] = scale;
  }

  KernelSequence<T> kernels_;
  std::int64_t rows_to_compare_;
};

}  // namespace cotangent
