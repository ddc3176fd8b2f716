#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/system/system.hpp"

namespace cotangent {

/// An input of a contraction: its weights, and the parts of its first and second direction.
enum class Input : int { w = in::weights, a_q = in::a_q, a_p = in::a_p, b_q = in::b_q, b_p = in::b_p };

/// Several contractions at one point in few passes over memory: their kernels are joined, and those with the same
/// output are added up in the kernel.
///
///   out_o = sum over the terms of output o:  factor * contraction(inputs of the term)
///
/// Contractions that are not made of elements alone (the H of a Lagrangian, functions of sums) are called one after the
/// other instead.
template <class T>
class JointOperation {
 public:
  struct Term {
    Contraction contraction;  ///< without norms
    /// What this term finds in slots: (Input::w, 0) takes its weights from slot 0.
    std::vector<std::pair<Input, int>> inputs;
    int output = 0;
    double factor = 1;
  };

  /// @param system must outlive this.
  JointOperation(System<T>& system, std::vector<Term> terms, std::vector<std::int64_t> output_sizes, int slots);

  /// The point and the slots; pointers must stay valid until the call.
  void at(const T* q, const T* p, const T& t);
  void set(int slot, const T* x) { slots_[static_cast<std::size_t>(slot)] = x; }

  /// Does not allocate, but for the first time. An output that is zero whatever the inputs are is set only then: give
  /// the same vectors every time.
  void operator()(std::initializer_list<T*> outputs);

 private:
  /// Nothing if some term has more to it than kernels that add to its result.
  using Joint = std::optional<KernelSequence<T>>;
  std::string key() const;
  Joint join() const;
  void prepare_calls();
  void call_each(T* const* outputs);

  System<T>& system_;
  std::vector<Term> terms_;
  std::vector<std::int64_t> sizes_;
  std::vector<const T*> slots_;
  Frame<T> frame_;
  const Joint* joint_ = nullptr;                 // made when first used
  std::vector<const Operation<T>*> operations_;  // of the terms, where they are called; null for one that vanishes
  std::vector<T> result_;
};

COTANGENT_DECLARE(NUMBERS, JointOperation);

}  // namespace cotangent
