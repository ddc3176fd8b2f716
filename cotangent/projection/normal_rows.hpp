#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/manifold/hidden_constraint.hpp"
#include "cotangent/manifold/manifold.hpp"
#include "cotangent/projection/kept_invariants.hpp"
#include "cotangent/projection/normal_matrix.hpp"
#include "cotangent/projection/projection_policy.hpp"
#include "cotangent/solve/iteration/gmres.hpp"
#include "cotangent/system/legendre/momentum_map.hpp"

namespace cotangent {

/// What a point is to meet, and what may be moved for it.
struct ProjectionRows {
  bool g = false;
  bool psi = false;
  bool moves_q = true;  ///< otherwise p and the states only
};

/// The rows c = (g, psi, I - I(0)) of a projection at a point x, as many of them as are wanted, with C = c', an inverse
/// metric N = (tau^2 H_pp, H_pp^-1, 1) or N = (1, 1, 1) for (q, p, s), and K = C N C'. For weights nu = (l, m, n) of g,
/// psi = G H_p + g_t and I,
///
///   mass        N C' nu = (tau^2 H_pp (G'l + psi_q'm + I_q'n),  G'm + H_pp^-1 I_p'n,  I_s'n)
///   euclidean   N C' nu = (G'l + psi_q'm + I_q'n,  H_pp G'm + I_p'n,  I_s'n)
///
/// A displacement (dq, dp, ds) is one vector; the work done, the last of the states where there is one, is not moved.
///
/// The length of dq in the metric of the masses is a time, the unit of time, times that of dp. It is called tau, and is
/// one in which velocities change: with it points that are found do not depend on how time is measured.
///
/// Equations with K are solved by minimal residuals over a Krylov space. Its block of constraints is factored where it
/// is sparse (normal_matrix.hpp), in units g/tau in which both of its blocks are about R, so that there is one
/// dimension for it and one for each invariant, however large the system. Otherwise R = G H_pp G' stands in place of
/// the blocks for g and for psi: then dimensions grow with what the rows of psi_q are in comparison with those of G,
/// differences of velocities in units of lengths. Dependent constraints leave part of nu open: solves with R keep both
/// l and m in its range, where there is one solution.
template <class T>
class NormalRows {
 public:
  /// @param manifold and invariants (may be null) must outlive this.
  /// @throws std::invalid_argument if invariants need the mass metric of a system that has none.
  NormalRows(Manifold<T>& manifold, Metric metric, const ProjectionRows& rows, KeptInvariants<T>* invariants);

  const ProjectionRows& kinds() const { return rows_; }
  /// tau, where the metric is that of the masses; 1 to begin with.
  void set_unit_of_time(LaneOf<T> tau) {
    if (metric_ == Metric::mass && tau * tau > LaneOf<T>(0)) tau_ = T(tau);
  }
  std::size_t size() const { return size_; }
  std::size_t psi_at() const { return psi_at_; }  ///< where the rows of psi begin
  std::size_t I_at() const { return I_at_; }      ///< where those of invariants begin: so many are constraints

  /// Goes to x, which must stay there, and gives c(x).
  void at(const PhasePoint<T>& x, T* c);

  /// g, psi and their derivatives at x.
  HiddenConstraint<T>& constraint() { return at_; }
  /// What is added up in each invariant; and what would be if all numbers were as large as the largest of their kind.
  const std::vector<T>& invariant_scales() const { return I_scale_; }
  const std::vector<T>& invariant_bounds() const { return I_bound_; }
  /// dI_k.
  const std::vector<T>& gradient(std::size_t k) const { return I_[k]; }

  /// d = N C' nu.
  void normal(const T* nu, T* d);
  /// C d.
  void times(const T* d, T* rows);

  /// Makes ready for solves at x. In which lanes R is regular.
  [[nodiscard]] Mask<T> factor();
  /// y with K y = b; b is overwritten. Where invariants follow from constraints and others y is a solution without
  /// them.
  void solve(T* b, double goal, T* y);
  /// The same, with all rows: for what is no correction, and must not change the next one.
  void solve_with_all(T* b, double goal, T* y);
  /// Products with K that solves have taken so far.
  std::int64_t products() const { return products_; }

  /// Of the invariants, and there must be some, which one is to blame for c, where constraints are met; see
  /// KeptInvariants::row(). The first that is not met to `level`, with no gradient or one of which constraints and
  /// those before it leave nothing; otherwise the one that is farthest from being met, in units of its scale.
  std::int64_t unmet_invariant(const T* c, const T& level, int at_lane);

 private:
  void set_gradients();
  void constraints_times(const T* d, T* rows);
  void divide_by_tau(T* rows) const;
  void precondition(T* rows);
  void find(const T* b, double goal, T* y);
  void find_independent();
  Mask<T> is_dependent(std::size_t k);

  static std::vector<T> zeros(std::size_t size) { return std::vector<T>(size, T(0)); }

  Manifold<T>& manifold_;
  System<T>& system_ = manifold_.system();
  const Metric metric_;
  KeptInvariants<T>* invariants_;
  const std::size_t n_ = static_cast<std::size_t>(system_.n()), m_ = static_cast<std::size_t>(system_.m());
  const std::size_t s_ = static_cast<std::size_t>(system_.elements().states),
                    k_ = invariants_ ? invariants_->count() : 0;
  const ProjectionRows rows_;
  const std::size_t psi_at_ = rows_.g ? m_ : 0, I_at_ = psi_at_ + (rows_.psi ? m_ : 0), size_ = I_at_ + k_;
  std::size_t active_invariants_ = k_;  // those beyond do not count
  const PhasePoint<T>* x_ = nullptr;
  HiddenConstraint<T> at_{system_};
  std::optional<NormalMatrix<T>> normal_matrix_;  // where it is not R
  std::optional<MomentumMap<T>> mass_;            // where it is not constant and diagonal
  Gmres<T> gmres_;
  std::vector<T> d_ = zeros(2 * n_ + static_cast<std::size_t>(system_.state_count())), a_ = zeros(n_);
  std::vector<T> scaled_ = zeros(I_at_);
  std::vector<T> of_gradient_ = zeros(size_), right_ = of_gradient_, weights_ = of_gradient_;  // for is_dependent()
  std::vector<T> S_ = zeros(k_ * k_), pivot_ = zeros(k_), parts_ = pivot_;                     // for find_independent()
  std::vector<Mask<T>> counts_ = std::vector<Mask<T>>(k_, Mask<T>(true));
  // Of each invariant its gradient, that times N, and the length of the latter.
  std::vector<std::vector<T>> I_ = std::vector(k_, d_), NI_ = I_;
  std::vector<T> I_squared_ = zeros(k_), I_scale_ = I_squared_, I_bound_ = I_squared_;
  T time_ = T(0), tau_ = T(1);
  std::int64_t products_ = 0;
};

COTANGENT_DECLARE(NUMBERS, NormalRows);

}  // namespace cotangent
