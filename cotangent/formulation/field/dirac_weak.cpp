#include "cotangent/base/instantiate.hpp"
#include "cotangent/formulation/entries.hpp"
#include "cotangent/formulation/field/phase_space_field.hpp"

namespace cotangent {
namespace {

// g' = alpha g is no longer zero, and neither is H'.
FormulationFacts with_gauge(FormulationFacts facts, double alpha) {
  facts.keeps_g = facts.keeps_g && alpha == 0;
  facts.keeps_H = facts.keeps_H && alpha == 0;
  return facts;
}

FormulationFacts sheet() {
  return {.name = "dirac-weak",
          .description = "weakly Hamiltonian Dirac formulation (`gauge = ALPHA`)",
          .keeps_g = true,
          .keeps_psi = true,
          .keeps_H = true,
          .residuals = "g' = 0, psi' = 0; with a gauge g' = alpha g",
          .derivatives = "g'', H_pp",
          .moving = "psi = G v + g_t, b has psi_t; f is part of F in p' and in the equation for mu",
          .reference = "leimkuhler-reich94"};
}

FormulationFacts hamilton_dirac_sheet() {
  FormulationFacts facts = sheet();
  facts.name = "hamilton-dirac";
  facts.description = "Hamilton-Dirac equations, z' = {z, H} with the Dirac bracket: the field of dirac-weak";
  facts.residuals = "g' = 0, psi' = 0";
  facts.reference = "seiler99";
  return facts;
}

/// The weakly Hamiltonian Dirac formulation, and the Hamilton-Dirac equations: they are the same vector field.
///
/// Dirac's total Hamiltonian is H + mu'g + eta'psi. Without the derivatives of its multipliers, which come with factors
/// g and psi that vanish on the manifold,
///
///   q' = v + (eta'psi)_p
///   p' = F - G' mu - (eta'psi)_q,    R eta = -psi + alpha g,   R mu = psi'[(q', F - (eta'psi)_q, 1)],
///
/// where R = {g, psi} = G H_pp G'. (The equation for mu is R mu = b + S eta of the literature, b = {psi, H} and
/// S = {psi, psi}.) The gauge alpha is 0 unless asked for; it changes nothing on the manifold, and makes g' = alpha g
/// off it.
///
/// The Hamilton-Dirac equations z' = {z, H}_D use the Dirac bracket {F, H}_D = {F, H} - {F, chi} C^-1 {chi, H} of
/// chi = (g, psi), C = {chi, chi} = [[0, R], [-R, S]]. By the block inverse
///
///   C^-1 = [[R^-1 S R^-1, -R^-1], [R^-1, 0]],    C^-1 {chi, H} = C^-1 (psi, b) = -(mu, eta) with alpha = 0,
///
/// so that {z, H}_D = {z, H} + {z, g} mu + {z, psi} eta: the same field, for every regular H, on and off the manifold.
/// Being derivations by an antisymmetric bracket of which g and psi are Casimir functions, the equations conserve g,
/// psi and H exactly.
///
/// Where constraints move the bracket is that of the phase space extended by t and its momentum: psi_t joins b.
///
/// Reference: [leimkuhler-reich94, eq. 3.7-3.8]; [seiler99, eq. 13, 19-21].
template <class T>
class DiracWeak final : public PhaseSpaceField<T> {
 public:
  DiracWeak(Manifold<T>& manifold, const FormulationOptions& options, FormulationFacts facts = sheet())
      : PhaseSpaceField<T>(with_gauge(std::move(facts), options.gauge), manifold),
        gauge_(static_cast<LaneOf<T>>(options.gauge)),
        eta_(this->m(), T(0)),
        g_value_(eta_),
        e_q_(this->n(), T(0)),
        e_p_(e_q_) {}

  [[nodiscard]] Mask<T> field(const PointRef<T>& z, T* q_dot, T* p_dot, T* s_dot) override {
    Mask<T> found = this->begin_free(z, q_dot, p_dot);
    if (this->m() > 0) {
      this->psi_.psi(eta_.data());
      this->psi_.g(g_value_.data());
      for (std::size_t r = 0; r < this->m(); ++r) eta_[r] = gauge_ * g_value_[r] - eta_[r];
      this->solve_residuals(eta_);
      this->psi_.gradient(eta_.data(), e_q_.data(), e_p_.data());
      for (std::size_t j = 0; j < this->n(); ++j) {
        q_dot[j] += e_p_[j];
        p_dot[j] -= e_q_[j];
      }
      this->eliminate(q_dot, p_dot, found);
    }
    this->rates(z, s_dot);
    return found;
  }

 private:
  T gauge_;
  std::vector<T> eta_, g_value_, e_q_, e_p_;
};

}  // namespace

template <class T>
FormulationEntry<T> dirac_weak() {
  return {sheet(), make<DiracWeak, T>};
}

template <class T>
FormulationEntry<T> hamilton_dirac() {
  return {hamilton_dirac_sheet(), [](Manifold<T>& manifold, const FormulationOptions&) {
            return std::unique_ptr<Formulation<T>>(
                std::make_unique<DiracWeak<T>>(manifold, FormulationOptions(), hamilton_dirac_sheet()));
          }};
}

#define COTANGENT_FUNCTIONS(T)               \
  template FormulationEntry<T> dirac_weak(); \
  template FormulationEntry<T> hamilton_dirac();
COTANGENT_FOR_NUMBERS(COTANGENT_FUNCTIONS)

}  // namespace cotangent
