#pragma once

#include "cotangent/formulation/phase_space_field.hpp"

namespace cotangent {

/// Dirac's Hamiltonian underlying ODE: the Hamiltonian system of H + mu'g + eta'psi with its multipliers
///
///   R eta = -psi + alpha g,    R mu = psi'[(v + e_p, -H_q - e_q, 1)],    (e_q, e_p) = ((eta'psi)_q, (eta'psi)_p)
///
/// (in the literature R mu = b + S eta, b = {psi, H}, S = {psi, psi}) as functions of the point: Hamiltonian
/// everywhere, and the constrained motion on the manifold.
///
/// Multipliers are never differentiated as functions. With adjoints
///
///   R a = g,    R k = psi - S a,    S a = psi'[(a_p, -a_q, 0)],    (a_q, a_p) = ((a'psi)_q, (a'psi)_p),
///
/// the differential of mu'g + eta'psi at a fixed point is that of a scalar with all multipliers and adjoints held,
///
///   mu'g + a'(b + S eta - R mu) + eta'psi + k'(-psi + alpha g - R eta),
///
/// that is, with M = G' mu and K = G' k,
///
///     G' (mu + alpha k)  +  grad ((eta - k)'psi)
///   + (a'psi)''[(v + e_p, -H_q - e_q - M, 1)]  +  H''[(-a_p, a_q)]  -  (mu.g)''[a_p]
///   - (eta'psi)''[(a_p, K - a_q, 0)]  -  (k.g)''[e_p].
///
/// So third derivatives of g and H come contracted with two vectors, and the cost is four solves with the factor of R
/// and some products more than that of the standard underlying ODE. Forces f are added to p' as f - G' R^-1 G H_pp f.
///
/// Reference: [leimkuhler-reich94, eq. 3.2-3.3]; the gauge alpha: section 3.4 there.
template <class T>
class Dirac final : public PhaseSpaceField<T> {
 public:
  static FormulationFacts sheet();

  Dirac(Manifold<T>& manifold, const FormulationOptions& options = {});

  [[nodiscard]] Mask<T> field(const PointRef<T>& z, T* q_dot, T* p_dot, T* s_dot) override;

 private:
  T gauge_;
  std::vector<T> g_value_, psi_value_, eta_, a_, k_, weights_;
  std::vector<T> e_q_, e_p_, a_q_, a_p_, x_, y_, result_q_, result_p_;
};

}  // namespace cotangent
