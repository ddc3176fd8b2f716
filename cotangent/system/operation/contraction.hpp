#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cotangent/elements/elements.hpp"
#include "cotangent/kernel/spec.hpp"

namespace cotangent {

/// What may be asked of the functions of a system: a derivative of any order, contracted with vectors down to a scalar,
/// one number per row, or a vector. Never a tensor.
///
///   F = H or L,  F = g, f, ... (one value per row)  or  F = u'g, u'I with weights u
///   F^(k)[a, b, ...]     contracted with k directions, each with parts along some of the arguments
///   d/dq, d/dp, d/dv or d/ds   `gradient` of that; for scalar F
///
/// So H_q is {H, gradient q}; H_pp a is {H, direction a in p, gradient p}; G v is {g, direction v in q};
/// G v + g_t is {g, direction (v, 1) in q and t}; G'u is {u'g, gradient q}; (u.g)'''[a, b] is {u'g, directions a, b in
/// q, gradient q}.
struct Contraction {
  enum class Of : std::uint8_t {
    H,                   ///< of a Lagrangian system too, by System::operation
    L,                   ///< of a Lagrangian system
    g,                   ///< one row for each constraint
    weighted_g,          ///< u'g
    weighted_invariant,  ///< u'I, I the invariants of the model
    dissipation,
    force,  ///< one row for each coordinate; without the dissipation
    rate,   ///< one row for each state
    observable,
    invariant,
  };
  enum class Result : std::uint8_t { value, gradient_q, gradient_p, gradient_v, gradient_s };
  static constexpr Result gradient_by(Space space) { return static_cast<Result>(static_cast<int>(space) + 1); }

  /// Which parts a direction has. The time, where it changes, changes at the rate one.
  struct Direction {
    bool q = true;
    bool p = false;
    bool v = false;
    bool s = false;
    bool lambda = false;
    bool t = false;
    auto operator<=>(const Direction&) const = default;

    /// Group variables follow the others.
    bool has(Space space) const {
      return space == Space::w || std::array{q, p, v, s, lambda, t}[static_cast<std::size_t>(space)];
    }
  };

  static constexpr std::size_t kMaxDirections = 3;

  Of of = Of::H;
  std::vector<Direction> directions = {};
  Result result = Result::value;
  /// For values of g: also the largest |value| and the largest rounding scale of a row, see out::norms.
  bool norms = false;

  bool has_rows() const { return of == Of::g || of >= Of::force; }

  /// What a gradient is by. @pre result is a gradient.
  Space space() const { return static_cast<Space>(static_cast<int>(result) - 1); }

  auto operator<=>(const Contraction&) const = default;
};

/// Directions of the contractions that formulations are made of.
namespace direction {
inline constexpr Contraction::Direction kMotion{.q = true, .t = true};
inline constexpr Contraction::Direction kTime{.q = false, .t = true};
inline constexpr Contraction::Direction kPosition{.q = true};
inline constexpr Contraction::Direction kMomentum{.q = false, .p = true};
inline constexpr Contraction::Direction kBoth{.q = true, .p = true};
inline constexpr Contraction::Direction kFlow{.q = true, .p = true, .t = true};
}  // namespace direction

/// Different for different contractions.
std::string key_of(const Contraction& contraction);

/// How many rows a function with rows has.
std::int64_t row_count(const Elements& elements, Contraction::Of of);

/// Numbers of the vectors that kernels of a system read.
namespace in {
// clang-format off
enum : int { q, p, v, s, lambda, t, weights,
             a_q, a_p, a_v, a_s, a_lambda, b_q, b_p, b_v, b_s, b_lambda, c_q, c_p, c_v, c_s, c_lambda, kGroups,
             kMasks = 1 << Contraction::kMaxDirections,  // subsets of the directions
             kAdjoints = kGroups + kMasks,               // group variables have a component along each: kGroups + mask;
             kScales = kAdjoints + kMasks,               // so have their adjoints. Then their rounding scales, see
             kColumns = kScales + 1 };                   // out::norms, and the columns of families
// clang-format on

/// The vector that holds an argument, and its part along direction d. @pre directions not for t and group variables.
constexpr int argument(Space space) { return space == Space::w ? kGroups : q + static_cast<int>(space); }
constexpr int argument(Space space, std::size_t d) {
  return a_q + static_cast<int>(space) + (b_q - a_q) * static_cast<int>(d);
}
}  // namespace in

/// Numbers of the vectors that kernels of a system write.
namespace out {
enum : int {
  result,
  /// norms[0] = max |value| over rows; norms[1] = max over rows of sum_s |dF/dx_s x_s|, x the last direction or,
  /// without directions, the arguments, with evaluation_error: rounding errors of one ulp change the value by at most
  /// epsilon times that. The sum is over everything that goes into the row: through group variables down to the x_s
  /// themselves.
  norms,
  kGroups,
  kAdjoints = kGroups + in::kMasks,
  kScales = kAdjoints + in::kMasks,
  kRowScales,  ///< where a row is the sum of several instances: its scale
  kVectors,
};
}  // namespace out

/// The symbols of the slots of a family, and the gradient of its function by them.
std::vector<Expr> slot_symbols(const Family& family);
std::vector<Expr> slot_gradient(const Family& family);

/// Kernels in order of execution, and what must be set to zero before them.
struct SpecSequence {
  struct Zero {
    int vector;
    std::int64_t size;
  };
  std::vector<KernelSpec> kernels;
  std::vector<Zero> zero;
};

/// A contraction as kernels.
struct ContractionPlan : SpecSequence {
  bool rows_from_one_family = true;  ///< the norms were taken in the kernels; otherwise a pass over the rows is left
};

/// Turns contractions into kernels, family by family. Group variables are handled as in forward and reverse
/// differentiation: w and its components along the directions first, then the families of H or g, which leave the
/// adjoints of w, then back through the inner sums.
///
/// Expressions are built in a graph of the builder's own. Make a builder for each operation, or for several whose
/// kernels are joined: what an operation computes, to the last bit, then depends on the elements and on nothing else.
class ContractionBuilder {
 public:
  /// @param elements must outlive the builder.
  explicit ContractionBuilder(const Elements& elements) : ContractionBuilder(elements, Graph(elements.graph)) {}

  /// Goes on where another builder's graph ends.
  ContractionBuilder(const Elements& elements, const Graph& graph);

  /// Where the kernels' expressions are, as long as somebody keeps it.
  const std::shared_ptr<Graph>& graph() const { return graph_; }

  /// @param fused whether kernels of equal count are joined; otherwise each family has its own.
  ContractionPlan build(const Contraction& contraction, bool fused = true);

  /// The columns of all families in the order of their input vectors in::kColumns, in::kColumns + 1, ...
  struct ColumnOf {
    const Family* family;
    const Family::Column* column;
  };
  const std::vector<ColumnOf>& columns() const { return columns_; }

  const std::vector<Family>& families_of(Contraction::Of of) const;

  /// The group families that families use, directly or through other groups; in their order.
  std::vector<const Family*> groups_of(const std::vector<Family>& families) const;

  /// A family of the elements with expressions of graph().
  Family own(const Family& family) const { return family.within(*graph_); }

  /// A kernel with an instance for each of a family of the elements, which reads the columns.
  KernelSpec spec_of(const Family& family) const;

 private:
  friend class FamilyJet;

  /// The symbol for the component of x along a subset of directions; x itself for the empty subset.
  Expr component(Expr x, unsigned mask);

  /// Which components of each group variable, and of its adjoint, some family writes: bit [mask]. The others are zero.
  struct Written {
    std::vector<std::uint8_t> components, adjoints;
  };

  const Elements& elements_;
  std::shared_ptr<Graph> graph_;
  Written written_;  // by the contraction being built
  std::vector<ColumnOf> columns_;
  Expr weight_;  // the symbol u
  std::map<std::pair<NodeId, unsigned>, Expr> components_;
};

}  // namespace cotangent
