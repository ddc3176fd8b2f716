#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "cotangent/base/phase_point.hpp"
#include "cotangent/integrator/rattle/rattle_plan.hpp"
#include "cotangent/manifold/manifold.hpp"

namespace cotangent {

/// The numbers in the Memory of RATTLE; letters as in Rattle. After k steps in a row those up to the k-th are known.
struct RattleMemory {
  enum Number : std::uint8_t {
    f,  ///< H_q(q)
    m,
    w,
    w_before,  ///< l minus the m of the step before, for the last two steps
    scale,     ///< one number: the rounding scale of g(q)
  };
};

/// What the stages of a step leave in memory.
template <class T>
struct RattleWorkspace {
  std::size_t n, m_rows;

  const std::vector<T>* f = nullptr;  // H_q(q); first_f where it was not known
  T scale = T(0), scale_end = T(0);   // of g at q and Q
  std::vector<T> first_f = std::vector<T>(n, T(0));
  std::vector<T> Q = first_f, P = Q, Q_low = Q, P_low = Q;
  std::vector<T> kick = Q, kick_next = Q;  // what has been added to p so far; written alternately
  std::vector<T> F = Q;                    // H_q(Q)
  std::vector<T> l = std::vector<T>(m_rows, T(0)), m = l;
  std::vector<T> rows = l;         // residuals, then corrections of multipliers
  std::vector<T> corrections = l;  // of m
  std::vector<T> norms = std::vector<T>(RattlePlan::kNorms, T(0));
};

/// The kernels of a RattlePlan and of a RattleLoopPlan.
template <class T>
struct RattleCode {
  std::array<KernelSequence<T>, RattlePlan::kStages> stages;
  struct Loop {
    Kernel<T> loop, once;
  };
  std::optional<Loop> loop;
};

/// The code of a system, made once for all that share its model; nothing if it has no such plan.
template <class T>
const std::optional<RattleCode<T>>& rattle_code(Manifold<T>& manifold);

/// The loop that watches, of a system that has code; not valid if it has none.
template <class T>
struct WatchedRattleLoop {
  Kernel<T> kernel;
  std::size_t besides = 0;  ///< see RattleLoopPlan
};
template <class T>
const WatchedRattleLoop<T>& watched_rattle_loop(Manifold<T>& manifold);

/// The stages of a step, two ways with the same interface:
///
///   begin(z, h)         binds the step to a point; force() finds first_f = H_q(q), and scale
///   try_drift()         from l: Q; then rows = g(Q), norms
///   drift()             from l: kick, Q, Q_low; then rows = g(Q), norms
///   finish_drift()      kick and Q_low after try_drift()
///   factor_newton()     K = G(Q) H_pp G(q)', factored
///   kick()              F = H_q(Q), kick, P; then rows = G(Q) H_p(P), R = G(Q) H_pp G(Q)'
///   factor()            factors R
///   reaction_scale(m)   the magnitude of what G(Q)'m changes in G H_p
///   momentum_size()     the largest sqrt(x_j (H_pp x)_j) of x = |p| + |P| + |h/2 F|
///   project(m)          kick, P, P_low; then rows = G(Q) H_p(P), norms
///
/// RattleKernels runs compiled stages.
template <class T>
class RattleKernels {
 public:
  /// @param code for the system of the manifold, which must outlive this.
  RattleKernels(Manifold<T>& manifold, RattleWorkspace<T>& work, const RattleCode<T>& code);

  void begin(const PhasePoint<T>& z, LaneOf<T> h);
  void force();
  void try_drift();
  void drift();
  void finish_drift();
  FactorReport<T> factor_newton() {
    code_.stages[RattlePlan::newton](constraints_);
    return matrix_.factor_newton_written();
  }
  void kick();
  FactorReport<T> factor() { return matrix_.factor_written(); }
  T reaction_scale(const std::vector<T>& m) const { return matrix_.diagonal_scale(m.data()); }
  T momentum_size();
  void project(const std::vector<T>& m);

  static constexpr bool has_constant_matrix() { return true; }  ///< R does not depend on P

 private:
  bool has(RattlePlan::Stage stage) const { return !code_.stages[stage].kernels.empty(); }
  void bind_drift();
  void run(RattlePlan::Stage on_coordinates, RattlePlan::Stage on_constraints, RattlePlan::Stage composed);
  void bind_kick(const std::vector<T>& q, std::vector<T>& force);

  System<T>& system_;
  ConstraintMatrix<T>& matrix_;
  RattleWorkspace<T>& work_;
  const RattleCode<T>& code_;
  Frame<T> coordinates_, constraints_;
  const PhasePoint<T>* z_ = nullptr;
  std::vector<T> scalars_;
};

/// RattleOperations composes the stages from operations of the system, for any H = T(p) + V(q).
template <class T>
class RattleOperations {
 public:
  RattleOperations(Manifold<T>& manifold, RattleWorkspace<T>& work);

  void begin(const PhasePoint<T>& z, LaneOf<T> h);
  void force();
  void try_drift() { drift(); }
  void drift();
  void finish_drift() {}
  FactorReport<T> factor_newton() {
    return matrix_.factor_newton(work_.Q.data(), T(0), {z_->q.data(), work_.P.data(), nullptr, T(0)});
  }
  void kick();
  FactorReport<T> factor() { return matrix_.factor({work_.Q.data(), work_.P.data(), nullptr, T(0)}); }
  T reaction_scale(const std::vector<T>& m) const { return matrix_.diagonal_scale(m.data()); }
  T momentum_size();
  void project(const std::vector<T>& m);

  static constexpr bool has_constant_matrix() { return false; }

 private:
  At<T> at_end() { return system_.at(work_.Q, work_.P); }
  void momentum();
  void compare(const RowSize<T>& size, const T& scale);

  System<T>& system_;
  ConstraintMatrix<T>& matrix_;
  RattleWorkspace<T>& work_;
  const PhasePoint<T>* z_ = nullptr;
  T h_{}, half_{};
  T momentum_scale_{};  // of psi at (Q, P)
  std::vector<T> c_, v_, u_;
};

}  // namespace cotangent
