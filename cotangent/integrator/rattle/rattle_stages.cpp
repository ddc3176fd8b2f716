#include "cotangent/integrator/rattle/rattle_stages.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "cotangent/base/for_packs.hpp"
#include "cotangent/base/instantiate.hpp"
#include "cotangent/integrator/rattle/rattle_loop_plan.hpp"

namespace cotangent {

using Plan = RattlePlan;

// --- Code.

template <class T>
const std::optional<RattleCode<T>>& rattle_code(Manifold<T>& manifold) {
  using Code = std::optional<RattleCode<T>>;
  const System<T>& system = manifold.system();
  return system.model().template shared<Code>("rattle", [&]() -> Code {
    const CouplingPlan* coupling = manifold.matrix().plan();
    if (!coupling || !system.has_homogeneous_mass()) return std::nullopt;
    const auto plan = plan_rattle(system.elements(), *coupling, system.uniform_mass());
    if (!plan) return std::nullopt;
    RattleCode<T> code;
    // Stages that have been composed are not needed one by one, nor the one that is for the loop only.
    for (std::size_t k = 0; k < code.stages.size(); ++k)
      if (k == Plan::newton || k == Plan::kick ||
          (k != Plan::drift_newton && plan->is_composed() == (k > Plan::try_drift)))
        code.stages[k] = system.model().template compile<T>(*plan->graph, plan->stages[k]);
    if constexpr (is_dual<T>) {
      if (const auto loop = plan_rattle_loop(system.elements(), *plan, *coupling, false, T::kTangents, T::kSize))
        code.loop = {.loop = {}, .once = system.compiler().add_numbers(loop->once)};
    } else if (const auto loop = plan_rattle_loop(system.elements(), *plan, *coupling)) {
      code.loop = {.loop = system.compiler().add(loop->loop), .once = system.compiler().add(loop->once)};
    }
    return code;
  });
}

template <class T>
const WatchedRattleLoop<T>& watched_rattle_loop(Manifold<T>& manifold) {
  const System<T>& system = manifold.system();
  return system.model().template shared<WatchedRattleLoop<T>>("watched-rattle", [&]() -> WatchedRattleLoop<T> {
    if constexpr (!is_dual<T>) {
      const CouplingPlan& coupling = *manifold.matrix().plan();
      const auto plan = plan_rattle(system.elements(), coupling, system.uniform_mass());
      const auto loop = plan_rattle_loop(system.elements(), *plan, coupling, true);
      if (loop && loop->watched) {
        const Kernel<T> kernel = system.compiler().add(*loop->watched);
        system.compiler().compile();
        return {kernel, static_cast<std::size_t>(loop->besides)};
      }
    }
    return {};
  });
}

// --- Compiled stages.

template <class T>
RattleKernels<T>::RattleKernels(Manifold<T>& manifold, RattleWorkspace<T>& work, const RattleCode<T>& code)
    : system_(manifold.system()),
      matrix_(manifold.matrix()),
      work_(work),
      code_(code),
      coordinates_(system_.frame()),
      constraints_(system_.frame()),
      scalars_(Plan::kScalars, T(0)) {
  scalars_[Plan::level] = T(kZeroUnits * epsilon<T>());
  const T* W = system_.diagonal_mass()->data();
  coordinates_.in[Plan::W] = W;
  coordinates_.in[Plan::scalars] = scalars_.data();
  constraints_.in[Plan::masses] = W;
  constraints_.in[Plan::scalars] = scalars_.data();
  for (auto* frame : {&coordinates_, &constraints_}) {
    for (const auto which : {CouplingPlan::diagonal, CouplingPlan::lower, CouplingPlan::upper})
      frame->out[which] = matrix_.output(which);
    frame->out[Plan::norms] = work_.norms.data();
  }
}

template <class T>
void RattleKernels<T>::run(Plan::Stage on_coordinates, Plan::Stage on_constraints, Plan::Stage composed) {
  coordinates_.out[Plan::rows] = constraints_.out[Plan::rows] = work_.rows.data();
  if (has(composed)) return code_.stages[composed](coordinates_);
  code_.stages[on_coordinates](coordinates_);
  code_.stages[on_constraints](constraints_);
}

template <class T>
void RattleKernels<T>::begin(const PhasePoint<T>& z, LaneOf<T> h) {
  z_ = &z;
  scalars_[Plan::h] = T(h);
  scalars_[Plan::half_h] = T(h / 2);
  coordinates_.in[Plan::p] = z.p.data();
  coordinates_.in[Plan::p_low] = z.p_low.data();
  constraints_.in[Plan::q] = work_.Q.data();
  constraints_.in[Plan::q_start] = z.q.data();
  constraints_.in[Plan::p] = work_.P.data();
  constraints_.in[Plan::p_start] = z.p.data();
}

template <class T>
void RattleKernels<T>::bind_kick(const std::vector<T>& q, std::vector<T>& force) {
  coordinates_.in[Plan::q] = q.data();
  coordinates_.in[Plan::kick_before] = work_.kick.data();
  coordinates_.out[Plan::force_after] = force.data();
  coordinates_.out[Plan::kick_after] = work_.kick_next.data();
  coordinates_.out[Plan::moved] = work_.P.data();
}

template <class T>
void RattleKernels<T>::force() {
  // The kick stage at q instead of Q; what else it computes is not used.
  bind_kick(z_->q, work_.first_f);
  code_.stages[Plan::kick](coordinates_);
}

template <class T>
void RattleKernels<T>::bind_drift() {
  coordinates_.in[Plan::q] = z_->q.data();
  coordinates_.in[Plan::q_low] = z_->q_low.data();
  coordinates_.in[Plan::force] = work_.f->data();
  coordinates_.in[Plan::multipliers] = work_.l.data();
  coordinates_.out[Plan::moved] = work_.Q.data();
  coordinates_.out[Plan::moved_low] = work_.Q_low.data();
  coordinates_.out[Plan::kick_after] = work_.kick.data();
  coordinates_.out[Plan::kicked] = work_.P.data();
}

template <class T>
void RattleKernels<T>::try_drift() {
  bind_drift();
  run(has(Plan::try_drift) ? Plan::try_drift : Plan::drift, Plan::position, Plan::drift_position);
}

template <class T>
void RattleKernels<T>::drift() {
  bind_drift();
  run(Plan::drift, Plan::position, Plan::drift_position);
}

template <class T>
void RattleKernels<T>::finish_drift() {
  if (has(Plan::try_drift)) code_.stages[Plan::drift](coordinates_);
}

template <class T>
void RattleKernels<T>::kick() {
  bind_kick(work_.Q, work_.F);
  run(Plan::kick, Plan::momentum, Plan::kick_momentum);
  if (has(Plan::kick)) std::swap(work_.kick, work_.kick_next);
}

template <class T>
void RattleKernels<T>::project(const std::vector<T>& m) {
  coordinates_.in[Plan::q] = work_.Q.data();
  coordinates_.in[Plan::kick_before] = work_.kick.data();
  coordinates_.in[Plan::multipliers] = m.data();
  coordinates_.out[Plan::moved] = work_.P.data();
  coordinates_.out[Plan::moved_low] = work_.P_low.data();
  coordinates_.out[Plan::kick_after] = work_.kick_next.data();
  run(Plan::project, Plan::verify, Plan::project_verify);
  std::swap(work_.kick, work_.kick_next);
}

template <class T>
T RattleKernels<T>::momentum_size() {
  const T *W = system_.diagonal_mass()->data(), *p = z_->p.data(), *P = work_.P.data(), *F = work_.F.data();
  const T half = scalars_[Plan::half_h];
  const auto size = [&]<class V>(V, std::size_t j) {
    const V x = abs(load<V>(p + j)) + abs(load<V>(P + j)) + abs(V(half) * load<V>(F + j));
    return x * abs(load<V>(W + j) * x);
  };
  if constexpr (std::is_same_v<T, double>) return sqrt(largest_of_packs(work_.P.size(), 0.0, size));
  T most(0);
  for (std::size_t j = 0; j < work_.P.size(); ++j) most = max(most, size(T(0), j));
  return sqrt(most);
}

// --- Stages from operations.

template <class T>
RattleOperations<T>::RattleOperations(Manifold<T>& manifold, RattleWorkspace<T>& work)
    : system_(manifold.system()), matrix_(manifold.matrix()), work_(work), c_(work.Q.size(), T(0)), v_(c_), u_(c_) {}

template <class T>
void RattleOperations<T>::begin(const PhasePoint<T>& z, LaneOf<T> h) {
  z_ = &z;
  h_ = T(h);
  half_ = T(h / 2);
}

template <class T>
void RattleOperations<T>::force() {
  const At<T> at = system_.at(z_->q, z_->p);
  at.H_q(work_.first_f);
  work_.scale = at.g(work_.rows).scale;
}

// Rows against the level of the largest scale among them.
template <class T>
void RattleOperations<T>::compare(const RowSize<T>& size, const T& scale) {
  work_.norms[Plan::residual] = size.largest;
  work_.norms[Plan::excess] = size.largest - T(kZeroUnits * epsilon<T>()) * scale;
}

template <class T>
void RattleOperations<T>::drift() {
  const At<T> at = system_.at(z_->q, work_.P);
  at.Gt_times(work_.l, c_);
  for (std::size_t j = 0; j < c_.size(); ++j) {
    work_.kick[j] = -(half_ * (*work_.f)[j] + c_[j]);
    work_.P[j] = z_->p[j] + (work_.kick[j] + z_->p_low[j]);
  }
  at.H_p(v_);
  for (std::size_t j = 0; j < c_.size(); ++j) {
    work_.Q_low[j] = z_->q_low[j];
    work_.Q[j] = add_compensated(z_->q[j], h_ * v_[j], work_.Q_low[j]);
  }
  const RowSize<T> size = at_end().g(work_.rows);
  work_.scale_end = size.scale;
  compare(size, size.scale + work_.scale);
}

template <class T>
void RattleOperations<T>::kick() {
  const At<T> at = at_end();
  at.H_q(work_.F);
  for (std::size_t j = 0; j < c_.size(); ++j) {
    work_.kick[j] -= half_ * work_.F[j];
    work_.P_low[j] = z_->p_low[j];
    work_.P[j] = add_compensated(z_->p[j], work_.kick[j], work_.P_low[j]);
  }
  // H_p may be a difference of larger numbers: |H_pp P| counts in its scale.
  at.H_p(v_);
  at.H_pp_times(work_.P, u_);
  for (std::size_t j = 0; j < u_.size(); ++j) u_[j] = abs(u_[j]) + abs(v_[j]);
  momentum_scale_ = at.G_times(u_, work_.rows).scale;
  momentum();
}

template <class T>
void RattleOperations<T>::momentum() {
  const At<T> at = at_end();
  at.H_p(v_);
  const RowSize<T> size = at.G_times(v_, work_.rows);
  compare(size, momentum_scale_ + size.scale);
}

template <class T>
void RattleOperations<T>::project(const std::vector<T>& m) {
  at_end().Gt_times(m, c_);
  for (std::size_t j = 0; j < c_.size(); ++j) {
    work_.kick[j] -= c_[j];
    work_.P_low[j] = z_->p_low[j];
    work_.P[j] = add_compensated(z_->p[j], work_.kick[j], work_.P_low[j]);
  }
  momentum();
}

template <class T>
T RattleOperations<T>::momentum_size() {
  for (std::size_t j = 0; j < c_.size(); ++j) c_[j] = abs(z_->p[j]) + abs(work_.P[j]) + abs(half_ * work_.F[j]);
  at_end().H_pp_times(c_, u_);
  T most(0);
  for (std::size_t j = 0; j < c_.size(); ++j) most = max(most, c_[j] * abs(u_[j]));
  return sqrt(most);
}

#define COTANGENT_RATTLE_CODE(T)                                          \
  template const std::optional<RattleCode<T>>& rattle_code(Manifold<T>&); \
  template const WatchedRattleLoop<T>& watched_rattle_loop(Manifold<T>&);
COTANGENT_FOR_NUMBERS(COTANGENT_RATTLE_CODE)
#undef COTANGENT_RATTLE_CODE
COTANGENT_INSTANTIATE(NUMBERS, RattleKernels);
COTANGENT_INSTANTIATE(NUMBERS, RattleOperations);

}  // namespace cotangent
