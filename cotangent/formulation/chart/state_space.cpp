#include <algorithm>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/formulation/chart/charted_field.hpp"
#include "cotangent/formulation/entries.hpp"
#include "cotangent/formulation/field/striction.hpp"

namespace cotangent {
namespace {

FormulationFacts sheet() {
  return {.name = "state-space",
          .description = "canonical state space form in local charts, Hamiltonian in each (`chart`, `chart-update`)",
          .variables = "delta = A q, theta = phi'^t p",
          .is_physical = false,
          .hamiltonian = true,
          .keeps_g = true,
          .keeps_psi = true,
          .keeps_H = true,
          .on_position = true,
          .on_momentum = true,
          .residuals = "g = 0, psi = 0",
          .derivatives = "g'', H_pp",
          .moving = "q from g(q, t) = 0, p from G H_p + g_t = 0; f is part of theta'",
          .applies_to = "every system, one trajectory at a time",
          .reference = "leimkuhler-reich94"};
}

/// The canonical state space form: Hamilton's equations on the constraint manifold itself, in a chart delta = A q with
/// the momenta theta = phi'^t p (chart.hpp has phi).
///
///   q = phi(delta, t):   A q = delta,  g(q, t) = 0                              Newton
///   p = A' theta - G' l, with l such that G H_p(q, p) + g_t = 0                 striction.hpp
///   delta' = A v,                                v = H_p(q, p)
///   theta' = phi'^t (F + (l.g)''[(v, 1)]),       F = -H_q + forces
///
/// (d/dt of p = A' theta - G' l, multiplied with phi'^t, for which phi'^t A' = I and phi'^t G' = 0.) q and p are on the
/// manifold whatever the method does. It is the Hamiltonian system of H(q, p) + l'g_t in (delta, theta); in a fixed
/// chart a symplectic method is symplectic on the manifold.
///
/// Reference: [leimkuhler-reich94, section 2].
template <class T>
class StateSpace final : public ChartedField<T> {
 public:
  StateSpace(Manifold<T>& manifold, const FormulationOptions& options)
      : ChartedField<T>(with_charts(sheet(), options), manifold, options),
        striction_(manifold, this->psi_),
        x_(this->n(), T(0)) {}

  [[nodiscard]] Mask<T> field(const PointRef<T>& z, T* delta_dot, T* theta_dot, T* s_dot) override {
    if (!find_point(z.q, z.p, z.t, this->start().data())) return false;
    const PointRef<T> physical(this->q_.data(), striction_.p().data(), z.s, z.t);
    if (!this->find_forces(physical)) return false;
    const std::vector<T>& v = this->psi_.v();
    this->chart().coordinates(v.data(), delta_dot);
    if (this->m() > 0) {
      this->psi_.curvature_along_motion(striction_.strictions().data(), x_.data());
    } else {
      std::fill(x_.begin(), x_.end(), T(0));
    }
    for (std::size_t j = 0; j < x_.size(); ++j) x_[j] += this->F_[j];
    this->chart().pull_back(x_.data(), theta_dot);
    const bool found = this->multipliers_for_work(physical, striction_.leaves_factors(), true);
    this->rates(physical, s_dot);
    return found;
  }

  void begin_step(const PhasePoint<T>& z, const OwnVariables<T>& own) override {
    ChartedField<T>::begin_step(z, own);
    if (!this->owns(own)) return;
    this->chart().transpose(own.p.data(), x_.data());
    striction_.begin(z, x_.data());
  }

  [[nodiscard]] Mask<T> enter(const PhasePoint<T>& physical, OwnVariables<T>& own) override {
    this->resize(own);
    Mask<T> found(true);
    this->narrow(found, this->chart().factor(physical.q.data(), T(physical.t)), StepStatus::position_solve_failed);
    if (!found) return false;
    this->chart().coordinates(physical.q.data(), own.q.data());
    this->chart().coordinates(physical.q_low.data(), own.q_low.data());
    this->chart().pull_back(physical.p.data(), own.p.data());
    this->chart().pull_back(physical.p_low.data(), own.p_low.data());
    this->chart().transpose(own.p.data(), x_.data());
    striction_.begin(physical, x_.data());
    return true;
  }

  [[nodiscard]] Mask<T> leave(const OwnVariables<T>& own, PhasePoint<T>& physical) override {
    if (!find_point(own.q.data(), own.p.data(), T(physical.t), physical.q.data())) return false;
    physical.q = this->q_;
    physical.p = striction_.p();
    // Of what rounding has lost, the parts in delta and theta.
    this->chart().transpose(own.p_low.data(), physical.p_low.data());
    this->chart().lift(own.q_low.data(), this->zero_rows_.data(), physical.q_low.data());
    return true;
  }

 private:
  /// q_ and the momentum of striction_.
  [[nodiscard]] bool find_point(const T* delta, const T* theta, const T& t, const T* guess) {
    Mask<T> found = this->find_position(delta, t, guess);
    if (!found) return false;
    this->chart().transpose(theta, x_.data());
    this->narrow_to_momentum(found, striction_.solve(this->q_.data(), x_.data(), t));
    return found;
  }

  Striction<T> striction_;
  std::vector<T> x_;
};

}  // namespace

template <class T>
FormulationEntry<T> state_space() {
  return {sheet(), make_for_one<StateSpace, T>};
}

#define COTANGENT_FUNCTIONS(T) template FormulationEntry<T> state_space();
COTANGENT_FOR_NUMBERS(COTANGENT_FUNCTIONS)

}  // namespace cotangent
