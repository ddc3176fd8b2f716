#pragma once

#include <optional>
#include <random>
#include <span>
#include <stdexcept>
#include <unordered_map>
#include <vector>

#include "cotangent/analyze/algebra/algebra.hpp"
#include "cotangent/analyze/dirac/dense.hpp"
#include "cotangent/analyze/dirac/evaluation.hpp"
#include "cotangent/expr/expr.hpp"

namespace cotangent {

/// A weak equality could be neither shown nor refuted.
class Undecided : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// How far from the borderline the decisions of a Surface were.
struct Margin {
  Quad largest_zero = 0;      ///< |e| of what was taken as zero by its values, relative to what is added up in it
  Quad smallest_nonzero = 1;  ///< the same of what was not
  Quad smallest_pivot = 1;    ///< of ranks
  Quad largest_dropped = 0;
};

/// The set chi_1 = ... = chi_N = 0 in phase space, symbols first and numbers next. e ~ 0 ("weakly zero", zero on it) is
/// decided by
///   1. the normal form of e, divided by the constraints with remainder: zero if it is zero;
///   2. values of e at random points on the surface, found by projection (Gauss-Newton steps), in Quad: zero if all
///      vanish to rounding, not zero if some are far from that.
/// @throws Undecided where neither tells.
class Surface {
 public:
  /// @param z the coordinates and momenta; @param fixed values of parameters; @param free other symbols, such as t: any
  /// value. @param near where points are sought, as far as it is known. @param finite what must be finite at points: H.
  Surface(Algebra& algebra, std::vector<Expr> z, SymbolValues fixed, std::vector<Expr> free, SymbolValues near,
          std::vector<Expr> finite);

  /// Adds chi = 0. @return whether points on the smaller surface were found; if not, it stays as it was.
  bool add(Expr chi);
  /// Takes the last constraint away if it vanishes wherever the others do near the points, which stay: then it follows
  /// from them on this branch of theirs. @return whether it does
  bool drop_last_if_it_follows();
  /// Puts chi in the place of constraint `index`; where no points are found it stays as it was.
  bool replace(std::size_t index, Expr chi);
  /// Whether points with chi = 0 for all of these could be found as well, without constraint `instead_of`; nothing is
  /// changed.
  bool could_add(std::span<const Expr> chi, std::optional<std::size_t> instead_of = {}) const;
  const std::vector<Expr>& constraints() const { return constraints_; }

  const std::vector<Expr>& z() const { return z_; }
  const std::vector<SymbolValues>& points() const { return points_; }

  /// e in its shortest form on the surface.
  Expr simplified(Expr e);
  bool is_zero(Expr e);
  bool is_zero_by_value(Expr e);
  /// The value of e where it is the same, and not zero, at all points.
  std::optional<Quad> constant_value(Expr e) const;

  /// The gradient in z.
  const std::vector<Expr>& gradient(Expr e);

  /// Rank of the gradients at the points, the same at all of them. @throws Undecided
  int rank_of_gradients(const std::vector<Expr>& functions);
  /// The same of any matrix.
  int rank(const std::vector<std::vector<Expr>>& matrix);

  /// A point on the surface with the values of `near`, if there is one; otherwise with values near these. Nothing if
  /// steps from there lead nowhere.
  std::optional<SymbolValues> point_at_start() const;
  /// Whether there is a point on the surface with chi = 0 and the values of `near`, without constraint `instead_of`.
  bool meets_start(Expr chi, std::optional<std::size_t> instead_of = {}) const;
  /// Those of z whose values differ from `near`, by more than rounding in double.
  std::vector<Expr> moved_from_start(const SymbolValues& point) const;

  const Margin& margin() const { return margin_; }

  /// The least size that an expression had where points with it zero were sought in vain.
  Quad least_found() const { return least_found_; }

 private:
  std::vector<Expr> constraints_with(std::span<const Expr> chi, std::optional<std::size_t> instead_of) const;
  bool take(std::vector<Expr> constraints);
  SymbolValues random_point(bool exact) const;
  const std::vector<Expr>& known_gradient(Expr e) const;
  std::optional<SymbolValues> project(SymbolValues point, const std::vector<Expr>& constraints,
                                      const std::vector<Quad>& weights) const;
  std::optional<SymbolValues> point_near_start(const std::vector<Expr>& constraints) const;
  std::optional<std::vector<SymbolValues>> points_on(const std::vector<Expr>& constraints) const;

  Algebra& algebra_;
  std::vector<Expr> z_;
  SymbolValues fixed_, near_;
  std::vector<Expr> free_, finite_;
  std::vector<Expr> constraints_;
  std::vector<SymbolValues> points_;
  mutable std::unordered_map<NodeId, std::vector<Expr>> gradients_;
  std::unordered_map<NodeId, bool> is_zero_;  // on the surface as it is now
  Margin margin_;
  mutable Quad least_found_ = 0;
  mutable std::mt19937_64 random_{20};
};

}  // namespace cotangent
