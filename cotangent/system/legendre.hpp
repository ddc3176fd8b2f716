#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "cotangent/solve/symmetric_solver.hpp"
#include "cotangent/system/hessian.hpp"
#include "cotangent/system/operation_source.hpp"
#include "cotangent/system/system.hpp"

namespace cotangent {

/// The Legendre transformation of a Lagrangian L(q, v, t) with regular M = L_vv.
///
///   v(q, p, t)  solves  L_v(q, v, t) = p     by Newton's method with step halving; one solve where L is quadratic in v
///   H = p'v - L,  H_q = -L_q,  H_p = v,  H_t = -L_t
///
/// and so on for derivatives of H, each a few contractions of L and solves with M: see legendre_operation.hpp.
///
/// H itself is never written down, and M^-1, which is full where M couples neighbours, only ever is a solve with the
/// sparse M. Implicit methods go back and forth between two or three points: their velocities and factors are kept.
template <class T>
class Legendre final : public OperationSource<T> {
 public:
  /// @param system of a Lagrangian; must outlive this.
  explicit Legendre(System<T>& system);

  /// v at (q, p, t); not numbers in lanes where none was found. Valid until the next call.
  ///
  /// It depends on the point alone: the search starts from rest, whatever was found before. Where M is singular on the
  /// way, as that of L = v^4 is at rest, a step is (M + mu I)^-1 (p - L_v) with mu = max |p - L_v|: no velocity without
  /// a mass changes by more than one, and near a solution the steps become those of Newton again.
  const std::vector<T>& velocity(const T* q, const T* p, const T& t);

  /// x <- M^-1 x at (q, p, t).
  void solve_mass(const T* q, const T* p, const T& t, T* x);

  /// The lanes where M is regular at (q, p, t) but not positive definite.
  Mask<T> indefinite(const T* q, const T* p, const T& t);

  /// M at (q, p, t), in triplets, for whoever puts it into a larger matrix.
  const std::vector<TripletPlace>& mass_entries() const { return mass_.entries(); }
  void mass(const T* q, const T* p, const T& t, T* values);

  /// H and its derivatives as operations on (q, p, t).
  std::unique_ptr<Operation<T>> make(const Contraction& contraction) override;

  System<T>& system() { return system_; }

  /// Whether H_q depends on v.
  bool force_needs_velocity() const { return !system_.is_separable(); }

 private:
  struct Point {
    bool known = false, factored = false;
    std::uint64_t used = 0;
    std::vector<T> q, p, v;
    T t = T(0);
    std::vector<T> factored_q, factored_v;
    T factored_t = T(0);
    std::unique_ptr<SymmetricSolver<T>> solver;
    Mask<T> regular = Mask<T>(true);
    std::vector<T> mass;
  };

  Point& at(const T* q, const T* p, const T& t);
  void solve(Point& point);
  void factor(Point& point);
  void factor_shifted(Point& point, const T& mu);
  void assemble(const Point& point);
  bool is_factored(const Point& point) const;

  System<T>& system_;
  Hessian<T> mass_;
  Request<T> L_v_;
  Frame<T> frame_;

  // Where the entries of M go: the diagonal, or an off-diagonal pair; those above the diagonal nowhere.
  std::vector<int> target_;
  std::vector<std::pair<int, int>> off_diagonal_;
  std::vector<T> diagonal_, lower_, residual_, step_, scale_;

  std::array<Point, 3> points_;
  std::uint64_t clock_ = 0;
};

extern template class Legendre<double>;
extern template class Legendre<long double>;
extern template class Legendre<Quad>;
extern template class Legendre<Tangents>;
extern template class Legendre<Lanes>;

}  // namespace cotangent
