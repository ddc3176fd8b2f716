#include <algorithm>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/formulation/chart/charted_field.hpp"
#include "cotangent/formulation/entries.hpp"
#include "cotangent/system/legendre/momentum_map.hpp"

namespace cotangent {
namespace {

FormulationFacts sheet() {
  return {.name = "state-space-velocity",
          .description = "state space form in coordinates and velocities, not canonical (`chart`, `chart-update`)",
          .variables = "delta = A q, delta'",
          .is_physical = false,
          .keeps_g = true,
          .keeps_psi = true,
          .keeps_H = true,
          .on_position = true,
          .on_momentum = true,
          .residuals = "g = 0, psi = 0",
          .derivatives = "g'', H_pp",
          .moving = "q from g(q, t) = 0, v from G v + g_t = 0; f is part of p'",
          .applies_to = "every system but black boxes, one trajectory at a time",
          .reference = "leimkuhler-reich94"};
}

/// The older state space form, in local coordinates and their velocities: delta = A q, theta = delta' (chart.hpp has
/// A).
///
///   q = phi(delta, t),   v:  A v = theta,  G v + g_t = 0,   p = the momenta of v
///   delta' = theta
///   theta' = A v',   v' = H_pq v + H_pp p' + H_pt,   p' = F - G' lambda,   R lambda = psi'[(v, F, 1)]
///
/// (For M = I that is theta' = -(phi'^t phi')^-1 phi'^t (H_q + phi''[theta, theta]).) The same motion as in the
/// canonical form, but not in canonical variables: a symplectic method is not symplectic on it.
///
/// Reference: [leimkuhler-reich94, section 1].
template <class T>
class StateSpaceVelocity final : public ChartedField<T> {
 public:
  StateSpaceVelocity(Manifold<T>& manifold, const FormulationOptions& options)
      : ChartedField<T>(with_charts(sheet(), options), manifold, options),
        momenta_(manifold.system()),
        v_(this->n(), T(0)),
        p_dot_(v_),
        v_dot_(v_),
        g_t_(this->m(), T(0)) {}

  [[nodiscard]] Mask<T> field(const PointRef<T>& z, T* delta_dot, T* theta_dot, T* s_dot) override {
    if (!find_point(z.q, z.p, z.t, this->start().data())) return false;
    const PointRef<T> physical(this->q_.data(), momenta_.p().data(), z.s, z.t);
    Mask<T> found = this->begin(physical);
    if (!found) return false;
    std::copy(this->F_.begin(), this->F_.end(), p_dot_.begin());
    this->eliminate(v_.data(), p_dot_.data(), found);
    this->psi_.H_p_along(v_.data(), p_dot_.data(), Time::moves, v_dot_.data());
    std::copy_n(z.p, static_cast<std::size_t>(this->size()), delta_dot);
    this->chart().coordinates(v_dot_.data(), theta_dot);
    this->rates(physical, s_dot);
    return found;
  }

  [[nodiscard]] Mask<T> enter(const PhasePoint<T>& physical, OwnVariables<T>& own) override {
    this->resize(own);
    std::fill(own.p_low.begin(), own.p_low.end(), T(0));
    this->psi_.at(physical);
    this->chart().coordinates(physical.q.data(), own.q.data());
    this->chart().coordinates(physical.q_low.data(), own.q_low.data());
    this->chart().coordinates(this->psi_.v().data(), own.p.data());
    return true;
  }

  [[nodiscard]] Mask<T> leave(const OwnVariables<T>& own, PhasePoint<T>& physical) override {
    if (!find_point(own.q.data(), own.p.data(), T(physical.t), physical.q.data())) return false;
    physical.q = this->q_;
    physical.p = momenta_.p();
    this->chart().lift(own.q_low.data(), this->zero_rows_.data(), physical.q_low.data());
    std::fill(physical.p_low.begin(), physical.p_low.end(), T(0));
    return true;
  }

 private:
  /// q_, v_ and the momenta.
  [[nodiscard]] bool find_point(const T* delta, const T* theta, const T& t, const T* guess) {
    Mask<T> found = this->find_position(delta, t, guess);
    if (!found) return false;
    this->manifold_.system().at(this->q_, t).g_t(g_t_);
    for (T& rate : g_t_) rate = -rate;
    this->chart().lift(theta, g_t_.data(), v_.data());
    this->narrow(found, momenta_.at(this->q_.data(), v_.data(), t), StepStatus::variables_not_found);
    return found;
  }

  MomentumMap<T> momenta_;
  std::vector<T> v_, p_dot_, v_dot_, g_t_;
};

}  // namespace

template <class T>
FormulationEntry<T> state_space_velocity() {
  return {sheet(), make_for_one<StateSpaceVelocity, T>};
}

#define COTANGENT_FUNCTIONS(T) template FormulationEntry<T> state_space_velocity();
COTANGENT_FOR_NUMBERS(COTANGENT_FUNCTIONS)

}  // namespace cotangent
