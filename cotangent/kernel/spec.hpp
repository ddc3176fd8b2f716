#pragma once

#include <cstdint>
#include <vector>

#include "cotangent/base/index_map.hpp"
#include "cotangent/expr/expr.hpp"

namespace cotangent {

/// What a kernel computes: a loop over the instances k = 0 .. count-1 of small functions f_o,
///
///   x_s = in[v_s][at_s(k)]                  loads
///   i_c = at_c(k)                           counters: integers known from k
///   y_o = f_o(x, i)
///   out[v_o][at_o(k)]  =, +=, max=  y_o     stores
///
/// Everything the program evaluates in bulk has this form: gradients of H, constraint residuals, entries of
/// the matrix G H_pp G', reductions. Expressions contain only the symbols of loads and counters; neither sums
/// nor array entries.
///
/// The meaning is exact, so that every backend and every SIMD shape gives the same bits: stores take effect
/// in the order of the list, as if for each store there were one loop over k of its own. A store to a fixed
/// place is a reduction: it adds (or compares) in kPartialSums interleaved partial results, k modulo
/// kPartialSums, that are combined pairwise, ((0+1)+(2+3))+((4+5)+(6+7)), and then with what the place holds;
/// a partial result without any term is -0 (or -infinity). Assigning to a fixed place leaves the value of the
/// last instance. With count = 0 nothing is read or written.
///
/// Inputs and outputs do not overlap in memory, nor do two different output vectors.
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
  };

  static constexpr int kPartialSums = 8;

  std::vector<Load> loads;
  std::vector<Counter> counters;
  std::vector<Store> stores;
  std::int64_t count = 0;
};

}  // namespace cotangent
