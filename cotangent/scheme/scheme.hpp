#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cotangent/base/scalar.hpp"
#include "cotangent/base/step_report.hpp"

namespace cotangent {

/// What a node of a scheme is. Letters are those of docs/notation.md; `a`, `u`, `r` are vectors that are given.
enum class SchemeOp : std::uint8_t {
  input,     ///< of the step: the point, t, h, and whatever is remembered
  constant,  ///< a number, exact in every number type
  zeros,

  add,
  subtract,
  multiply,  ///< a number times a vector, or two numbers
  divide,    ///< by a number
  negate,
  absolute,
  square_root,  ///< of a number
  smaller,      ///< of two numbers
  larger,
  choose,  ///< the second where the first, a number, is positive, else the third
  sum,     ///< value + (lost + increment), rounded
  lost,    ///< of the sum before: what rounding took from it

  dot,                     ///< the inner product of two vectors, a vector of one number
  divide_beyond_rounding,  ///< a / b where |c| is more than rounding errors of what is added up in it, d; else 0

  part,    ///< of a vector
  join,    ///< of vectors, one after the other
  result,  ///< another result of a node that has several

  H_q,             ///< at q, p, t
  H_p,             ///< at q, p, t
  H_pp_times,      ///< H_pp a at q, p, t
  H_p_along,       ///< H_pq a + H_pp b at q, p, t
  g,               ///< at q, t
  g_rate,          ///< G a + g_t at q, t
  G_times,         ///< G a at q, t
  Gt_times,        ///< G'u at q, t
  g_t_times,       ///< u'g_t at q, t, a vector of one number
  g_second,        ///< g''[(v, 1), (a, 0)] at q, t
  force,           ///< -H_q + forces at q, p, s, t, with v and multipliers; result 1 is their power
  rates,           ///< of the states, at the same, with that power; without multipliers, without lambda'g_t
  motion,          ///< under the constraints at q, p, s, t with v: the forces; results 1, 2: power, multipliers
  R,               ///< the factors of G H_pp G' at q, p, s, t
  K,               ///< the factors of G(Q, t') H_pp(z) G(q, t)' at Q, t', q, p, s, t
  factor_solve,    ///< factors^-1 r
  smallest,        ///< of all u with the same R u: u itself where R is regular
  G_sizes,         ///< magnitudes of G at q, t: what the next three are made of
  position_scale,  ///< what is added up in the rows of g where q is as large as a
  rate_scale,      ///< what is added up in the rows of G a + g_t
  force_scale,     ///< what is added up in G'u

  cached,   ///< a vector that is remembered, or else made
  unknown,  ///< of the solve that it is in
  solve,    ///< what solves the equations
  step,     ///< of another method, from q, p, s with what is lost of them; the same are its results
  field,    ///< of a formulation, at x = (q, p, s) and t
  energy,   ///< in the variables of a formulation, at x = (q, p) and t; result 1 is what is added up inside it
};

/// What a remembered vector is: a guess has no effect but rounding errors and speed, a cache could be made anew from
/// the point, a state is part of the map.
enum class MemoryRole : std::uint8_t { guess, cache, state };

/// One step of a method as a value: what is made of what, without a number type. A method writes it once (Writer),
/// runners execute it for every number type.
///
/// Nodes are vectors, or numbers; numbers depend on the step length, the time and what is remembered only. They are
/// numbered from the results, depth first, so that their order does not depend on the order in which a method wrote
/// them. Those of a region run together:
///
///   step         once in every step
///   equations    of a solve: at every iterate. Afterwards nodes have the values of the last one
///   scales       what is added up in the equations: where the solver looks at them
///   correction   what is added to the unknown
///   otherwise    of a cached vector that is not remembered
struct Scheme {
  struct Node {
    SchemeOp op;
    std::vector<int> in = {};  ///< -1: an argument that does not matter
    std::size_t size = 0;      ///< of the vector
    bool is_number = false;
    int region = 0;
    Quad number = 0;        ///< of a constant
    std::size_t first = 0;  ///< of a part; which result; which solve, cached vector or method
  };

  struct Region {
    enum class Kind : std::uint8_t { step, equations, scales, correction, otherwise };
    Kind kind = Kind::step;
    int parent = -1;
    int owner = -1;               ///< the solve or the cached vector
    std::vector<int> nodes = {};  ///< in an order in which they can run
  };

  struct Solve {
    int unknown = -1;
    int equations = -1, scales = -1, correction = -1;  ///< regions
    int residual = -1, scale = -1, change = -1;        ///< their results; without a correction it is -residual
    StepStatus failure = StepStatus::stage_solve_failed;

    /// Parts of the unknown whose components are measured by the largest of them and of `base`; where there is none,
    /// each by itself. Without kinds the correction is that of Newton's method, and residuals are looked at.
    struct Kind {
      std::size_t size;
      int base = -1;
      int noise = -1;  ///< a vector: what rounding leaves of x, in units of epsilon; or none
    };
    std::vector<Kind> kinds = {};
    bool is_for_values = false;  ///< tangents pass it by
  };

  struct Cached {
    int region = -1, result = -1;
  };

  struct Remembered {
    std::string name;
    MemoryRole role;
    int input = -1, end = -1;  ///< what it is at the beginning of a step, and at the end
  };

  std::vector<Node> nodes;
  std::vector<Region> regions;
  std::vector<Solve> solves;
  std::vector<Cached> cached;
  std::vector<Remembered> memory;
  std::vector<int> numbers;  ///< nodes that are numbers, in order

  struct Point {
    int q = -1, q_low = -1, p = -1, p_low = -1, s = -1, s_low = -1;
  };
  Point begin, end;
  std::vector<int> shift;  ///< parts q and p of what a projection has moved, if there was one

  /// Numbers of a step.
  struct Inputs {
    int t = -1, t_end = -1, h = -1;
    int has_memory = -1;          ///< 1 where something is remembered, else 0
    int last_h = -1, ratio = -1;  ///< of the step before, and h / last_h; 0 where nothing is remembered
  };
  Inputs inputs;

  /// Nodes that are read by others than nodes: by the runner, and by the next step.
  std::vector<int> results() const;

  /// One line for each node.
  std::string text() const;
};

}  // namespace cotangent
