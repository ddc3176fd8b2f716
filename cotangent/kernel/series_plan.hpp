#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cotangent/kernel/jet_plan.hpp"

namespace cotangent {

/// How coefficients of several power series that depend on each other are found, order by order: actions on vectors
/// of coefficients. Those of `start` are for k = 0; then for k = 0, 1, ..., orders - 1 come those of `order` and, but
/// for the last k, those of `rest`.
struct SeriesPlan {
  /// Coefficient k + ahead of a vector of series.
  struct Row {
    int vector = -1;
    int ahead = 0;
    auto operator<=>(const Row&) const = default;
  };

  enum class Act : std::uint8_t {
    evaluate,  ///< the jet kernel `index` at order k + ahead
    again,     ///< the same, with its sums over lower orders
    clear,     ///< to = 0
    negate,    ///< to = -to
    add,       ///< to = to + a
    subtract,  ///< to = a - b
    part,      ///< to = a (1/i), i the order of `to`
    change,    ///< to = (a - b) (1/i)
    quotient,  ///< to = a / i
    twice,     ///< to = a (i+1) (i+2)
    solve,     ///< to = to inverse, a number of the caller's
    call,      ///< the caller's function, with `index` and k
  };

  struct Action {
    Act act;
    int index = -1, ahead = 0;
    Row to = {}, a = {}, b = {};
    std::int64_t size = 0;
  };

  /// Numbers of the vectors that the plan of a kernel calls in[v] and out[v].
  struct Kernel {
    const JetPlan* plan;
    std::vector<int> in, out;
  };

  int orders = 0;
  int vectors = 0;
  std::vector<Kernel> kernels;
  std::vector<Action> start, order, rest;

  /// Equal exactly for plans that the same machine code can execute.
  std::string code_key() const;
};

/// What machine code for a SeriesPlan reads of its caller, as words.
struct SeriesTable {
  using Code = void (*)(const std::int64_t* words);
  using Call = void (*)(void* object, std::int64_t index, std::int64_t k);
  enum Word : int { function, object, inverse, vectors };

  /// A vector has two words, the address of coefficient 0 and the distance of rows; then each kernel has its own: the
  /// addresses of its memory and of its scratch space, the number of its instances, and two for each load, counter and
  /// store, offset and stride, or the address of the list and 0.
  static int of_vector(int v) { return vectors + 2 * v; }
  static int of_kernel(const SeriesPlan& plan, std::size_t kernel);
};

}  // namespace cotangent
