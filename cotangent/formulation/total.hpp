#pragma once

#include "cotangent/formulation/phase_space_field.hpp"

namespace cotangent {

/// The Hamiltonian system of the total Hamiltonian H + mu'g, with the multipliers R mu = b(q, p) as functions of the
/// point: Hamiltonian everywhere, and the constrained motion on the manifold.
///
///   q' = v + d/dp (mu'g),   p' = -H_q - d/dq (mu'g),      b = psi'[(v, -H_q, 1)]
///
/// mu is never differentiated as a function. At fixed g, d mu'g = a'(db - dR mu) with the adjoint R a = g; since
/// a'b = (a'psi)'[(v, -H_q, 1)] and a'R mu = (a'psi)_p' M with M = G' mu,
///
///   d (mu'g) = G' mu  +  (a'psi)''[(v, -H_q - M, 1)]  +  H''[(-a_p, a_q)]  -  (mu.g)''[a_p],
///   (a_q, a_p) = ((a'psi)_q, (a'psi)_p).
///
/// Forces f are added to p' as f - G' R^-1 G H_pp f, the part of them that the constraints admit.
///
/// Off the manifold the residuals see a saddle: linearised, g' = psi + ..., psi' = {psi, mu} g: they grow
/// exponentially.
///
/// Reference: [leimkuhler-reich94, eq. 3.9-3.10]; [seiler99, eq. 17].
template <class T>
class Total final : public PhaseSpaceField<T> {
 public:
  static FormulationFacts sheet();

  Total(Manifold<T>& manifold, const FormulationOptions& options = {});

  [[nodiscard]] Mask<T> field(const PointRef<T>& z, T* q_dot, T* p_dot, T* s_dot) override;

 private:
  std::vector<T> a_, a_q_, a_p_;
  // Second derivatives of a'psi and H, and the curvature of mu, along the vectors of the header; one after the other,
  // for with many links what counts is memory.
  std::vector<T> by_q_, by_p_;
};

}  // namespace cotangent
