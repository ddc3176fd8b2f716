#include <algorithm>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/formulation/entries.hpp"
#include "cotangent/formulation/field/phase_space_field.hpp"
#include "cotangent/system/legendre/momentum_map.hpp"

namespace cotangent {
namespace {

FormulationFacts sheet() {
  return {.name = "lagrange-1",
          .description = "Lagrange's equations of the first kind, in positions and velocities",
          .variables = "q, v",
          .is_physical = false,
          .keeps_psi = true,
          .residuals = "g' = psi, psi' = 0",
          .derivatives = "g'', H_pp",
          .moving = "as standard",
          .applies_to = "every system but black boxes",
          .reference = "seiler99b"};
}

/// Lagrange's equations of the first kind, the descriptor form in positions and velocities: the multipliers are what
/// the constraints on the accelerations ask for.
///
///   q' = v
///   v' = d/dt H_p = H_pq v + H_pp p' + H_pt,   p' = F - G' lambda,   R lambda = psi'[(v, F, 1)]
///
/// with F = -H_q + forces at the momenta p of v; of a Lagrangian, M v' = L_q - (L_vq v + L_vt) + f - G' lambda. They
/// are the equations of `standard` in other variables, and behave alike off the manifold: g'' = 0. Adding the time
/// derivatives of the constraints to the Lagrangian instead of the constraints leads to the same equations.
///
/// Reference: [seiler99b]; the equations are those of Ruhoff, Praestegaard and Perram's constrained Lagrangian.
template <class T>
class Lagrange1 final : public PhaseSpaceField<T> {
 public:
  Lagrange1(Manifold<T>& manifold, const FormulationOptions& /*options*/)
      : PhaseSpaceField<T>(sheet(), manifold), momenta_(manifold.system()), p_dot_(this->n(), T(0)) {}

  [[nodiscard]] Mask<T> field(const PointRef<T>& z, T* q_dot, T* v_dot, T* s_dot) override {
    Mask<T> found(true);
    this->narrow(found, momenta_.at(z.q, z.p, z.t), StepStatus::variables_not_found);
    const PointRef<T> physical(z.q, momenta_.p().data(), z.s, z.t);
    found = this->begin(physical, found);
    std::copy_n(z.p, this->n(), q_dot);
    std::copy(this->F_.begin(), this->F_.end(), p_dot_.begin());
    this->eliminate(q_dot, p_dot_.data(), found);
    this->psi_.H_p_along(q_dot, p_dot_.data(), Time::moves, v_dot);
    this->rates(physical, s_dot);
    return found;
  }

  [[nodiscard]] Mask<T> enter(const PhasePoint<T>& physical, OwnVariables<T>& own) override {
    this->psi_.at(physical);
    own.q = physical.q;
    own.q_low = physical.q_low;
    own.p = this->psi_.v();
    own.p_low.assign(own.p.size(), T(0));
    return Mask<T>(true);
  }

  [[nodiscard]] Mask<T> leave(const OwnVariables<T>& own, PhasePoint<T>& physical) override {
    physical.q = own.q;
    physical.q_low = own.q_low;
    Mask<T> found(true);
    this->narrow(found, momenta_.at(own.q.data(), own.p.data(), T(physical.t)), StepStatus::variables_not_found);
    physical.p = momenta_.p();
    std::fill(physical.p_low.begin(), physical.p_low.end(), T(0));
    return found;
  }

 private:
  MomentumMap<T> momenta_;
  std::vector<T> p_dot_;
};

}  // namespace

template <class T>
FormulationEntry<T> lagrange_1() {
  return {sheet(), make<Lagrange1, T>};
}

#define COTANGENT_FUNCTIONS(T) template FormulationEntry<T> lagrange_1();
COTANGENT_FOR_NUMBERS(COTANGENT_FUNCTIONS)

}  // namespace cotangent
