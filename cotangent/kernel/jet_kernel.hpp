#pragma once

#include <cstdint>
#include <type_traits>
#include <vector>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/kernel/jet_plan.hpp"

namespace cotangent {

/// A vector of power series: coefficient k of entry i is row(k)[i].
template <class T>
struct JetVector {
  T* first = nullptr;
  std::size_t stride = 0;  ///< 0: one row for the coefficient that is being computed

  T* row(int k) const { return first + static_cast<std::size_t>(k) * stride; }
};

/// The vectors that a spec reads and writes, by their numbers; those that are constant have one row.
template <class T>
struct JetFrame {
  std::vector<JetVector<const T>> in;
  std::vector<JetVector<T>> out;
};

/// A KernelSpec evaluated on power series, order by order, by interpretation: an instruction at a time for a block of
/// instances, all sums over lower orders in vector registers. Compiling nothing, it takes the same time to set up for
/// every order and for every number of instances. The same instance gives the same bits in every block and lane.
///
/// It remembers the coefficients of the values of all instances, and belongs to one thread.
template <class T>
class JetKernel {
 public:
  using Again = JetPlan::Again;

  /// @param orders that may be asked for: 0 .. orders - 1.
  JetKernel(const KernelSpec& spec, int orders, const Again& again = {});

  /// Adds coefficient k of all stores to rows k of the outputs, whatever their mode is, from rows k of the loads.
  /// Orders come one after the other from 0 on; `again` evaluates the last one again, after newest coefficients have
  /// changed.
  void operator()(int k, bool again, const JetFrame<T>& frame);

  bool has_pieces() const { return !plan_.program.switches().empty(); }

  /// The first time, from 0 on towards h, at which an instance leaves the piece of its functions that it is on, as far
  /// as coefficients below `orders` tell; h, if there is none.
  T first_change(int orders, const T& h) const;

 private:
  // Lanes are doubles side by side.
  static constexpr std::size_t kWidth = lane_count<T>;

 public:
  using Number = std::conditional_t<kWidth == 1, T, double>;

  /// For machine code that does the same.
  const JetPlan& plan() const { return plan_; }
  Number* memory() { return memory_.data(); }
  Number* scratch() { return scratch_.data(); }

 private:
  struct Block {
    std::int64_t first;
    std::size_t count;  // of instances
    Number* memory;     // of what is kept
    std::size_t numbers() const { return count * kWidth; }
  };

  Number* at(const Block& block, JetProgram::Value v, int k) const {
    const JetPlan::Place& place = plan_.places[v];
    return (place.is_kept ? block.memory : scratch_.data()) + place.first + static_cast<std::size_t>(k) * place.stride;
  }
  Number* rest(const Block& block, JetProgram::Value v) const { return block.memory + plan_.places[v].rest; }
  void begin(const Block& block, JetProgram::Value v, const JetFrame<T>& frame);
  template <bool kIsOne>
  void go_on(const Block& block, JetProgram::Value v, int k, bool again, const JetFrame<T>& frame);
  void load(const Block& block, JetProgram::Value v, int k, const JetFrame<T>& frame);
  void store(const Block& block, std::size_t s, int k, const JetFrame<T>& frame) const;

  JetPlan plan_;
  std::vector<Number> constants_;
  std::vector<Number> memory_;
  mutable std::vector<Number> scratch_;
};

COTANGENT_DECLARE(NUMBERS, JetKernel);

}  // namespace cotangent
