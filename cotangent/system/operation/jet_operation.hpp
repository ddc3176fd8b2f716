#pragma once

#include <vector>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/kernel/jet_kernel.hpp"
#include "cotangent/system/system.hpp"

namespace cotangent {

/// A contraction evaluated on power series in the time, order by order: coefficient k of H_p(q(t), p(t), t), say, from
/// coefficients 0 .. k of q and p. Made of the same kernels as the contraction itself; group variables and adjoints
/// become series, too. A workspace of one thread.
template <class T>
class JetOperation {
 public:
  /// @param orders that may be asked for. @param again says what changes where the newest order is evaluated again.
  /// @param system must outlive this.
  /// @pre system.model().is_made_of_elements(contraction).
  JetOperation(System<T>& system, const Contraction& contraction, int orders,
               const typename JetKernel<T>::Again& again = {});

  /// Where an argument is, by its number of in::, and where the result goes: both may change from call to call.
  void read(int vector, const T* first, std::size_t stride) {
    frame_.in[static_cast<std::size_t>(vector)] = {first, stride};
  }
  void write(T* first, std::size_t stride) { frame_.out[out::result] = {first, stride}; }

  /// Sets coefficient k of the result. Orders come one after the other from 0 on; `again` evaluates the last one
  /// again, after its arguments have changed.
  void operator()(int k, bool again = false);

  /// For machine code that does the same: the rows of these outputs are cleared (where results are wanted), then come
  /// these kernels.
  struct Zero {
    int vector;
    std::size_t size;
  };
  const std::vector<Zero>& zero() const { return zero_; }
  std::vector<JetKernel<T>>& kernels() { return kernels_; }
  const JetFrame<T>& frame() const { return frame_; }
  bool has_results_again() const { return has_results_again_; }

  /// It is zero whatever the arguments are.
  bool vanishes() const { return kernels_.empty(); }

  bool has_pieces() const;
  /// See JetKernel::first_change.
  T first_change(int orders, const T& h) const;

 private:
  std::vector<JetKernel<T>> kernels_;
  bool has_results_again_;
  std::vector<Zero> zero_;  // what kernels add to
  std::vector<std::vector<T>> series_;
  JetFrame<T> frame_;
};

COTANGENT_DECLARE(NUMBERS, JetOperation);

}  // namespace cotangent
