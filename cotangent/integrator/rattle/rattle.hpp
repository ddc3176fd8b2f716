#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "cotangent/integrator/integrator.hpp"
#include "cotangent/integrator/rattle/rattle_loop.hpp"
#include "cotangent/integrator/rattle/rattle_stages.hpp"
#include "cotangent/manifold/manifold.hpp"

namespace cotangent {

/// RATTLE for H(q, p) = T(p) + V(q) with constraints g(q) = 0; without constraints it is the Störmer-Verlet scheme.
///
/// One step (q, p) -> (Q, P) of size h, with G = dg/dq:
///
///   p' = p  - h/2 H_q(q) - G(q)' l       kick;  l from 0 = g(Q)
///   Q  = q  + h H_p(p')                  drift
///   P  = p' - h/2 H_q(Q) - G(Q)' m       kick;  m from 0 = G(Q) H_p(P)
///
/// The position solve is Newton's iteration l <- l + K^-1 g(Q) / h with K = G(Q) H_pp G(q)'. It starts from l = m + w:
/// m, the second kick of the step before, acts along the same G(q)' and by symmetry agrees with l to first order, so
/// that w is small and well extrapolated, from steps of other lengths, too. The guess changes the number of iterations
/// but, since all solves go on to rounding error, not the result.
///
/// Updates of q and p are compensated: see PhasePoint.
///
/// References: [andersen83]; [leimkuhler-skeel94]; [hlw06, VII.1.4].
template <class T, class Stages>
class Rattle final : public Integrator<T> {
 public:
  /// @param manifold must outlive the integrator.
  /// @param code a RattleCode, for RattleKernels.
  template <class... Code>
  explicit Rattle(Manifold<T>& manifold, const Code&... code);

  [[nodiscard]] StepReport<T> advance(Point<T>& z, LaneOf<T> h, std::int64_t steps, std::int64_t& done) override;
  bool is_compiled() const override { return loop_.has_value(); }
  bool can_watch() override;
  [[nodiscard]] StepReport<T> advance_watched(Point<T>& z, LaneOf<T> h, std::int64_t steps, std::int64_t& done,
                                              StepWatch<T>& watch) override;

 private:
  using M = RattleMemory;

  [[nodiscard]] StepReport<T> make_step(const Point<T>& z, LaneOf<T> h, Point<T>& end) override;
  // The compiled loop makes the steps which need no iteration.
  void use_loop(const RattleCode<T>& code) {
    if (code.loop) loop_.emplace(manifold_.system(), *code.loop);
  }
  bool loop_applies(const Memory<T>& memory, LaneOf<T> h) const;
  std::int64_t advance_by_loop(Point<T>& z, LaneOf<T> h, std::int64_t steps, StepWatch<T>* watch,
                               StepReport<T>& report);
  StepReport<T> iterated_step(const Point<T>& z, LaneOf<T> h, Point<T>& end);
  void mix(const Mask<T>& by_loop, StepReport<T>& report, Point<T>& end) const;
  void lay_out(Memory<T>& memory) const;
  void prepare(const Point<T>& z, LaneOf<T> h);
  void rescale(const Memory<T>& from, LaneOf<T> h);
  void predict();
  bool solve_position(const PhasePoint<T>& z, LaneOf<T> h, StepReport<T>& report);
  bool position_tangents_hold(const T& extra_level) const;
  bool solve_momentum(StepReport<T>& report);
  T loose_momentum_level();
  void commit(const Point<T>& z, LaneOf<T> h, const Mask<T>& ok, Point<T>& end);
  bool end_solve(const RoundingStop<T>& stop, StepStatus failure, StepReport<T>& report);
  bool update(RoundingStop<T>& stop, const T& extra_level, const T& loose_level, StepReport<T>& report);
  bool is_finite(StepReport<T>& report);
  bool drop(const Mask<T>& regular, StepStatus failure, RoundingStop<T>& stop, StepReport<T>& report);

  Manifold<T>& manifold_;
  ConstraintMatrix<T>& matrix_;
  RattleWorkspace<T> work_;
  Stages stages_;

  std::optional<RattleLoop<T>> loop_;

  // What is known where the step begins, as far as `history_` goes back: m, then w, then w_before.
  const std::vector<std::vector<T>>* before_ = nullptr;
  int history_ = 0;
  Memory<T> rescaled_;  // that, for a step of another length, or nothing
  Point<T> looped_;     // for lanes of which some go by the loop and others do not
  bool has_free_;       // coordinates that no constraint uses
};

MethodFacts rattle_facts();

/// RATTLE in the form that suits the system; see also implicit_rattle.hpp.
template <class T>
std::unique_ptr<Integrator<T>> make_rattle(Manifold<T>& manifold);

}  // namespace cotangent
