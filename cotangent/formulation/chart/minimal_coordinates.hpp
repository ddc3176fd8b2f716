#pragma once

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/solve/direct/linear_solver.hpp"
#include "cotangent/system/system.hpp"

namespace cotangent {

/// [minimal] of the model is wrong, whatever uses it.
class MinimalError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

/// phi and the guess of minimal coordinates, compiled.
struct MinimalModels {
  std::shared_ptr<const CompiledModel> phi, guess;  ///< there may be no guess
};

/// Minimal coordinates s of a system with velocities u = s',
///
///   q = phi(s, t),   v = Phi u + phi_t,   v' = Phi u' + phi''[(u, 1), (u, 1)],   Phi = dphi/ds,
///
/// and matrices Phi' M Phi, full, for symmetric positive definite M. phi is a system of its own, whose constraints are
/// the rows phi_j: everything is a contraction of it.
///
/// For one trajectory: T = double, Quad.
template <class T>
class MinimalCoordinates {
 public:
  /// @throws std::invalid_argument if the system has no minimal coordinates, or too many of them, and MinimalError if
  /// they are too few.
  explicit MinimalCoordinates(System<T>& system);

  std::size_t size() const { return d_; }

  /// Where everything below is evaluated. s and u must stay until the next call.
  void at(const T* s, const T* u, const T& t);

  const std::vector<T>& q() const { return q_; }
  const std::vector<T>& v() const { return v_; }

  /// phi''[(u, 1), (u, 1)], and Phi' x.
  void curvature(T* a);
  void pull_back(const T* x, T* by_s);

  /// x <- M x, on vectors of the size of q.
  using Metric = std::function<void(const T* x, T* Mx)>;

  /// Factors Phi' M Phi + shift. False if it is singular.
  [[nodiscard]] bool factor(const Metric& M, const T& shift = T(0));
  void solve(T* x) const { solver_.solve(x); }

  /// s with phi(s, t) = q, by the method of Levenberg and Marquardt, to rounding: from s as it is if it has the right
  /// size, then from the guess of the model, then from samples. False if q is out of reach from there.
  [[nodiscard]] bool find(const T* q, const T& t, std::vector<T>& s);

  /// u with Phi u + phi_t = v at s. False if there is none.
  [[nodiscard]] bool find_velocity(const T* s, const T* v, const T& t, std::vector<T>& u);

  /// The k-th of kStarts points s that have nothing to do with anything: 0 for k = 0, then numbers between -3 and 3.
  static constexpr int kStarts = 20;
  void sample(int k, std::vector<T>& s) const;

 private:
  explicit MinimalCoordinates(const MinimalModels& minimal);
  [[nodiscard]] bool descend(const T* q, std::vector<T>& s);
  T distance(const T* q, const T* s);

  System<T> phi_;
  std::unique_ptr<System<T>> guess_;
  std::size_t n_, d_;
  LinearSolver<T> solver_;
  const T *s_ = nullptr, *u_ = nullptr;
  T t_ = T(0), scale_ = T(0);  // of the rows phi
  std::vector<T> q_, v_, zero_, unit_, column_, weighted_, row_, diagonal_, lower_;
  std::vector<T> residual_, step_, trial_;
};

COTANGENT_DECLARE(TRAJECTORIES, MinimalCoordinates);

}  // namespace cotangent
