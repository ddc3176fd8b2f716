#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "cotangent/base/index_map.hpp"
#include "cotangent/expr/expr.hpp"

namespace cotangent {

/// What a kernel computes: a loop over the instances k = 0 .. count-1 of small functions f_o,
///
///   x_s = in[v_s][at_s(k)]                  loads (but see place_size)
///   i_c = at_c(k)                           counters: integers known from k
///   y_o = f_o(x, i)
///   out[v_o][at_o(k)]  =, +=, max=  y_o     stores
///
/// Everything the program evaluates in bulk has this form: gradients of H, constraint residuals, entries of the matrix
/// G H_pp G', reductions. Expressions contain only the symbols of loads and counters; neither sums nor array entries.
///
/// The meaning is exact, so that every backend and every SIMD shape gives the same bits: stores take effect
/// in the order of the list, as if for each store there were one loop over k of its own. A store to a fixed
/// place is a reduction: it adds (or compares) in kPartialSums interleaved partial results, k modulo
/// kPartialSums, that are combined pairwise, ((0+1)+(2+3))+((4+5)+(6+7)), and then with what the place holds;
/// a partial result without any term is -0 (or -infinity). Assigning to a fixed place leaves the value of the
/// last instance. With count = 0 nothing is read or written.
///
/// Inputs and outputs do not overlap in memory (but see Repeat), nor do two different output vectors.
struct KernelSpec {
  enum class Mode : std::uint8_t {
    assign,
    add,
    max,  ///< NaN if one of the two is: a residual that is not a number must not vanish
  };

  struct Load {
    Expr symbol;
    int vector = 0;
    IndexMap at = IndexMap::fixed(0);
    bool constant = false;  ///< the same in every call: tangents, where there are some, are zero
    int part = 0;           ///< of the place
  };
  struct Counter {
    Expr symbol;
    IndexMap at = IndexMap::fixed(0);
  };
  struct Store {
    Expr value;
    int vector = 0;
    IndexMap at = IndexMap::fixed(0);
    Mode mode = Mode::add;
    int part = 0;  ///< of the place
  };

  static constexpr int kPartialSums = 8;

  std::vector<Load> loads;
  std::vector<Counter> counters;
  std::vector<Store> stores;
  std::int64_t count = 0;

  /// A place may hold several numbers, as a dual number does: part j of the place i of a vector is number
  /// place_size i + j of it. Parts are numbered 0 .. place_parts - 1; the numbers of a place beyond them mean
  /// nothing and may be overwritten. Not for Lanes, and not together with Repeat.
  int place_size = 1, place_parts = 1;

  /// Repetition of a single instance: what a pass stores, the next pass loads, without going through memory.
  ///
  /// in[passes][0], a whole number (for Lanes the same in all lanes), says how many passes are wanted. A pass
  /// evaluates the guard and all stores; where the guard is zero or not a number, in any lane of those that
  /// go together, their passes end before this one, which changes nothing. At the end the places of the
  /// stores are written as the last pass that counted left them (none of them if no pass did); stores of mode
  /// max begin with what is there. out[done][0] is always written and tells how many passes counted (for
  /// Lanes: in each lane, for the lanes that go together: repeat_width() of them, see plan.hpp).
  ///
  /// Inputs are read before the first pass and before any output is written, so that here inputs and outputs may be the
  /// same memory, where in[v][k] is out[w][l] or they are disjoint. Loads that nothing is fed into stay what they were
  /// before the first pass. Only for count = 1, without stores of mode add.
  struct Repeat {
    /// Positions in stores and loads: what is in the store's place after one pass is the load of the next. A
    /// store may feed several loads.
    struct Feedback {
      int store = 0, load = 0;
    };
    std::vector<Feedback> feedback;
    Expr guard;
    int passes = 0;  ///< number of the input vector
    int done = 0;    ///< number of the output vector
  };
  std::optional<Repeat> repeat = std::nullopt;
};

}  // namespace cotangent
