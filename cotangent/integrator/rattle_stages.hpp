#pragma once

#include <optional>
#include <vector>

#include "cotangent/base/phase_point.hpp"
#include "cotangent/integrator/rattle_plan.hpp"
#include "cotangent/manifold/manifold.hpp"

namespace cotangent {

/// What the stages of a RATTLE step leave in memory; letters as in Rattle.
template <class T>
struct RattleWorkspace {
  RattleWorkspace(std::size_t n, std::size_t rows_count);

  std::vector<T> Q, P, Q_low, P_low;
  std::vector<T> kick, kick_next;  // what has been added to p so far; written alternately
  std::vector<T> f, F;             // H_q at q and at Q
  std::vector<T> l, m;
  std::vector<T> rows;             // residuals, then corrections of multipliers
  std::vector<T> norms;            // as RattlePlan::Norm
};

/// The stages of a step, two ways with the same interface:
///
///   begin(z, h)           binds the step to a point; force() finds f = H_q(q)
///   drift()               from l: kick, Q, Q_low
///   position(matrix)      rows = g(Q), norms; with the Newton matrix if asked for
///   factor_newton()       K = G(Q) H_pp G(q)'
///   kick()                F = H_q(Q), kick, P
///   momentum(first)       rows = G(Q) H_p(P), norms; the first time with scales and the matrix
///   factor()              R = G(Q) H_pp G(Q)'
///   reaction_scale()      the magnitude of what G(Q)'m, m in rows, changes in G H_p
///   project()             from corrections in rows: kick, P, P_low
///
/// RattleKernels runs the compiled stages of a RattlePlan.
template <class T>
class RattleKernels {
 public:
  /// @param plan for the system of the manifold, which must outlive this.
  RattleKernels(Manifold<T>& manifold, RattleWorkspace<T>& work, const RattlePlan& plan);

  void begin(const PhasePoint<T>& z, LaneOf<T> h);
  void force();
  void drift();
  void position(bool matrix) { (matrix ? newton_ : position_).run(constraints_); }
  FactorReport<T> factor_newton() { return matrix_.factor_newton_written(); }
  void kick();
  void momentum(bool first);
  FactorReport<T> factor() { return matrix_.factor_written(); }
  T reaction_scale() const;
  void project();

  static constexpr bool kMatrixIsConstant = true;  ///< R does not depend on P

 private:
  struct Stage {
    std::vector<Kernel<T>> kernels;
    std::vector<ContractionPlan::Zero> zero;

    void run(const Frame<T>& frame) const {
      for (const auto& z : zero) std::fill_n(frame.out[static_cast<std::size_t>(z.vector)], z.size, T(0));
      for (const auto& kernel : kernels) kernel(frame.in.data(), frame.out.data());
    }
  };
  Stage compile(const RattlePlan::Stage& stage);

  System<T>& system_;
  ConstraintMatrix<T>& matrix_;
  RattleWorkspace<T>& work_;
  Stage drift_, position_, newton_, kick_, momentum_, verify_, project_;
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
  void drift();
  void position(bool matrix);
  FactorReport<T> factor_newton() { return matrix_.factor_newton(work_.Q.data(), z_->q.data(), work_.P.data()); }
  void kick();
  void momentum(bool first);
  FactorReport<T> factor() { return matrix_.factor(work_.Q.data(), work_.P.data()); }
  T reaction_scale() const;
  void project();

  static constexpr bool kMatrixIsConstant = false;

 private:
  ConstraintMatrix<T>& matrix_;
  RattleWorkspace<T>& work_;
  Request<T> H_q_, H_p_, g_, G_times_, G_transposed_times_;
  Frame<T> at_q_, at_Q_;
  const PhasePoint<T>* z_ = nullptr;
  T h_{}, half_{};
  std::vector<T> c_, v_, norms_;
};

}  // namespace cotangent
