#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "cotangent/kernel/plan.hpp"

namespace cotangent {

/// Executes a plan instruction by instruction, for T = double, Quad, Lanes. Instances are taken
/// in blocks, so that decoding an instruction is paid once per block; the values of a block live on the
/// stack. Calls are thread-safe and do not allocate.
template <class T>
class Interpreter {
 public:
  explicit Interpreter(KernelPlan plan);

  void operator()(const T* const* in, T* const* out) const;

 private:
  // A stage with its constants rounded to T and its values assigned to registers, which are used again after
  // a value's last use.
  struct Stage {
    KernelPlan::Stage plan;
    std::vector<T> constants;
    std::vector<std::uint32_t> registers;  // of each value
    std::uint32_t register_count;
    std::vector<int> reductions;  // the stores to a fixed place
  };

  template <int kBlock>
  struct Execution;

  // A repetition: its stage loads from one vector of scratch memory, in which each load has a place, and
  // stores into another one.
  struct Repeat {
    KernelPlan::Repeat plan;
    std::vector<KernelPlan::Load> loads;
    std::vector<KernelPlan::Store> stores;  // the first to each place only
  };

  void run(const Stage& stage, const T* const* in, T* const* out) const;
  void run_parts(const T* const* in, T* const* out) const;
  static void run(const Repeat& repeat, const Stage& stage, const T* const* in, T* const* out);

  std::int64_t place_size_;
  std::vector<Stage> stages_;
  std::optional<Repeat> repeat_;
  std::vector<KernelPlan::Part> parts_;
};

/// The larger of two, NaN if one of them is: what Mode::max computes.
template <class T>
T max_or_nan(const T& a, const T& b) {
  return select((a < b) | (b != b), b, a);
}

}  // namespace cotangent
