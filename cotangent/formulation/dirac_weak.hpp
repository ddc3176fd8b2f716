#pragma once

#include "cotangent/formulation/phase_space_field.hpp"

namespace cotangent {

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
  static FormulationFacts sheet();
  static FormulationFacts hamilton_dirac_sheet();

  DiracWeak(FormulationFacts facts, Manifold<T>& manifold, double gauge = 0);

  [[nodiscard]] Mask<T> field(const PointRef<T>& z, T* q_dot, T* p_dot, T* s_dot) override;

 private:
  T gauge_;
  std::vector<T> eta_, g_value_, e_q_, e_p_;
};

}  // namespace cotangent
