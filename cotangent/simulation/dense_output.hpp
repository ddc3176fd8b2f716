#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/formulation/formulation.hpp"
#include "cotangent/integrator/integrator.hpp"

namespace cotangent {

/// Points inside a step from z0 to z1 of any method of order p, with an error O(h^(p+1)): polynomials in
/// theta = (t - t0)/h that are made from the ends and the field f of the motion (underlying_field()),
///
///   u(theta) = z0 + h int_0^theta L + (3 theta^2 - 2 theta^3) (z1 - z0 - h int_0^1 L),
///
/// where L interpolates values of f at Lobatto points 0 = c_0 < ... < c_N = 1. With f at the ends only that is
/// Hermite's cubic, whose error is O(h^4). Each further round takes f at the points that the last one gave, and gains
/// an order with as many Lobatto points as that needs: N + 1 = 4, 5, ..., p. All of them are continuous with their
/// first derivatives from step to step, and the same for a step that is made backwards.
///
/// A method that knows the motion inside its steps (Integrator::has_series) says it itself.
///
/// The point is then moved onto the constraints that the trajectory keeps, which changes it by as much as its error.
///
/// Reference: [enright86], where rounds are Hermite-Birkhoff interpolants.
template <class T>
class DenseOutput {
 public:
  /// @param order p. @param position, momentum whether points are moved onto g = 0, psi = 0.
  /// @param manifold must outlive this, and `series`, a method that has one, if there is any.
  DenseOutput(Manifold<T>& manifold, int order, bool position, bool momentum, Integrator<T>* series = nullptr);

  /// For the steps of a method, with what it keeps.
  DenseOutput(Manifold<T>& manifold, Integrator<T>& method);

  /// A step; nothing is computed before a point is asked for. Both ends must stay as they are until then.
  void set_step(const PhasePoint<T>& begin, const PhasePoint<T>& end);

  /// The point at a time of the step. Does not allocate after the first call.
  /// @throws std::runtime_error if the field was not found, or the point could not be moved onto the constraints.
  const PhasePoint<T>& at(T t);

  std::int64_t evaluations() const { return evaluations_; }  ///< of the field, so far

 private:
  // The Lobatto points of [-1, 1] and what makes integrals of L of them, by Legendre polynomials P_k:
  // int_{-1}^x L = sum_k a_k int P_k, a_k = (k + 1/2) sum_i w_i P_k(x_i) L(x_i), but N/2 in place of k + 1/2 for k = N.
  struct Round {
    std::vector<T> x, w;
    std::vector<std::vector<T>> P;  // P[k][i] = P_k(x_i)
  };
  static Round make_round(int N);

  void make();
  void evaluate(const Round& round, T theta);
  void field(const PhasePoint<T>& z, PhasePoint<T>& rate);

  Manifold<T>& manifold_;
  std::unique_ptr<Formulation<T>> field_;
  bool position_, momentum_;
  Integrator<T>* series_;
  std::vector<Round> rounds_;
  std::vector<PhasePoint<T>> rates_, next_;  // values of f at the points of a round, and of the round in the making
  std::vector<T> P_, weights_;
  const PhasePoint<T>*begin_ = nullptr, *end_ = nullptr;
  T h_ = T(0);
  bool is_made_ = false;
  PhasePoint<T> point_;
  std::int64_t evaluations_ = 0;
};

COTANGENT_DECLARE(PRECISIONS, DenseOutput);

}  // namespace cotangent
