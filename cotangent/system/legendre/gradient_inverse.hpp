#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/solve/direct/symmetric_solver.hpp"
#include "cotangent/system/matrix/hessian.hpp"
#include "cotangent/system/system.hpp"

namespace cotangent {

/// The inverse of a gradient: y(q, x, t) with F_y(q, y, t) = x, for regular M = F_yy. Both Legendre transformations are
/// of this kind: the velocities of momenta, L_v = p, and the momenta of velocities, H_p = v.
///
/// By Newton's method with step halving; one solve where F is quadratic in y. M^-1, which is full where M couples
/// neighbours, only ever is a solve with the sparse M. Implicit methods go back and forth between two or three points:
/// what was found there, and the factors, are kept.
template <class T>
class GradientInverse {
 public:
  /// @param of L or H, and the arguments y: v or p. @param system must outlive this.
  GradientInverse(System<T>& system, Contraction::Of of, Space y);

  /// y at (q, x, t); not numbers in lanes where none was found. Valid until the next call.
  ///
  /// It depends on the point alone: the search starts from zero, whatever was found before. Where M is singular on the
  /// way, as that of L = v^4 is at rest, a step is (M + mu I)^-1 (x - F_y) with mu = max |x - F_y|: no y without
  /// a mass changes by more than one, and near a solution the steps become those of Newton again.
  const std::vector<T>& operator()(const T* q, const T* x, const T& t);

  /// u <- M^-1 u at (q, x, t); not numbers in lanes where M is singular, or so close to it that u is not found to
  /// rounding.
  void solve(const T* q, const T* x, const T& t, T* u);

  /// The lanes where M is regular at (q, x, t) but not positive definite.
  Mask<T> indefinite(const T* q, const T* x, const T& t);

  /// M at (q, x, t), in triplets, for whoever puts it into a larger matrix.
  const std::vector<TripletPlace>& entries() const { return M_.entries(); }
  void matrix(const T* q, const T* x, const T& t, T* values);

 private:
  struct Point {
    bool known = false, factored = false;
    std::uint64_t used = 0;
    std::vector<T> q, x, y;
    T t = T(0);
    std::vector<T> factored_q, factored_y;
    T factored_t = T(0);
    std::unique_ptr<SymmetricSolver<T>> solver;
    Mask<T> regular = Mask<T>(true);
    std::vector<T> M;
  };

  Point& at(const T* q, const T* x, const T& t);
  Point& factored_at(const T* q, const T* x, const T& t);
  void find(Point& point);
  void step_from_rest(Point& point);
  At<T> here(const Point& point) const;
  void evaluate(const Point& point);
  void factor(Point& point);
  void factor_shifted(Point& point, const T& mu);
  void assemble(const Point& point);
  bool is_factored(const Point& point) const;

  System<T>& system_;
  Space space_;
  Hessian<T> M_;
  const Operation<T>& F_y_;
  Frame<T> frame_;  // of its own: this is called within operations of the system

  // Where the entries of M go: the diagonal, or an off-diagonal pair; those above the diagonal nowhere.
  std::vector<int> target_;
  std::vector<std::pair<int, int>> off_diagonal_;
  std::vector<T> diagonal_, lower_, residual_, step_, scale_;

  std::array<Point, 3> points_;
  std::uint64_t clock_ = 0;
};

COTANGENT_DECLARE(NUMBERS, GradientInverse);

}  // namespace cotangent
